// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_command.cpp: a bit-exact verdict on a kernel's output.
#include <fmt/format.h>

#include <memory>

#include "golden/io/replaced_file.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/progress_bar.h"
#include "sim/cli/terminal/standard_streams.h"
#include "sim/cli/verify/bundle_folder.h"
#include "sim/cli/verify/product_command.h"
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

///   of_products, of_codes  options that have no effect on the other subject
struct options : verify_request {
  std::string input;
  golden::io::name_patterns names;
  product_options product;
  std::vector<const CLI::Option*> of_products, of_codes;
};

declared_recipe declared_of(const options& o) {
  const bool asked = o.rules.packing.has_value();
  return {{recipe_of(o.rules), asked ? packing_source::words : packing_source::shapes},
          o.rules.axis};
}

std::uint64_t blocks_of(const gv::hypothesis& r, const verified_files& files) {
  std::uint64_t blocks = 0;
  for (const gv::subject& s : files.subjects) blocks += gv::geometry::of(r, s)->blocks();
  return blocks;
}

/// Refuses --repro where a block alone is another one than in its tensor.
void expect_blocks_alone(const mx::recipe& r) {
  const char* why = nullptr;
  if (gv::is_of_whole({{}, r})) why = "makes a block from others too";
  if (r.format().tensor == mx::tensor_scaling::per_row) why = "has a scale of its row";
  if (mx::draws_bits(r)) why = "draws random bits by a block's place";
  if (why == nullptr) return;
  throw usage_error("--repro: {} {}, so that no block alone shows a difference; leave --repro out",
                    option_of(r), why);
}

/// Writes the block that differs, where a block alone shows that.
void replay_in_folder(const verified& v, const std::string& folder) {
  if (v.found.verdict == gv::verdict::exact) return remove_bundle(folder);
  if (v.found.tensors[v.found.first_differing()].fits) return write_bundle(v, folder);
  remove_bundle(folder);
  say("mxprism: --repro: the sizes differ, so that no block alone shows the difference; nothing "
      "was written\n");
}

int run_tensor_verification(const options& o) {
  const declared_recipe declared = declared_of(o);
  if (!o.repro.empty()) expect_blocks_alone(declared.recipe);
  expect_writable_extras(o);
  const verified_files files = files_of(o.input, o.names, o.kernel_out, declared.recipe);
  const gv::hypothesis rules = recipe_of(declared, files);
  gv::diagnosis found;
  {
    progress_bar bar("verify", blocks_of(rules, files));
    const auto advance = [&](std::uint64_t n) { bar.advance(n); };
    found = gv::diagnose(rules, files.subjects, {}, advance);
  }
  expect_sizes(rules, files, found);
  if (o.form == output::json) {
    print_json(report_json(found));
  } else {
    fmt::print("{}", gv::report_text(found));
  }
  if (!o.junit.empty()) golden::io::write_text(o.junit, report_junit(found, o.kernel_out));
  if (!o.report.empty()) {
    golden::io::write_text(
        o.report, report_page(found, fmt::format("{}: the codes and scales of {}, {}", o.kernel_out,
                                                 o.input, mx::format_word(declared.recipe))));
  }
  if (!o.repro.empty()) replay_in_folder({files, declared, rules, found}, o.repro);
  return found.verdict == gv::verdict::exact ? exit_status::done : exit_status::difference;
}

/// Refuses options that would silently have no effect.
void expect_of_subject(const options& o) {
  const bool is_product = !o.product.gemm.empty();
  const std::vector<std::string> stray = given_of(is_product ? o.of_codes : o.of_products);
  if (stray.empty()) return;
  const char* them = stray.size() == 1 ? "it" : "them";
  if (is_product) {
    throw usage_error("{}: a product has no codes; leave {} or --gemm out", fmt::join(stray, ", "),
                      them);
  }
  throw usage_error("{}: for a product alone; add --gemm A B, or leave {} out",
                    fmt::join(stray, ", "), them);
}

/// Entry point of every kind of verification.
int run(const options& o) {
  expect_of_subject(o);
  if (o.product.gemm.empty()) {
    if (o.input.empty()) throw usage_error("verify needs --input IN, or --gemm A B for a product");
    return run_tensor_verification(o);
  }
  if (!o.input.empty()) throw usage_error("--input and --gemm do not go together");
  return verify_product(o.product, o);
}

}  // namespace

void add_verify(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "verify",
      "Compare a kernel's codes and scales, or its product, with what is right, bit by bit");
  const auto o = std::make_shared<options>();
  command
      ->add_option("KERNEL_OUT", o->kernel_out,
                   ".safetensors with `codes` and `scales`; with --gemm, with `d`")
      ->required();
  add_value(*command, "--input", o->input, "IN", "The numbers that the kernel was given");
  o->of_products = added_by([&] { add_product_options(*command, o->product); }, *command);
  add_rule_options(*command, o->rules);
  o->of_codes = added_by(
      [&] {
        add_tensors_option(*command, o->names);
        add_axis_option(*command, o->rules);
        add_storage_options(*command, o->rules);
      },
      *command);
  add_value(*command, "--junit", o->junit, "FILE.xml", "Write the verdict as JUnit's XML too");
  add_value(*command, "--report", o->report, "FILE.html",
            "Also write one self-contained HTML page");
  add_value(*command, "--repro", o->repro, "DIR",
            "Write the smallest block, or with --gemm the element of D, that differs into a new "
            "folder, or in place of what --repro wrote there before");
  add_json_flag(*command, o->form);
  command->footer(
      R"(Codes and scales are compared bit by bit: +0 and -0 differ. If they differ, `verify` names the
places of all differences, and searches for the smallest change of the declared rules that gives
every byte of the output, everywhere or in the part that differs: every 2nd row, rows 128..255,
codes 8..15 of each block; else for a change for each tensor that differs. The options declare the
intended rules; metadata of KERNEL_OUT are not read. For formats with corrections or two passes,
every array that `quantize` writes is compared, and one other option, or one correction left out,
may explain a difference.
Exit status 1 if anything differs, even if the difference is explained.

With --gemm every model that `gemm` would take for A and B under the same options computes
D: a model is consistent with every element, or the first element that excludes it is shown.
If no model is consistent, plans that differ in one thing are tried (rounding of the output,
promotion, parts of K, where C enters, alpha and tensor scales left out, inverted or multiplied in
another order), and other scale rules and roundings of numbers in A and B.
Every element is compared with a proven bound of the declared model's class that holds for any
order of K. Exit status 0 where the declared model (without --model: any) is consistent, else 1.

)" + example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
             "  mxprism quantize x.npy -o coded.safetensors --format mxfp4\n"
             "  mxprism verify coded.safetensors --input x.npy --format mxfp4 --report v.html\n"
             "  mxprism gemm x.npy x.npy --model blackwell.mxf4 -o d.safetensors\n"
             "  mxprism verify d.safetensors --gemm x.npy x.npy --model blackwell.mxf4\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
