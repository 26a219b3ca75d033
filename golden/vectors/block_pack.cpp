// SPDX-License-Identifier: Apache-2.0
// golden/vectors/block_pack.cpp: the quantizations with committed blocks.
#include "golden/vectors/block_pack.h"

namespace golden {
namespace {

constexpr random_source drawn{7, 8};

/// Name and value of a rule or a rounding.
template <class Value>
struct spelled {
  const char* name;
  Value value;
};

constexpr spelled<scale_rule> rules[] = {{"floor", scale_rule::floor},
                                         {"ceil", scale_rule::ceil},
                                         {"even", scale_rule::even},
                                         {"rceil", scale_rule::rceil},
                                         {"floor6", scale_rule::floor6},
                                         {"midmax", scale_rule::midmax},
                                         {"overflow-aware", scale_rule::overflow_aware},
                                         {"static-4", scale_rule::static_four},
                                         {"mse", scale_rule::mse},
                                         {"quest", scale_rule::quest}};
constexpr spelled<rounding> roundings[] = {{"nearest-away", rounding::nearest_away},
                                           {"nearest-zero", rounding::nearest_zero},
                                           {"toward-zero", rounding::toward_zero},
                                           {"stochastic", rounding::stochastic}};

block_pack pack_of(const char* format, const number_format& element,
                   const spelled<scale_rule>& rule) {
  return {format, rule.name, "nearest-even", 32, {&element, &formats::e8m(0), rule.value}};
}

block_pack rounded_by(block_pack pack, const spelled<rounding>& by) {
  pack.rounding = by.name;
  pack.how.mode = by.value;
  if (by.value == rounding::stochastic) pack.how.random = drawn;
  return pack;
}

/// A scale with fraction bits under a tensor scale. Under 2^-6 elements can be ties.
block_pack nvfp4(const spelled<scale_rule>& rule) {
  return {"nvfp4", rule.name, "nearest-even", 16, {&formats::e2m1(), &formats::ue4m3(), rule.value},
          0x1p-6F};
}

}  // namespace

std::vector<block_pack> block_packs() {
  constexpr spelled<scale_rule> ideal{"ideal", scale_rule::ideal};
  constexpr spelled<scale_rule> searched{"4over6-mse", scale_rule::four_over_six_mse};
  const auto& [floor, ceil, even, rceil, floor6, midmax, overflow, four, mse, quest] = rules;
  std::vector<block_pack> packs;
  for (const auto& rule : rules) packs.push_back(pack_of("mxfp4", formats::e2m1(), rule));
  for (const auto& by : roundings) packs.push_back(rounded_by(packs.front(), by));
  packs.push_back(pack_of("mxfp6-e2m3", formats::e2m3(), floor));
  packs.push_back(pack_of("mxfp6-e3m2", formats::e3m2(), rceil));
  packs.push_back(pack_of("mxfp8-e4m3", formats::e4m3(), floor));
  packs.push_back(pack_of("mxfp8-e4m3", formats::e4m3(), even));
  packs.push_back(pack_of("mxfp8-e5m2", formats::e5m2(), midmax));
  packs.push_back(pack_of("mxint8", formats::int8(), rceil));
  packs.push_back(nvfp4(ideal));
  packs.push_back(nvfp4(searched));
  packs.push_back(rounded_by(nvfp4(ideal), roundings[3]));
  packs.push_back({"fp8-1x128",
                   "ideal",
                   "nearest-even",
                   128,
                   {&formats::e4m3(), &formats::fp32(), ideal.value}});
  return packs;
}

}  // namespace golden
