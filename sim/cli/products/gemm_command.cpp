// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/gemm_command.cpp: a whole product under a model of a tensor core: reads or
// quantizes A and B, multiplies, writes D and its recipe.
#include <fmt/format.h>

#include <memory>

#include "golden/io/counted.h"
#include "sim/cli/formats/listed_formats.h"
#include "sim/cli/products/gemm_matrices.h"
#include "sim/cli/products/plan_options.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/output_file.h"
#include "sim/cli/terminal/progress_bar.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

struct gemm_options {
  std::string a, b, out, model;
  std::optional<std::string> b_format, c;
  rule_options rules;
  plan_options plan;
  output form = output::text;
};

/// The factors of a product, and its plan.
struct product {
  const mx::named_model* model = nullptr;
  gemm_factor a, b;
  mx::gemm_plan plan;
  std::vector<std::uint32_t> c;

  [[nodiscard]] std::uint64_t m() const { return a.lines; }
  [[nodiscard]] std::uint64_t n() const { return b.lines; }
};

std::vector<std::uint32_t> multiplied(const product& p) {
  const std::optional<std::uint64_t> size = io::element_count({p.m(), p.n()});
  std::vector<std::uint32_t> d(size.value_or(~std::uint64_t{0}));
  progress_bar bar("elements of D", d.size());
  const mx::gemm_shape shape{static_cast<std::int64_t>(p.m()), static_cast<std::int64_t>(p.n()),
                             static_cast<std::int64_t>(p.a.padded)};
  mx::gemm(p.plan, shape, p.a.operand(), p.b.operand(), p.c.empty() ? nullptr : p.c.data(),
           d.data(), [&bar](std::uint64_t elements) { bar.advance(elements); });
  return d;
}

io::metadata notes_of(const gemm_options& o, const product& p) {
  return {{"model", std::string(p.model->name)},
          {"evidence", std::string(mx::name_of(p.model->rests_on))},
          {"plan", plan_json(p.plan).dump()},
          {"a_format", p.a.name},
          {"b_format", p.b.name},
          {"k", std::to_string(p.a.k)},
          {"order", order_name(o.plan.d_order)},
          {"c", o.c ? "given" : "none"}};
}

constexpr const char* origin_names[] = {"quantized", "stored", "converted"};

ordered_json factor_json(const gemm_factor& f) {
  ordered_json json{{"file", f.tensor.source.path},
                    {"tensor", f.tensor.name},
                    {"shape", f.tensor.shape},
                    {"format", f.name},
                    {"origin", origin_names[static_cast<int>(f.origin)]},
                    {"rules", f.rules},
                    {"special_blocks", f.special_blocks}};
  if (f.tensor_scale) json["tensor_scale"] = json_number(static_cast<double>(*f.tensor_scale));
  return json;
}

void print_factor(const char* name, const gemm_factor& f) {
  fmt::print("{}: {} {} in {}, {} ({})", name, f.tensor.source.path, io::shape_text(f.tensor.shape),
             f.name, origin_names[static_cast<int>(f.origin)], f.rules);
  if (f.special_blocks > 0) {
    fmt::print(", {} with NaN or Inf", io::counted(f.special_blocks, "block"));
  }
  if (f.tensor_scale) fmt::print(", times {}", *f.tensor_scale);
  fmt::print("\n");
}

void print_object(const gemm_options& o, const product& p) {
  print_json({{"output", o.out},
              {"model", p.model->name},
              {"evidence", mx::name_of(p.model->rests_on)},
              {"source", p.model->source},
              {"doubts", p.model->doubts},
              {"m", p.m()},
              {"n", p.n()},
              {"k", p.a.k},
              {"k_padded", p.a.padded},
              {"a", factor_json(p.a)},
              {"b", factor_json(p.b)},
              {"order", order_name(o.plan.d_order)},
              {"c", o.c ? ordered_json(*o.c) : ordered_json()},
              {"plan", plan_json(p.plan)}});
}

void print(const gemm_options& o, const product& p) {
  if (o.form == output::json) return print_object(o, p);
  fmt::print("{}\n{}", p.model->name, evidence_lines(*p.model));
  print_factor("A", p.a);
  print_factor("B", p.b);
  if (o.c) fmt::print("C: {}\n", *o.c);
  fmt::print("M = {}, N = {}, K = {}", p.m(), p.n(), p.a.k);
  if (p.a.padded != p.a.k) fmt::print(", padded with zeros to {}", p.a.padded);
  fmt::print("\nplan:");
  const ordered_json plan = plan_json(p.plan);
  for (const auto& [key, value] : plan.items()) {
    fmt::print(" {} {}", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  fmt::print("\n{}\n", o.out);
}

int run_gemm(const gemm_options& o) {
  const mx::named_model& model = model_chosen(o.model);
  expect_writable(o.out, {".safetensors"});
  rule_options of_b = o.rules;
  if (o.b_format) of_b.format = o.b_format;
  product p;
  const io::tensor_file a = load_codes(o.a).file, b = load_codes(o.b).file;
  for (const io::tensor_file& in : {a, b}) expect_no_input(o.out, files_under(in));
  if (o.c) expect_no_input(o.out, {*o.c});
  p.a = factor_of(a, {factor_side::a, model, o.rules, o.plan.a_order});
  p.b = factor_of(b, {factor_side::b, model, of_b, o.plan.b_order});
  expect_same_k(p.a, p.b);
  expect_used(o.rules, p.a, p.b);
  p.plan = plan_of(model, o.plan, p.a, p.b);
  p.model = &model_told(model, p.plan.model);
  const matrix_place d{p.m(), p.n(), o.plan.d_order};
  if (o.c) p.c = addends(*o.c, p.plan.model.sum.result, d);
  save_matrix(o.out, multiplied(p), p.plan.output, d, notes_of(o, p));
  print(o, p);
  return exit_status::done;
}

}  // namespace

void add_gemm(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "gemm", "Multiply two matrices under a tensor-core model: D = alpha (A B + C)");
  const auto o = std::make_shared<gemm_options>();
  command->add_option("A", o->a, "(M, K) or (K): .safetensors or .npy with numbers, or with codes")
      ->required();
  command->add_option("B", o->b, "(K, N) or (K); codes and scales are stored as (N, K)")
      ->required();
  add_model_option(*command, o->model);
  add_value(*command, "-o,--output", o->out, "OUT", ".safetensors to write `d` (M, N) to")
      ->required();
  add_value(*command, "--c", o->c, "FILE",
            "Laid out as D, in the type of the model's result, F16 or BF16");
  add_plan_options(*command, o->plan);
  add_rule_options(*command, o->rules, rule_scope::uncorrected);
  add_value(*command, "--b-format", o->b_format, "NAME", "Format of B, if not that of A");
  add_json_flag(*command, o->form);
  command->footer(
      "Numbers (F32, F16, BF16) are quantized on the way, A and B in blocks along K, which is\n"
      "padded with zeros to whole blocks; the default format is the model's, and mxfp4 if it\n"
      "takes any. Models without scales take numbers rounded to their format, except TF32, which\n"
      "reads the upper 19 bits of FP32; --format none takes numbers unrounded. In column-major\n"
      "order A is a tensor (K, M), B (N, K), C and D (N, M). Files with `codes` and `scales` are\n"
      "as `quantize` writes them, K being the axis of their blocks. NVFP4's tensor scales are\n"
      "multiplied into alpha:\n"
      "RNE32(alpha * RNE32(a * b)).\n\n" +
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism gemm x.npy x.npy --model blackwell.mxf4 -o d.safetensors\n"
              "  mxprism gemm x.npy x.npy --model blackwell.mxf4nvf4 -o d.safetensors --out bf16\n"
              "  mxprism gemm x.npy x.npy --model hopper.mma.bf16.f32 -o d.safetensors\n"
              "  mxprism quantize x.npy -o coded.safetensors --format mxfp8-e4m3\n"
              "  mxprism gemm coded.safetensors coded.safetensors --model fp32.sequential -o "
              "d.safetensors --promote 128\n"));
  command->callback([o, &chosen] { chosen = [o] { return run_gemm(*o); }; });
}

}  // namespace sim::cli
