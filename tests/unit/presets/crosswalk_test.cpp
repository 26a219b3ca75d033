// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/crosswalk_test.cpp: mx/presets/crosswalk.h contains only existing names, which
// mean the same as the framework's presets.
#include "mx/presets/crosswalk.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "mx/block/names.h"
#include "mx/number/e8m0_conversion.h"
#include "mx/presets/variants.h"
#include "mx/tensor/layout.h"
#include "mx/tensor/packing.h"

namespace {

template <class Table>
bool is_name(const Table& table, const std::string& word) {
  return std::any_of(std::begin(table), std::end(table),
                     [&](const auto& entry) { return entry.name == word; });
}

bool exists(const std::string& option, const std::string& word) {
  if (option == "--scale-rule") return is_name(mx::scale_rule_table, word);
  if (option == "--rounding") return is_name(mx::rounding_table, word);
  if (option == "--format") return is_name(mx::block_format_table, word);
  if (option == "--layout") return is_name(mx::scale_layout_table, word);
  if (option == "--packing") return is_name(mx::nibble_order_table, word);
  if (option == "--byte-map") return is_name(mx::byte_map_table, word);
  return option == "--variant" && mx::variant_named(word) != nullptr;
}

/// Words that follow an option, up to the next one: "--rounding nearest-even; stochastic".
std::vector<std::string> missing_names(std::string_view text) {
  std::string spaced(text);
  std::replace_if(
      spaced.begin(), spaced.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  std::istringstream words(spaced);
  std::vector<std::string> missing;
  std::string option;
  for (std::string word; words >> word;) {
    if (word.rfind("--", 0) == 0) {
      option = word;
    } else if (!option.empty() && word[0] != '+' && !exists(option, word)) {
      missing.push_back(option + " " + word);
    }
  }
  return missing;
}

TEST_CASE("every_name_after_an_option_in_the_crosswalk_exists") {
  int options = 0;
  for (const mx::crosswalk_entry& entry : mx::crosswalk_table) {
    INFO(entry.framework << ": " << entry.theirs);
    CHECK(missing_names(entry.ours).empty());
    options += entry.ours.find("--") != std::string_view::npos ? 1 : 0;
  }
  CHECK(options > 25);
}

TEST_CASE("every_variant_that_a_note_of_the_crosswalk_names_exists") {
  for (const mx::crosswalk_entry& entry : mx::crosswalk_table) {
    const std::size_t at = entry.note.find("--variant ");
    if (at == std::string_view::npos) continue;
    const std::string_view rest = entry.note.substr(at + 10);
    const std::string name(rest.substr(0, rest.find_first_of(" :,")));
    INFO(name);
    CHECK(mx::variant_named(name) != nullptr);
  }
}

/// The row of a third-party word; `theirs` is a part of it that no other row has.
const mx::crosswalk_entry& row_of(std::string_view framework, std::string_view theirs) {
  const mx::crosswalk_entry* found = nullptr;
  for (const mx::crosswalk_entry& entry : mx::crosswalk_table) {
    if (entry.framework != framework || entry.theirs.find(theirs) == std::string_view::npos)
      continue;
    REQUIRE(found == nullptr);
    found = &entry;
  }
  INFO(framework << ": " << theirs);
  REQUIRE(found != nullptr);
  return *found;
}

/// Words after an option in a text, without punctuation.
std::vector<std::string> words_after(const std::string& option, std::string_view text) {
  const std::size_t at = text.find(option + " ");
  if (at == std::string_view::npos) return {};
  std::string rest(text.substr(at + option.size()));
  rest.resize(std::min(rest.find(" --"), rest.size()));
  for (char& c : rest) c = c == ',' || c == ';' || c == ':' ? ' ' : c;
  std::istringstream words(rest);
  return {std::istream_iterator<std::string>(words), {}};
}

template <class Table>
auto named_in(const Table& table, const std::string& word) {
  const auto* entry = std::find_if(std::begin(table), std::end(table),
                                   [&](const auto& e) { return e.name == word; });
  REQUIRE(entry != std::end(table));
  return entry->value;
}

constexpr int sides = 32;

/// Blocks far from the ends of the range, where a framework's special cases do not matter, and far
/// enough from powers of two that its logarithm does not.
std::vector<std::vector<float>> plain_blocks() {
  std::mt19937 random(21);
  std::vector<std::vector<float>> blocks(400, std::vector<float>(sides));
  for (std::vector<float>& block : blocks) {
    for (float& x : block) x = mx::float_of((random() & 0x80FFFF00U) + 0x3F000000U + 0x80U);
  }
  return blocks;
}

std::vector<std::uint32_t> scales_of(mx::scale_rule rule) {
  std::vector<std::uint32_t> scales;
  for (const std::vector<float>& x : plain_blocks()) {
    scales.push_back(
        mx::scale_of({mx::block_formats::mxfp4, rule}, x.data(), sides, mx::no_tensor_scale).code);
  }
  return scales;
}

std::vector<std::uint32_t> scales_of(const std::string& preset) {
  const mx::mx_variant* v = mx::preset_named(mx::mx_variant_table, preset);
  INFO(preset);
  REQUIRE(v != nullptr);
  std::vector<std::uint32_t> scales;
  std::uint8_t codes[sides];
  for (const std::vector<float>& x : plain_blocks()) {
    scales.push_back(mx::quantize_block(*v, mx::block_formats::mxfp4, x.data(), sides, codes));
  }
  return scales;
}

TEST_CASE("a_rule_of_the_crosswalk_gives_the_scales_of_the_preset_of_its_framework") {
  struct pair {
    std::string_view framework, theirs;
    std::vector<std::string> presets;  ///< one for each rule named in the row
  };
  const pair pairs[] = {
      {"torchao", "Mode.FLOOR", {"torchao.floor"}},
      {"torchao", "Mode.RCEIL", {"torchao.rceil"}},
      {"torchao", "Mode.CEIL", {"torchao.ceil"}},
      {"torchao", "Mode.EVEN", {"torchao.even"}},
      {"Triton", "ROUND_UP", {"triton.v2.up"}},
      {"Triton", "ROUND_DOWN", {"triton.v2.down"}},
      {"microxcaling", "'max'", {"microxcaling-extension.even"}},
      {"AITER", "RoundUp", {"aiter.floor", "aiter.rceil", "aiter.even", "aiter.ceil"}},
      {"Quark", "'even'", {"quark.even"}},
      {"fouroversix", "static_6", {"fouroversix.static-6", "fouroversix.static-4"}},
      {"QuTLASS, Quartet", "'quest'", {"qutlass.quest"}}};
  for (const pair& p : pairs) {
    const mx::crosswalk_entry& row = row_of(p.framework, p.theirs);
    const std::vector<std::string> rules = words_after("--scale-rule", row.ours);
    REQUIRE(rules.size() == p.presets.size());
    for (std::size_t i = 0; i < rules.size(); ++i) {
      INFO(p.framework << " " << p.presets[i] << " as " << rules[i]);
      CHECK(scales_of(named_in(mx::scale_rule_table, rules[i])) == scales_of(p.presets[i]));
    }
    for (const std::string& preset : words_after("--variant", row.note)) {
      if (mx::preset_named(mx::mx_variant_table, preset) == nullptr)
        continue;  // a word of the sentence
      INFO("the note on " << row.theirs << " names " << preset);
      const bool first_version = preset == "triton.v0.down";  // which the note calls floor6
      const auto rule = named_in(mx::scale_rule_table, first_version ? "floor6" : rules.front());
      const bool one_of_all = rules.size() > 1 && std::find(p.presets.begin(), p.presets.end(),
                                                            preset) != p.presets.end();
      CHECK((one_of_all || scales_of(preset) == scales_of(rule)));
    }
  }
}

TEST_CASE("a_rounding_of_the_crosswalk_is_the_one_of_the_preset_of_its_framework") {
  const auto roundings = [](std::string_view framework, std::string_view theirs) {
    std::vector<mx::rounding> list;
    for (const std::string& word : words_after("--rounding", row_of(framework, theirs).ours)) {
      list.push_back(named_in(mx::rounding_table, word));
    }
    return list;
  };
  const auto of_preset = [](std::string_view name) {
    const mx::variant_entry* entry = mx::variant_named(name);
    REQUIRE(entry != nullptr);
    return entry->family == mx::variant_family::mx
               ? mx::mx_variant_table[entry->index].element.rounding
               : mx::element_variant_table[entry->index].element.rounding;
  };
  using list = std::vector<mx::rounding>;
  CHECK(roundings("microxcaling", "'nearest'") == list{of_preset("microxcaling.nearest")});
  CHECK(roundings("microxcaling", "'dither'") == list{of_preset("microxcaling.even"),
                                                      of_preset("microxcaling.floor"),
                                                      mx::rounding::stochastic});
  CHECK(roundings("CUDA headers", "cudaRoundNearest") == list{of_preset("cuda.rn")});
  CHECK(roundings("CUDA headers", "cudaRoundZero") == list{of_preset("cuda.rz")});
  CHECK(roundings("PTX", "cvt.rs") == list{mx::rounding::stochastic});
  CHECK(words_after("--byte-map", row_of("PTX", "cvt.rs").ours) == std::vector<std::string>{"ptx"});
  CHECK(roundings("gfloat", "TiesToEven") ==
        list{mx::rounding::ties_to_even, mx::rounding::ties_away, mx::rounding::toward_zero,
             mx::rounding::stochastic});
}

/// Scale codes of a block whose amax is 6 * quotient: of the rule, and of ONNX's conversion.
std::pair<std::uint32_t, std::uint32_t> onnx_pair(const char* conversion, mx::scale_rule rule,
                                                  float quotient) {
  std::array<float, sides> x{};
  x[0] = 6 * quotient;
  const auto& table = mx::e8m0_conversions::table;
  const auto* theirs =
      std::find_if(table.begin(), table.end(), [&](const auto& c) { return c.name == conversion; });
  REQUIRE(theirs != table.end());
  return {mx::scale_of({mx::block_formats::mxfp4, rule}, x.data(), sides, mx::no_tensor_scale).code,
          mx::convert(*theirs, quotient)};
}

TEST_CASE("the_crosswalk_names_the_quotients_at_which_onnx_rounds_otherwise") {
  const std::string_view note = row_of("ONNX", "up, down, nearest").note;
  CHECK(note.find("at 1.5 * 2^k nearest goes up") != std::string_view::npos);
  CHECK(note.find("subnormal quotient") != std::string_view::npos);
  for (int field = 0; field < 250; ++field) {
    for (std::uint32_t part = field == 0 ? 1 : 0; part < 16; ++part) {
      const float quotient = mx::float_of(static_cast<std::uint32_t>(field) << 23 | part << 19);
      CAPTURE(field, part);
      const auto [down, onnx_down] = onnx_pair("onnx.down", mx::scale_rule::floor6, quotient);
      CHECK(down == onnx_down);
      const auto [up, onnx_up] = onnx_pair("onnx.up", mx::scale_rule::rceil, quotient);
      CHECK((up == onnx_up) == (field > 0 || part > 8));
      const auto [ideal, nearest] = onnx_pair("onnx.nearest", mx::scale_rule::ideal, quotient);
      const bool tie_below_odd = part == 8 && field % 2 == 0;
      CHECK((ideal == nearest) == (field > 0 ? !tie_below_odd : part <= 8 || part > 12));
    }
  }
}

TEST_CASE("a_preset_of_the_crosswalk_is_one_of_the_framework_beside_it") {
  const std::pair<std::string_view, std::string_view> prefixes[] = {
      {"torchao", "torchao."},
      {"TransformerEngine", "te."},
      {"Triton", "triton."},
      {"microxcaling", "microxcaling"},
      {"AITER", "aiter."},
      {"Quark", "quark."},
      {"fouroversix", "fouroversix."},
      {"QuTLASS, Quartet", "qutlass."},
      {"QuTLASS", "qutlass."},
      {"CUDA headers", "cuda."},
      {"llama.cpp", "ggml."},
      {"FlashInfer", "flashinfer."}};
  int presets = 0;
  for (const mx::crosswalk_entry& entry : mx::crosswalk_table) {
    for (const std::string_view text : {entry.ours, entry.note}) {
      for (const std::string& word : words_after("--variant", text)) {
        if (mx::variant_named(word) == nullptr) continue;
        INFO(entry.framework << ": " << entry.theirs << ", " << word);
        const auto* prefix =
            std::find_if(std::begin(prefixes), std::end(prefixes),
                         [&](const auto& p) { return p.first == entry.framework; });
        REQUIRE(prefix != std::end(prefixes));
        CHECK(word.rfind(prefix->second, 0) == 0);
        ++presets;
      }
    }
  }
  CHECK(presets >= 15);
}

TEST_CASE("formats_scale_layouts_and_kernels_of_the_crosswalk_are_the_ones_they_name") {
  const auto after = [](const std::string& option, std::string_view framework,
                        std::string_view theirs) {
    return words_after(option, row_of(framework, theirs).ours);
  };
  using names = std::vector<std::string>;
  CHECK(after("--format", "microxcaling", "fp4_e2m1") == names{"mxfp4"});
  CHECK(after("--format", "DeepSeek-V3", "128x128") == names{"fp8-1x128", "fp8-128x128"});
  CHECK(after("--layout", "torchao", "SWIZZLE_32_4_4") == names{"128x4"});
  CHECK(after("--layout", "cuBLAS, CUTLASS", "VEC32") == names{"128x4"});
  CHECK(after("--layout", "hipBLASLt", "32_8_EXT") == names{"gfx950-32x8"});
  CHECK(after("--layout", "DeepGEMM", "int32") == names{"packed-int32"});
  CHECK(after("--variant", "torchao", "nvfp4_quantize") == names{"torchao.nvfp4"});
  CHECK(after("--variant", "TransformerEngine", "MXFP8") == names{"te.mxfp8"});
  CHECK(after("--variant", "TransformerEngine", "NVFP4") == names{"te.nvfp4"});
  CHECK(after("--variant", "QuTLASS", "'abs_max'") == names{"qutlass.absmax"});
  CHECK(after("--variant", "llama.cpp", "GGML") == names{"ggml.mxfp4", "ggml.nvfp4"});
  CHECK(after("--scale-rule", "OCP MX v1.0", "6.3") == names{"floor"});
  CHECK(after("--scale-rule", "arXiv 2605.20402", "ceil") == names{"rceil"});
  CHECK(after("--scale-rule", "arXiv 2603.08713", "OAS") == names{"overflow-aware"});
  CHECK(after("--scale-rule", "Brevitas", "midmax") == names{"midmax"});
  CHECK(after("--scale-rule", "fouroversix", "abs_max") ==
        names{"4over6-mse", "4over6-mae", "4over6-abs-max"});
  CHECK(after("--scale-rule", "ONNX", "up, down, nearest") == names{"rceil", "floor6", "ideal"});
}

}  // namespace
