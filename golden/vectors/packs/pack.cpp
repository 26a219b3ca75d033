// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/pack.cpp: the names of all packs.
#include "golden/vectors/packs/pack.h"

#include <algorithm>
#include <array>

namespace golden::packs {
namespace {

constexpr std::array table{
    pack{"ties", 1, "every tie between two elements, and a step to either side, in MX formats",
         tie_pack},
    pack{"nvfp4-ties", 2,
         "tensors with amax = 21 j 2^k, in which ties of NVFP4's elements and scales are exact",
         nvfp4_tie_pack},
    pack{"scales", 1,
         "every scale byte that FP32 reaches, and every amax at which a scale rule decides",
         scale_pack},
    pack{"specials", 2, "blocks of zeros, subnormals, NaN, Inf and the largest numbers",
         special_pack},
    pack{"decode", 2, "every scale byte with every element code, and the numbers they stand for",
         decode_pack},
    pack{"layouts", 1,
         "ones times one-hot under scales that tell their places, in every layout of scales",
         layout_pack},
    pack{"accumulators", 1,
         "dot products that cancel over wide scales, which tell every model from the others",
         accumulator_pack}};

}  // namespace

std::span<const pack> all_packs() { return table; }

const pack* find_pack(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [name](const pack& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace golden::packs
