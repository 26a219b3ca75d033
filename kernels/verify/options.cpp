// SPDX-License-Identifier: Apache-2.0
// kernels/verify/options.cpp: command-line arguments of mx_verify.
#include "options.h"

#include <charconv>
#include <functional>
#include <map>

namespace mx::kernels {
namespace {

int count_of(const std::string& option, const std::string& word) {
  int count = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error != std::errc() || end != word.data() + word.size() || count < 0) {
    throw usage_error("option " + option + " needs a whole number of 0 or more, not '" + word +
                      "'");
  }
  return count;
}

/// The number of seconds that a word is.
double seconds_of(const std::string& option, const std::string& word) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  const bool is_all = error == std::errc() && end == word.data() + word.size();
  if (!is_all || !(seconds > 0 && seconds <= 86400)) {
    throw usage_error("option " + option + " needs a number of seconds up to 86400, not '" + word +
                      "'");
  }
  return seconds;
}

using flag = std::function<void(options&)>;
using setting = std::function<void(options&, const std::string& value)>;

const std::map<std::string, flag> flags = {
    {"-h", [](options& o) { o.usage = help::wanted; }},
    {"--help", [](options& o) { o.usage = help::wanted; }},
    {"--list", [](options& o) { o.list = listing::wanted; }},
    {"--continue", [](options& o) { o.earlier = earlier_results::kept; }},
    {"--no-times", [](options& o) { o.speed = times::left_out; }},
    {"--small", [](options& o) { o.size = sizes::small; }}};

const std::map<std::string, setting> settings = {
    {"--only", [](options& o, const std::string& value) { o.only = value; }},
    {"--group", [](options& o, const std::string& value) { o.groups.push_back(value); }},
    {"--inside", [](options& o, const std::string& value) { o.inside = value; }},
    {"--golden", [](options& o, const std::string& value) { o.golden = value; }},
    {"--repro", [](options& o, const std::string& value) { o.repro = value; }},
    {"--most-repros",
     [](options& o, const std::string& value) {
       o.most_repros = count_of("--most-repros", value);
     }},
    {"--log", [](options& o, const std::string& value) { o.log = value; }},
    {"--library", [](options& o, const std::string& value) { o.library = value; }},
    {"--mxprism", [](options& o, const std::string& value) { o.mxprism = value; }},
    {"--json", [](options& o, const std::string& value) { o.json = value; }},
    {"--junit", [](options& o, const std::string& value) { o.junit = value; }},
    {"--case-timeout", [](options& o, const std::string& value) {
       o.case_seconds = seconds_of("--case-timeout", value);
     }}};

}  // namespace

const char* usage_text() {
  return R"(usage: mx_verify [--group NAME]... [--only TEXT] [--small] [--no-times] [--continue]
                 [--case-timeout SECONDS] [--log FILE] [--json FILE] [--junit FILE]
                 [--golden FOLDER] [--repro FOLDER] [--most-repros N] [--library FILE]
                 [--mxprism FILE]
       mx_verify --list [--library FILE]
Asks every launcher what it must refuse; runs every kernel on the first CUDA device, and
compares each byte with the emulator's core and with what golden/reference gave; times the
kernels beside yardsticks of the same run: a copy or a read of as many bytes in the
device's memory, cuBLAS' product of the same numbers in BF16. Each group of cases has a
process of its own: an error or a hung kernel ends that process, and another one goes on
with the group's next case. A kernel that broke down twice in a group is left out there,
and one that ran into the time limit three times everywhere.
  --group NAME     run this group; may be repeated. A name that ends in ':' is a whole table
  --list           print all groups with their numbers of cases, and of those whose
                   instructions (wgmma, native) some devices lack
  --only TEXT      cases and measures whose name holds TEXT; those of measures begin with
                   cuda.
  --small          skip large cases: matrices of 4096 x 4096, products with k above 800
  --no-times       skip the times
  --case-timeout SECONDS  time limit of a case or measure (default 120)
  --log FILE       results, a line at the beginning and end of each case (default
                   mx_verify.log)
  --continue       keep the results of the log: do not run again what was equal, differed or was
                   refused
  --json FILE      also write results and times to FILE, as one JSON object
  --junit FILE     also write results to FILE, as JUnit XML
  --golden FOLDER  folder of golden's words and blocks (default golden/vectors)
  --repro FOLDER   folder for differing cases (default mx_verify.repro)
  --most-repros N  of which at most so many are written (default: all)
  --library FILE   check the kernels of this shared library in place of ours. It defines the
                   functions of mx/kernels/user_library.h; kernels/template is an example
  --mxprism FILE   explain the first differing case of each group by this command
Exit status: 0 all bytes agree, 1 some differ, 2 bad arguments or a library that cannot be
used, 3 a CUDA error, a case that did not end or that the device refuses although it has
the instructions, or no device. Missed speed goals and missing yardsticks do not change it.
example: mx_verify --only quantize.mxfp4
example: mx_verify --library ./user_kernels.so --mxprism build/release/mxprism --small
example: mx_verify --group products: --group deep-products: --no-times --continue
)";
}

options options_of(const std::vector<std::string>& words) {
  options o;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (const auto found = flags.find(word); found != flags.end()) {
      found->second(o);
      continue;
    }
    const auto found = settings.find(word);
    if (found == settings.end()) throw usage_error("there is no option " + word);
    if (++i == words.size()) throw usage_error("option " + word + " needs a value");
    found->second(o, words[i]);
  }
  return o;
}

}  // namespace mx::kernels
