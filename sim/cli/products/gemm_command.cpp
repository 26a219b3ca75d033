// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/gemm_command.cpp: a whole product under a model of a tensor core: reads or
// quantizes A and B, multiplies, writes D with how it was made.
#include "sim/cli/products/gemm_command.h"

#include <fmt/format.h>

#include <memory>

#include "golden/io/widen.h"
#include "sim/cli/formats/listed_model.h"
#include "sim/cli/products/code_view.h"
#include "sim/cli/products/plan_options.h"
#include "sim/cli/rules/number_format.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/output_file.h"
#include "sim/cli/terminal/progress_bar.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

struct options {
  std::string a, b, c, out, model;
  std::optional<std::string> b_format;
  rule_options rules;
  plan_options plan;
  output form = output::text;
};

/// What is multiplied, and how.
struct product {
  const mx::named_model& model;
  gemm_factor a, b;
  mx::gemm_plan plan;
  std::vector<std::uint32_t> c;

  [[nodiscard]] std::uint64_t m() const { return a.lines; }
  [[nodiscard]] std::uint64_t n() const { return b.lines; }
};

gemm_factor loaded(const std::string& path, factor_side side, const mx::named_model& model,
                   const rule_options& rules) {
  return factor_of(io::load(path), {side, model, rules});
}

void expect_same_k(const gemm_factor& a, const gemm_factor& b) {
  if (a.k == b.k) return;
  throw io::file_error(b.tensor.source, b.tensor.name,
                       fmt::format("has K = {} (shape {}); {} has K = {} (shape {})", b.k,
                                   io::shape_text(b.tensor.shape), a.tensor.source, a.k,
                                   io::shape_text(a.tensor.shape)));
}

/// C in the bits of the model's result.
std::vector<std::uint32_t> addends(const std::string& path, const product& p) {
  const io::tensor_file file = io::load(path);
  const io::tensor& t = tensor_in(file, "c");
  const std::vector<std::uint64_t> shape{p.m(), p.n()};
  if (t.shape != shape) {
    throw io::file_error(t.source, t.name,
                         fmt::format("has the shape {}; expected that of D, {}",
                                     io::shape_text(t.shape), io::shape_text(shape)));
  }
  const mx::format& f = p.plan.model.sum.result;
  const bool narrower = t.type == io::dtype::f16 || t.type == io::dtype::bf16;
  std::vector<std::uint32_t> c(*io::element_count(t.shape));
  if (f == mx::formats::binary32 && narrower) {
    const std::vector<float> numbers = io::to_float32(t);
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = mx::bits_of(numbers[i]);
    return c;
  }
  expect_codes_of(t, f, number_format_name(f));
  code_view(t).copy(0, c.size(), c.data());
  return c;
}

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

io::metadata notes_of(const options& o, const product& p) {
  io::metadata notes{{"model", std::string(p.model.name)},
                     {"evidence", std::string(mx::name_of(p.model.rests_on))},
                     {"plan", plan_json(p.plan).dump()},
                     {"a_format", p.a.name},
                     {"b_format", p.b.name},
                     {"k", std::to_string(p.a.k)},
                     {"c", o.c.empty() ? "none" : "given"}};
  return notes;
}

void save_product(const options& o, const product& p, const std::vector<std::uint32_t>& d) {
  const io::dtype type = type_of(p.plan.output);
  const unsigned width = io::bits_of(type) / 8;
  byte_buffer bytes(d.size() * width);
  std::uint8_t* out = bytes.data();
  for (const std::uint32_t code : d) {
    for (unsigned k = 0; k < width; ++k) *out++ = static_cast<std::uint8_t>(code >> 8 * k);
  }
  const io::tensor t{"d", type, {p.m(), p.n()}, bytes.view(), o.out};
  io::save(o.out, {&t, 1}, notes_of(o, p));
}

constexpr const char* origin_names[] = {"quantized", "stored", "converted"};

ordered_json factor_json(const gemm_factor& f) {
  ordered_json json{{"file", f.tensor.source},
                    {"tensor", f.tensor.name},
                    {"shape", f.tensor.shape},
                    {"format", f.name},
                    {"origin", origin_names[static_cast<int>(f.origin)]},
                    {"rules", f.rules},
                    {"special_blocks", f.special_blocks}};
  if (f.tensor_scale) json["tensor_scale"] = number_json(static_cast<double>(*f.tensor_scale));
  return json;
}

void print_factor(const char* name, const gemm_factor& f) {
  fmt::print("{}: {} {} in {}, {} ({})", name, f.tensor.source, io::shape_text(f.tensor.shape),
             f.name, origin_names[static_cast<int>(f.origin)], f.rules);
  if (f.special_blocks > 0) {
    fmt::print(", {} with NaN or Inf", counted(f.special_blocks, "block"));
  }
  if (f.tensor_scale) fmt::print(", times {}", *f.tensor_scale);
  fmt::print("\n");
}

void print_text(const options& o, const product& p) {
  fmt::print("{}\n{}", p.model.name, evidence_lines(p.model));
  print_factor("A", p.a);
  print_factor("B", p.b);
  if (!o.c.empty()) fmt::print("C: {}\n", o.c);
  fmt::print("M = {}, N = {}, K = {}", p.m(), p.n(), p.a.k);
  if (p.a.padded != p.a.k) fmt::print(", padded with zeros to {}", p.a.padded);
  fmt::print("\nplan:");
  const ordered_json plan = plan_json(p.plan);
  for (const auto& [key, value] : plan.items()) {
    fmt::print(" {} {}", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  fmt::print("\n{}\n", o.out);
}

void print_object(const options& o, const product& p) {
  print_json({{"output", o.out},
              {"model", p.model.name},
              {"evidence", mx::name_of(p.model.rests_on)},
              {"source", p.model.source},
              {"doubts", p.model.doubts},
              {"m", p.m()},
              {"n", p.n()},
              {"k", p.a.k},
              {"k_padded", p.a.padded},
              {"a", factor_json(p.a)},
              {"b", factor_json(p.b)},
              {"c", o.c.empty() ? ordered_json() : ordered_json(o.c)},
              {"plan", plan_json(p.plan)}});
}

int run(const options& o) {
  const mx::named_model& model = model_chosen(o.model);
  expect_writable(o.out, {".safetensors"});
  rule_options of_b = o.rules;
  if (o.b_format) of_b.format = o.b_format;
  product p{model,
            loaded(o.a, factor_side::a, model, o.rules),
            loaded(o.b, factor_side::b, model, of_b),
            {},
            {}};
  expect_same_k(p.a, p.b);
  p.plan = plan_of(model, o.plan, p.a, p.b);
  if (!o.c.empty()) p.c = addends(o.c, p);
  save_product(o, p, multiplied(p));
  if (o.form == output::json) {
    print_object(o, p);
  } else {
    print_text(o, p);
  }
  return exit_status::done;
}

}  // namespace

void add_gemm(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "gemm", "Multiply two matrices under a tensor-core model: D = alpha * A * B + C");
  const auto o = std::make_shared<options>();
  command->add_option("A", o->a, "(M, K) or (K): .safetensors or .npy with numbers, or with codes")
      ->required();
  command->add_option("B", o->b, "(K, N) or (K); codes and scales are stored as (N, K)")
      ->required();
  add_model_option(*command, o->model);
  command->add_option("-o,--output", o->out, ".safetensors to write `d` (M, N) to")
      ->required()
      ->type_name("OUT");
  command->add_option("--c", o->c, "(M, N) in the type of the model's result, F16 or BF16")
      ->type_name("FILE");
  add_plan_options(*command, o->plan);
  add_rule_options(*command, o->rules);
  command->add_option("--b-format", o->b_format, "Of B, where it is not that of A")
      ->type_name("NAME");
  add_json_flag(*command, o->form);
  command->footer(
      "Numbers (F32, F16, BF16) are quantized on the way, A and B in blocks along K, which is\n"
      "padded with zeros to whole blocks; the default format is the model's, and mxfp4 where it\n"
      "takes any. Models without scales take numbers rounded to their format; --format none takes\n"
      "numbers as they are. Files with `codes` and `scales` are as `quantize` writes them, K "
      "being\n"
      "the axis of their blocks. NVFP4's tensor scales are multiplied into alpha:\n"
      "RNE32(alpha * RNE32(a * b)).\n\n" +
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism gemm x.npy x.npy --model blackwell.mxf4 -o d.safetensors\n"
              "  mxprism gemm x.npy x.npy --model blackwell.mxf4nvf4 -o d.safetensors --out bf16\n"
              "  mxprism gemm x.npy x.npy --model hopper.mma.bf16.f32 -o d.safetensors\n"
              "  mxprism quantize x.npy -o coded.safetensors --format mxfp8-e4m3\n"
              "  mxprism gemm coded.safetensors coded.safetensors --model fp32.sequential "
              "-o d.safetensors --promote 128\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
