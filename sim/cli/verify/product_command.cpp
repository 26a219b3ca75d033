// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_command.cpp: `verify --gemm`: the models of tensor cores that a kernel's
// product is consistent with.
#include "sim/cli/verify/product_command.h"

#include "golden/io/replaced_file.h"
#include "sim/cli/terminal/output_file.h"
#include "sim/cli/terminal/progress_bar.h"
#include "sim/cli/verify/bundle_folder.h"
#include "sim/cli/verify/product_report.h"

namespace sim::cli {
namespace {

/// The diagnosis, with a progress bar for the models and one for the elements.
product_diagnosis watched_diagnosis(const product_files& files) {
  std::optional<progress_bar> models, elements;
  models.emplace("models", files.candidates.size());
  const auto bounded = [&] {
    models.reset();
    elements.emplace("elements against their bound", files.d.size());
    return [&elements](std::uint64_t count) { elements->advance(count); };
  };
  return diagnose(files.inputs(), {[&] { models->advance(1); }, bounded});
}

void print(const product_diagnosis& d, output form) {
  if (form == output::json) return print_json(json_of(d));
  const auto broken = [](const std::string& line) { return wrapped(line, 4, 2); };
  fmt::print("{}", golden::validator::report_text(d, broken));
}

}  // namespace

void add_product_options(CLI::App& command, product_options& o) {
  add_value(command, "--gemm", o.gemm, "A B",
            "Verify a product: the operands A and B as `gemm` takes them; KERNEL_OUT holds `d`")
      ->expected(2);
  add_value(command, "--model", o.model, "NAME",
            "The model that the product is declared to follow; default: any");
  add_value(command, "--c", o.c, "FILE",
            "Laid out like D, in the type of the model's result, F16 or BF16");
  add_plan_options(command, o.plan);
  add_value(command, "--b-format", o.b_format, "NAME", "Of B, where it is not that of A");
}

void expect_writable_extras(const verify_request& request) {
  if (!request.junit.empty()) expect_writable(request.junit, {".xml"});
  if (!request.report.empty()) expect_writable(request.report, {".html"});
  if (!request.repro.empty()) expect_bundle_folder(request.repro);
}

int verify_product(const product_options& options, const verify_request& request) {
  expect_writable_extras(request);
  const product_files files = product_files_of(options, request);
  const product_diagnosis found = watched_diagnosis(files);
  const bool exact = found.verdict == golden::validator::verdict::exact;
  print(found, request.form);
  if (!request.junit.empty()) golden::io::write_text(request.junit, junit_of(found));
  if (!request.report.empty()) {
    golden::io::write_text(
        request.report,
        page_of(found, fmt::format("{}: the product of {} and {}", request.kernel_out,
                                   options.gemm[0], options.gemm[1])));
  }
  if (!request.repro.empty() && exact) remove_bundle(request.repro);
  if (!request.repro.empty() && !exact) write_bundle(options, files, found, request.repro);
  return exact ? exit_status::done : exit_status::difference;
}

}  // namespace sim::cli
