// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_command.cpp: inputs that distinguish kernels, and cards of kernels' outputs.
#include <fmt/format.h>

#include <memory>

#include "sim/cli/probe/probe_work.h"
#include "sim/cli/terminal/commands.h"

namespace sim::cli {
namespace {

/// Subject of a probe: blocks of a tensor, or products.
enum class probe_subject : unsigned char { tensor, product };

struct make_options {
  std::string out;
  probe_options probe;
  product_probe_options product;
  probe_subject of = probe_subject::tensor;
  std::vector<const CLI::Option*> of_products, of_tensors;
  output form = output::text;
};

struct read_options {
  std::string kernel_out, input;
  probe_options probe;
  product_options product;
  std::vector<const CLI::Option*> of_products, of_tensors;
  output form = output::text;
};

/// Refuses options that would silently have no effect.
void expect_of_subject(probe_subject subject, const std::vector<const CLI::Option*>& of_products,
                       const std::vector<const CLI::Option*>& of_tensors) {
  const bool of_product = subject == probe_subject::product;
  const std::vector<std::string> stray = given_of(of_product ? of_tensors : of_products);
  if (stray.empty()) return;
  const char* them = stray.size() == 1 ? "it" : "them";
  if (of_product) {
    throw usage_error("{}: for tensors alone; leave {} or --gemm out", fmt::join(stray, ", "),
                      them);
  }
  throw usage_error("{}: for products alone; add --gemm, or leave {} out", fmt::join(stray, ", "),
                    them);
}

int make(make_options o) {
  expect_of_subject(o.of, o.of_products, o.of_tensors);
  if (o.of == probe_subject::tensor) return make_tensor_probe(o.out, o.probe, o.form);
  o.product.format = o.probe.format;
  o.product.shape = o.probe.shape;
  return make_product_operands(o.out, o.product, o.form);
}

int read(const read_options& o) {
  const bool of_tensor = o.product.gemm.empty();
  expect_of_subject(of_tensor ? probe_subject::tensor : probe_subject::product, o.of_products,
                    o.of_tensors);
  if (of_tensor) return read_tensor_probe(o.kernel_out, o.input, o.probe, o.form);
  rule_options rules;
  rules.format = o.probe.format;
  return read_product_probe(o.product, {o.kernel_out, rules, {}, {}, {}, o.form});
}

void add_gemm_flag(CLI::App& command, make_options& o) {
  command.add_flag_callback(
      "--gemm", [&o] { o.of = probe_subject::product; },
      "Write the operands of a product: OUT is a folder for A, B and C");
}

void add_product_make_options(CLI::App& command, make_options& o) {
  add_value(command, "--b-format", o.product.b_format, "NAME",
            "Format of B, if not that of A; with --gemm also f16 bf16 tf32 e4m3 e5m2 ...");
  add_value(command, "--result", o.product.result, "NAME",
            "Type of C and D with --gemm: f32 f16 (default f32)");
  add_value(command, "--k", o.product.k, "K", "Elements along K with --gemm (default 128)")
      ->check(CLI::Range(16, 4096));
}

void add_make(CLI::App& probe, action& chosen) {
  CLI::App* command =
      probe.add_subcommand("make", "Write an input on which every two known variants differ");
  const auto o = std::make_shared<make_options>();
  add_value(*command, "-o,--output", o->out, "OUT",
            ".safetensors to write `x` to; with --gemm a folder")
      ->required();
  add_probe_options(*command, o->probe);
  o->of_tensors = {command->get_option("--dtype")};
  add_gemm_flag(*command, *o);
  o->of_products = added_by([&] { add_product_make_options(*command, *o); }, *command);
  add_json_flag(*command, o->form);
  command->footer(
      "The same few dozen blocks on every machine. For formats with a tensor scale the file has "
      "more\n"
      "tensors than `x`, since NaN, Inf or a large magnitude decides the scale of a whole tensor; "
      "a\n"
      "kernel that cannot run on these is identified from `x` alone.\n\n" +
      example("  mxprism probe make -o probe.safetensors --format mxfp4\n"
              "  mxprism probe make -o nvfp4.safetensors --format nvfp4 --dtype bf16 --shape "
              "128,128\n"));
  command->callback([o, &chosen] { chosen = [o] { return make(*o); }; });
}

void add_read(CLI::App& probe, action& chosen) {
  CLI::App* command = probe.add_subcommand("read", "Identify a kernel by its output on a probe");
  const auto o = std::make_shared<read_options>();
  command
      ->add_option("KERNEL_OUT", o->kernel_out,
                   ".safetensors with `codes` and `scales`, or `NAME.codes` and `NAME.scales`")
      ->required();
  add_value(*command, "--input", o->input, "IN",
            "The kernel's input (default: the probe of these options)");
  add_probe_options(*command, o->probe);
  for (const char* name : {"--input", "--dtype", "--shape"}) {
    o->of_tensors.push_back(command->get_option(name));
  }
  o->of_products = added_by([&] { add_product_options(*command, o->product); }, *command);
  add_json_flag(*command, o->form);
  command->footer(
      "Nothing is declared: every known recipe is tried, in every known packing and layout. The "
      "card\n"
      "lists each property that only one value explains; for others it lists the remaining values "
      "and\n"
      "inputs that would distinguish them. Exit status 1 if no known recipe gives every byte: the\n"
      "card then lists what scales and codes show by themselves, and the nearest recipes.\n\n" +
      example("  mxprism probe make -o probe.safetensors --format mxfp4\n"
              "  mxprism quantize probe.safetensors -o out.safetensors --variant torchao.rceil\n"
              "  mxprism probe read out.safetensors --input probe.safetensors\n"
              "  mxprism probe make --gemm -o operands --format mxfp4\n"
              "  mxprism gemm operands/a.safetensors operands/b.safetensors --model blackwell.mxf4 "
              "--c operands/c.safetensors -o d.safetensors\n"
              "  mxprism probe read d.safetensors --gemm operands/a.safetensors "
              "operands/b.safetensors --c operands/c.safetensors\n"));
  command->callback([o, &chosen] { chosen = [o] { return read(*o); }; });
}

}  // namespace

void add_probe(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "probe", "Make an input that distinguishes kernels, and identify a kernel by its output");
  command->require_subcommand(1);
  add_make(*command, chosen);
  add_read(*command, chosen);
  command->footer("`mxprism probe make --help` and `mxprism probe read --help` have more.\n\n" +
                  example("  mxprism probe make -o probe.safetensors --format mxfp4\n"
                          "  mxprism quantize probe.safetensors -o out.safetensors --format mxfp4\n"
                          "  mxprism probe read out.safetensors --input probe.safetensors\n"));
}

}  // namespace sim::cli
