// SPDX-License-Identifier: Apache-2.0
// tests/rtl/amax_test.cpp: mx_amax against the core: it also serves macro blocks, whose amax is
// that of the finite elements even if others are not.
#include "Vmx_amax_binary32.h"
#include "catch.h"
#include "quantizer_words.h"
#include "wide_pins.h"

namespace {

/// Whether the module gives the extent of the core.
bool is_extent_of(Vmx_amax_binary32& top, const std::array<float, rtl::block_size>& x) {
  std::vector<std::uint32_t> codes;
  for (const float value : x) codes.push_back(mx::bits_of(value));
  rtl::set_codes(top.x_i, codes, mx::formats::binary32.width());
  top.eval();
  const mx::block_extent wanted = mx::extent_of(x.data(), rtl::block_size);
  const float amax = mx::to_binary32(wanted.amax);
  return top.amax_o == mx::bits_of(amax) && (top.special_o != 0) == wanted.special;
}

TEST_CASE("amax_is_that_of_the_finite_elements") {
  Vmx_amax_binary32 top;
  int different = 0, special = 0;
  for (const rtl::quantizer_word& word : rtl::quantizer_words({}, 1000)) {
    different += is_extent_of(top, word.x) ? 0 : 1;
    special += mx::extent_of(word.x.data(), rtl::block_size).special ? 1 : 0;
  }
  CHECK(different == 0);
  CHECK(special >= 1000);
}

}  // namespace
