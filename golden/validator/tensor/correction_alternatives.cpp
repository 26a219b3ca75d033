// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/correction_alternatives.cpp: corrections and passes left out.
#include "alternatives.h"

namespace golden::validator {
namespace {

template <class Omit>
void append(const mx::recipe& declared, alternative_list& list, const Omit& omit) {
  mx::recipe without = declared;
  omit(without);
  if (without == declared) return;
  list.push_back({dimension::variant, [omit](hypothesis& r) { omit(r.recipe); }, company::alone});
}

}  // namespace

void append_correction_alternatives(const hypothesis& declared, alternative_list& list) {
  const mx::recipe& r = declared.recipe;
  append(r, list, [](mx::recipe& o) { o.passes = mx::passes::once; });
  append(r, list, [](mx::recipe& o) { o.corrections.rotation = {}; });
  append(r, list, [](mx::recipe& o) { o.corrections.gain = mx::pre_gain::one; });
  append(r, list, [](mx::recipe& o) {
    o.corrections.macro_block = 0, o.corrections.macro_bits = mx::corrections{}.macro_bits;
  });
  append(r, list, [](mx::recipe& o) {
    const mx::corrections none;
    o.corrections.fallback = none.fallback, o.corrections.alpha = none.alpha;
    o.corrections.score = none.score, o.corrections.threshold = none.threshold;
    o.corrections.granule = none.granule;
  });
}

}  // namespace golden::validator
