// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/block_format_test.cpp: mx/block/block_format.h.
#include "mx/block/block_format.h"
#include "catch.h"

namespace {

using namespace mx::block_formats;

TEST_CASE("the_named_formats_are_points_of_one_space") {
  CHECK(mx::block_format{} == mxfp4);
  CHECK(mxfp4.element == mx::formats::e2m1);
  CHECK(mxfp6_e2m3.element == mx::formats::e2m3);
  CHECK(mxfp6_e3m2.element == mx::formats::e3m2);
  CHECK(mxfp8_e4m3.element == mx::formats::e4m3);
  CHECK(mxfp8_e5m2.element == mx::formats::e5m2);
  CHECK(mxint8.element == mx::formats::int8);
  for (const mx::block_format& f :
       {mxfp4, mxfp6_e2m3, mxfp6_e3m2, mxfp8_e4m3, mxfp8_e5m2, mxint8}) {
    CHECK(f.scale == mx::formats::e8m0);
    CHECK(f.size() == 32);
    CHECK_FALSE(f.has_tensor_scale());
    CHECK(f.precision == mx::scale_precision::stored);
  }
}

TEST_CASE("nvfp4_has_blocks_of_16_or_tiles_under_ue4m3_and_a_tensor_scale") {
  CHECK(nvfp4.scale == mx::formats::ue4m3);
  CHECK(nvfp4.size() == 16);
  CHECK(nvfp4_2d.size() == 256);
  CHECK(nvfp4.has_tensor_scale());
  CHECK(nvfp4_2d.has_tensor_scale());
  CHECK(nvfp4.bound == mx::tensor_bound::largest);
}

TEST_CASE("deepseek_s_fp8_has_fp32_scales_for_1x128_and_128x128") {
  CHECK(fp8_1x128.size() == 128);
  CHECK(fp8_128x128.size() == 128 * 128);
  CHECK(fp8_1x128.scale == mx::formats::binary32);
  CHECK(fp8_128x128.element == mx::formats::e4m3);
}

static_assert(mx::block_format{mx::formats::e2m1, mx::formats::e8m(3), 3, 7}.size() == 21);

}  // namespace
