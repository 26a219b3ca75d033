// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_read.cpp: finds the tensors of an output, and the recipes that explain them.
#include "sim/cli/probe/probe_work.h"

#include <fmt/format.h>

#include "sim/cli/probe/card_report.h"
#include "sim/cli/quantize/coded_notes.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/progress_bar.h"
#include "sim/cli/verify/verify_files.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
using golden::validator::subject;

constexpr std::uint64_t most_elements = 1 << 21;

/// Input of a kernel: a file, or a probe that is rebuilt.
struct probe_input {
  io::tensor_list list;
  std::optional<io::tensor_file> file;
  golden::probe::probe made;
  std::string format;
};

void expect_format(const io::tensor_file& file, const std::string& format) {
  if (format.starts_with('@')) {
    refuse_file(file, "its metadata `format` names a file; expected a format");
  }
  try {
    static_cast<void>(probed_recipe({}, format));
  } catch (const usage_error& wrong) {
    refuse_file(file, "its metadata: {}", wrong.what());
  }
}

probe_input input_in(const std::string& path, const probe_options& options) {
  probe_input in;
  in.file = load_numbers(path);
  in.list.tensors = in.file->tensors();
  const std::string* format = note(*in.file, "format");
  // Of a file's own format, errors name the file; one with @ would refer to another.
  if (!options.format && format != nullptr) expect_format(*in.file, *format);
  in.format = options.format.value_or(format != nullptr ? *format : "mxfp4");
  for (const io::tensor& t : in.list.tensors) {
    if (io::element_count(t.shape).value_or(most_elements + 1) <= most_elements) continue;
    throw io::file_error(path, t.name,
                         fmt::format("has the shape {}; a probe has at most 2^21 elements: cut "
                                     "some blocks out, or use `probe make`",
                                     io::shape_text(t.shape)));
  }
  return in;
}

probe_input input_made(const probe_options& options) {
  probe_input in;
  in.format = options.format.value_or("mxfp4");
  const auto request = request_of(options, probed_recipe(options, "mxfp4"));
  in.made = requested_probe(request, golden::probe::probe_part::tensors);
  for (const golden::probe::probe_tensor& t : in.made.tensors) {
    in.list.tensors.push_back(tensor_of(t, request.type, "the probe"));
  }
  return in;
}

bool has_codes(const io::tensor_file& output, const std::string& name, array_names names) {
  return output.find(name + ".codes") != nullptr ||
         (names == array_names::bare_too && output.find("codes") != nullptr);
}

/// The tensors of the input that the output contains.
std::vector<subject> subjects_of(const probe_input& in, const io::tensor_file& output,
                                 card_report& report) {
  std::vector<subject> subjects;
  for (const io::tensor& x : in.list.tensors) {
    const bool bare = x.name == "x" || in.list.tensors.size() == 1;
    const array_names names = bare ? array_names::bare_too : array_names::with_tensor;
    if (!has_codes(output, x.name, names)) {
      report.missing.push_back(x.name);
      continue;
    }
    subjects.push_back(subject_of(x, output, names));
    report.read.push_back(x.name);
  }
  if (!subjects.empty()) return subjects;
  refuse_file(output,
              "has no codes of a tensor of the input ({}); expected `codes` and `scales`, or the "
              "same after a tensor's name, as `mxprism quantize` writes them",
              fmt::join(report.missing, ", "));
}

golden::probe::variant_card read_card(const mx::block_format& f,
                                      const std::vector<subject>& subjects) {
  progress_bar bar("known recipes", 1000);
  return golden::probe::card_of(f, subjects, [&bar](std::uint64_t done) { bar.advance(done); });
}

void expect_known_sizes(const golden::probe::variant_card& card, const io::tensor_file& output,
                        const std::vector<subject>& subjects, const std::string& format) {
  if (card.has_known_sizes) return;
  const subject& s = subjects.front();
  throw io::file_error(output.path(), s.name,
                       fmt::format("has {} bytes of codes and {} of scales for {} numbers, which "
                                   "no known packing and layout of {} makes",
                                   s.codes.size(), s.scales.size(), s.elements(), format));
}

}  // namespace

int read_tensor_probe(const std::string& kernel_out, const std::string& input,
                      const probe_options& options, output form) {
  const probe_input in = input.empty() ? input_made(options) : input_in(input, options);
  const mx::recipe r = probed_recipe(options, in.format);
  const io::tensor_file out = io::load(kernel_out);
  card_report report{kernel_out, mx::format_word(r), {}, {}, {}};
  const std::vector<subject> subjects = subjects_of(in, out, report);
  report.card = read_card(r.format(), subjects);
  expect_known_sizes(report.card, out, subjects, report.format);
  print(report, form);
  return report.card.explained ? exit_status::done : exit_status::difference;
}

}  // namespace sim::cli
