// SPDX-License-Identifier: Apache-2.0
// kernels/verify/options.cpp: command-line arguments of mx_verify.
#include "options.h"

namespace mx::kernels {

const char* usage_text() {
  return R"(usage: mx_verify [--only TEXT] [--golden FOLDER] [--repro FOLDER] [--json FILE]
                 [--small] [--no-times]
Asks every launcher what it must refuse; runs every kernel on the first CUDA device, and
compares each byte with the emulator's core and with what golden/reference gave; times the
kernels beside yardsticks of the same run: a copy or a read of as many bytes in the
device's memory, cuBLAS' product of the same numbers in BF16.
  --only TEXT      cases and measures whose name holds TEXT; those of measures begin with
                   cuda.
  --golden FOLDER  folder of golden's words and blocks (default golden/vectors)
  --repro FOLDER   folder for differing cases (default mx_verify.repro)
  --json FILE      also write results and times to FILE, as one JSON object
  --small          skip matrices of 4096 x 4096 and products of 512 x 512 x 512
  --no-times       skip the times
Exit status: 0 all bytes agree, 1 some differ, 2 bad arguments, 3 a CUDA error or no device.
Missed speed goals do not change it.
example: mx_verify --only quantize.mxfp4
)";
}

options options_of(const std::vector<std::string>& words) {
  options o;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&] {
      if (++i == words.size()) throw usage_error("option " + word + " needs a value");
      return words[i];
    };
    if (word == "-h" || word == "--help") {
      o.usage = help::wanted;
    } else if (word == "--no-times") {
      o.speed = times::left_out;
    } else if (word == "--small") {
      o.size = sizes::small;
    } else if (word == "--only") {
      o.only = value();
    } else if (word == "--golden") {
      o.golden = value();
    } else if (word == "--repro") {
      o.repro = value();
    } else if (word == "--json") {
      o.json = value();
    } else {
      throw usage_error("there is no option " + word);
    }
  }
  return o;
}

}  // namespace mx::kernels
