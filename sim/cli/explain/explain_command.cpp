// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain/explain_command.cpp: one block from the command line, step by step.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "golden/io/tensor_file.h"
#include "sim/cli/explain/explain_words.h"
#include "sim/cli/explain/explained_variant.h"
#include "sim/cli/rules/chosen_recipe.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/output_file.h"

namespace sim::cli {
namespace {

struct options {
  std::vector<std::string> values;
  rule_options rules;
  std::string save;
  output form = output::text;
};

/// The FP32 number nearest to a decimal or hexadecimal one, ties to even; or inf, nan.
float number_of(const std::string& text) {
  char* end = nullptr;
  const float value = std::strtof(text.c_str(), &end);
  if (end != text.c_str() && *end == '\0') return value;
  throw usage_error("{} is not a number; expected for example 0.3, -1.5e-3, 0x1.8p-2, inf or nan",
                    golden::io::printable(text));
}

std::vector<float> numbers_of(const std::vector<std::string>& texts, const mx::block_format& f) {
  const auto size = static_cast<std::size_t>(f.size());
  if (texts.size() > size) {
    throw usage_error("{} values were given; a block of {} holds at most {}", texts.size(),
                      mx::spelling_of(f), size);
  }
  std::vector<float> numbers;
  for (const std::string& text : texts) numbers.push_back(number_of(text));
  return numbers;
}

mx::recipe explainable_recipe(const rule_options& requested) {
  const mx::recipe r = recipe_of(requested);
  if (r.has_preset() || r.is_plain()) return r;
  throw usage_error(
      "--format {}: explain shows one block alone; leave what follows the first + out",
      mx::format_word(r));
}

void save(const std::string& path, const std::vector<float>& x) {
  const golden::io::byte_view bytes(reinterpret_cast<const std::uint8_t*>(x.data()),
                                    x.size() * sizeof(float));
  const golden::io::tensor tensor{"x", golden::io::dtype::f32, {x.size()}, bytes, path};
  golden::io::save(path, {&tensor, 1});
}

/// Prints the explanation as text or JSON.
template <class Explained>
void print(const Explained& block, output form) {
  if (form == output::json) return print_json(json_of(block));
  fmt::print("{}", text_of(block));
}

int run(const options& o) {
  const mx::recipe r = explainable_recipe(o.rules);
  const std::vector<float> x = numbers_of(o.values, r.format());
  if (!o.save.empty()) {
    expect_writable(o.save, {".npy", ".safetensors"});
    save(o.save, x);
  }
  if (r.has_preset()) {
    print(explained_by(r, x), o.form);
  } else {
    print(explained(x, r.rules), o.form);
  }
  return exit_status::done;
}

}  // namespace

void add_explain(CLI::App& program, action& chosen) {
  CLI::App* command =
      program.add_subcommand("explain", "Quantize one block step by step, in bits and in words");
  const auto o = std::make_shared<options>();
  add_value(*command, "VALUE", o->values, "",
            "Numbers of one block, each rounded to FP32; the rest is zero")
      ->required();
  add_rule_options(*command, o->rules, rule_scope::uncorrected);
  add_value(*command, "--save", o->save, "FILE",
            "Also write the values as a tensor, .npy or .safetensors");
  add_json_flag(*command, o->form);
  command->footer(
      example("  mxprism explain 0.3 -1.2 4.7 --format mxfp4 --scale-rule rceil\n"
              "  mxprism explain 0.3 -1.2 4.7 --format nvfp4\n"
              "  mxprism explain 0.3 -1.2 4.7 --format mxfp8-e4m3 --rounding stochastic --seed 7\n"
              "  mxprism explain 0.3 -1.2 4.7 --variant ggml.mxfp4\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
