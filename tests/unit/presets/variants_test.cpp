// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/variants_test.cpp: mx/presets/variants.h: the table of names, and probes that
// distinguish presets.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "mx/presets/variants.h"

namespace {

using mx::block_format;
using mx::mx_variant;

TEST_CASE("names_are_unique_words_of_lower_case_letters_digits_dots_and_hyphens") {
  std::set<std::string_view> names;
  for (const mx::variant_entry& entry : mx::variant_table) {
    CAPTURE(entry.about.name);
    REQUIRE(names.insert(entry.about.name).second);
    REQUIRE(std::all_of(entry.about.name.begin(), entry.about.name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    }));
    REQUIRE(mx::variant_named(entry.about.name) == &entry);
  }
  REQUIRE(mx::variant_named("torchao.rceil ") == nullptr);
}

TEST_CASE("every_preset_names_its_source_and_what_it_covers") {
  for (const mx::variant_entry& entry : mx::variant_table) {
    CAPTURE(entry.about.name);
    REQUIRE(entry.about.source.find(':') != std::string_view::npos);
    REQUIRE_FALSE(entry.about.formats.empty());
    REQUIRE(mx::covers(entry.about, entry.about.formats.front()));
    REQUIRE((entry.about.rests_on != mx::evidence::one_source || !entry.about.doubts.empty()));
  }
  REQUIRE_FALSE(mx::covers(mx::variant_named("te.mxfp8")->about, mx::block_formats::mxfp4));
}

TEST_CASE("an_entry_leads_to_the_preset_of_its_name") {
  for (const mx::variant_entry& entry : mx::variant_table) {
    const std::size_t i = entry.index;
    switch (entry.family) {
      case mx::variant_family::mx:
        REQUIRE(mx::mx_variant_table[i].about.name == entry.about.name);
        break;
      case mx::variant_family::nvfp4:
        REQUIRE(mx::nvfp4_presets::all[i].about.name == entry.about.name);
        break;
      case mx::variant_family::element:
        REQUIRE(mx::element_variant_table[i].about.name == entry.about.name);
        break;
      case mx::variant_family::decoder:
        REQUIRE(mx::decoder_variant_table[i].about.name == entry.about.name);
        break;
    }
  }
}

constexpr std::uint32_t probe_amaxes[] = {
    0,          0x40A00000, 0x40C00000, 0x40C00001, 0x40DFAE14, 0x40E00000, 0x40FFFFFF, 0x40800001,
    0x01400000, 0x01000000, 0x00800000, 0x00400000, 0x40E66666, 0x7F600000, 0x7F800000, 0x7FC00000};
constexpr float probe_elements[] = {0.25F, 0x1.000002p-2F, 0.75F, 1.25F, 2.5F,
                                    3.5F,  5.0F,           -0.0F, -0.1F, 0x1.fffffep-3F};

/// Probe blocks: every amax with elements in proportion to it and with independent elements, the
/// latter with NaN of both signs.
std::vector<std::vector<float>> probes() {
  std::vector<std::vector<float>> blocks;
  for (const std::uint32_t bits : probe_amaxes) {
    const float amax = mx::float_of(bits);
    const mx::unpacked value = mx::unpack(amax);
    const int power = value.kind == mx::kind::finite ? value.floor_log2() - 2 : 0;
    std::vector<float> scaled{amax}, own{amax};
    for (const float x : probe_elements) {
      scaled.push_back(mx::times_power(x, power));
      own.push_back(x);
    }
    own.push_back(mx::float_of(0x7FC00000));
    own.push_back(mx::float_of(0xFFC00000));
    scaled.resize(32);
    own.resize(32);
    blocks.push_back(scaled);
    blocks.push_back(own);
  }
  std::vector<float> plain{6.0F};
  plain.insert(plain.end(), std::begin(probe_elements), std::end(probe_elements));
  plain.resize(32);
  blocks.push_back(plain);
  return blocks;
}

/// The presets of a format grouped by their results for all probes; a group is in the order of the
/// table.
std::vector<std::vector<std::string_view>> alike(const block_format& f) {
  std::map<std::vector<std::uint8_t>, std::vector<std::string_view>> groups;
  for (const mx_variant& v : mx::mx_variant_table) {
    if (!mx::covers(v.about, f)) continue;
    std::vector<std::uint8_t> answer;
    for (const std::vector<float>& x : probes()) {
      std::uint8_t codes[32] = {};
      answer.push_back(mx::quantize_block(v, f, x.data(), 32, codes));
      answer.insert(answer.end(), std::begin(codes), std::end(codes));
    }
    groups[answer].push_back(v.about.name);
  }
  std::vector<std::vector<std::string_view>> result;
  for (const auto& [answer, names] : groups) {
    if (names.size() > 1) result.push_back(names);
  }
  std::sort(result.begin(), result.end());
  return result;
}

using groups = std::vector<std::vector<std::string_view>>;

TEST_CASE("probes_tell_mxfp4_presets_apart_but_for_those_that_are_equal") {
  REQUIRE(alike(mx::block_formats::mxfp4) == groups{{"torchao.floor", "aiter.floor"},
                                                    {"triton.v0.down", "quark.down"},
                                                    {"triton.v0.up", "quark.up"}});
}

TEST_CASE("probes_made_for_e2m1_leave_few_presets_of_fp8_alike") {
  const groups expected{{"microxcaling-extension.nearest", "microxcaling-extension.even"},
                        {"microxcaling.nearest", "microxcaling.even"}};
  REQUIRE(alike(mx::block_formats::mxfp8_e4m3) == expected);
  REQUIRE(alike(mx::block_formats::mxfp8_e5m2) == expected);
}

TEST_CASE("probes_tell_conversions_apart_but_for_those_that_are_equal") {
  std::map<std::vector<std::uint32_t>, std::vector<std::string_view>> found;
  std::vector<float> x(std::begin(probe_elements), std::end(probe_elements));
  for (const std::uint32_t bits : {0x7FC00000U, 0xFFC00000U, 0x7F800000U}) {
    x.push_back(mx::float_of(bits));
  }
  for (const mx::element_variant& v : mx::element_variant_table) {
    std::vector<std::uint32_t> codes;
    for (const float value : x) {
      codes.push_back(mx::converted(mx::formats::e2m1, v.element, value));
    }
    found[codes].push_back(v.about.name);
  }
  groups result;
  for (const auto& [codes, names] : found) {
    if (names.size() > 1) result.push_back(names);
  }
  std::sort(result.begin(), result.end());
  REQUIRE(result == groups{{"cuda.rn", "onnx", "mlir"}, {"cutlass.host", "hip.host"}});
}

}  // namespace
