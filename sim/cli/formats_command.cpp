// SPDX-License-Identifier: Apache-2.0
// sim/cli/formats_command.cpp: lists everything that works, and nothing else.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "mx/block.h"
#include "sim/cli/json_text.h"
#include "sim/cli/rule_options.h"

namespace sim::cli {
namespace {

struct group {
  const char *title, *key;
  std::span<const named_choice> choices;
};

std::array<group, 6> groups() {
  return {{{"Formats (--format)", "formats", formats()},
           {"Scale rules (--scale-rule)", "scale_rules", scale_rules()},
           {"Roundings (--rounding)", "roundings", roundings()},
           {"Packings (--packing)", "packings", packings()},
           {"Layouts of scales (--layout)", "layouts", layouts()},
           {"Variants (--variant)", "variants", variants()}}};
}

/// Magnitudes of the codes without the sign bit.
std::vector<float> magnitudes() {
  std::vector<float> values;
  for (std::uint32_t code = 0; code <= mx::formats::e2m1.max_code(); ++code) {
    values.push_back(mx::to_binary32(mx::decode(mx::formats::e2m1, code)));
  }
  return values;
}

void print_text() {
  for (const group& g : groups()) {
    fmt::print("{}\n", g.title);
    for (const named_choice& c : g.choices) fmt::print("  {:<14}{}\n", c.name, c.meaning);
    if (g.choices.empty()) fmt::print("  none\n");
  }
  fmt::print("Tensor-core models\n  none\n");
  fmt::print("Magnitudes of E2M1, codes 0 to 7 (8 to 15: negative)\n ");
  for (const float value : magnitudes()) fmt::print(" {}", value);
  fmt::print(
      "\nFiles\n  read           .safetensors .npy (F32, F16, BF16; codes and scales: U8)\n"
      "  written        .safetensors, and .npy by dequantize\n");
}

ordered_json as_json() {
  ordered_json result;
  for (const group& g : groups()) {
    result[g.key] = ordered_json::array();
    for (const named_choice& c : g.choices) {
      result[g.key].push_back({{"name", c.name}, {"meaning", c.meaning}});
    }
  }
  ordered_json& mxfp4 = result["formats"][0];
  mxfp4["element"] = "e2m1";
  mxfp4["scale"] = "e8m0";
  mxfp4["block"] = mx::mxfp4::size;
  mxfp4["magnitudes"] = magnitudes();
  result["models"] = ordered_json::array();
  result["file_types"] = {".safetensors", ".npy"};
  return result;
}

}  // namespace

void add_formats(CLI::App& program, action& chosen) {
  CLI::App* command =
      program.add_subcommand("formats", "List the formats, rules and layouts that work");
  const auto form = std::make_shared<output>(output::text);
  add_json_flag(*command, *form);
  command->footer(example("  mxprism formats --json\n"));
  command->callback([form, &chosen] {
    chosen = [form] {
      if (*form == output::json) {
        print_json(as_json());
      } else {
        print_text();
      }
      return exit_status::done;
    };
  });
}

}  // namespace sim::cli
