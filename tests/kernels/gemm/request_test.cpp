// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/request_test.cpp: products that are refused before a launch, and the messages.
#include "gemm/request.h"

#include <vector>

#include "catch.h"
#include "mx/dot/models.h"

using namespace mx;
using namespace mx::kernels;

namespace {

/// 16 bytes, aligned to 16.
struct alignas(16) sixteen {
  std::uint8_t byte[16];
};

/// A valid request and its memory.
struct sound_product {
  std::vector<sixteen> memory = std::vector<sixteen>(8192);
  gemm_request request;

  sound_product() {
    request.plan.model = model_named("fp32.sequential")->model;
    request.shape = {8, 4, 64};
    request.a = {at(0), code_storage::pairs, 32, at(16)};   // 256 bytes and 16
    request.b = {at(32), code_storage::pairs, 32, at(40)};  // 128 bytes and 8
    request.d = at(48);                                     // 128 bytes
    request.workspace = at(64);
    request.workspace_bytes = gemm_workspace_bytes(request);
  }
  std::uint8_t* at(std::size_t place) { return memory[place].byte; }
};

std::string answer_to(const gemm_request& request) { return sentence_of(checked(request)); }
std::string answer_to(const sound_product& product) { return answer_to(product.request); }

}  // namespace

TEST_CASE("a_sound_product_is_launched") {
  sound_product sound, without, in_place;
  CHECK(answer_to(sound) == "launched");
  without.request.workspace = nullptr;
  CHECK(answer_to(without) == "launched");
  in_place.request.c = in_place.request.d;
  CHECK(answer_to(in_place) == "launched");
}

TEST_CASE("sizes_of_products_are_checked_first") {
  gemm_request negative, ragged, deep, wide, empty;
  negative.plan.model = ragged.plan.model = model_named("blackwell.mxf4")->model;
  empty.a.storage = empty.b.storage = code_storage::halves;
  negative.shape = {1, -1, 32};
  CHECK(answer_to(negative) == "n is negative");
  ragged.shape = {1, 1, 48};
  CHECK(answer_to(ragged) == "k must be a multiple of 32");
  deep.shape = {1, 1, (std::int64_t{1} << 30) + 1};
  CHECK(answer_to(deep) == "k is too large; at most 1073741824");
  wide.shape = {1 << 16, (1 << 15) + 1, 1};
  CHECK(answer_to(wide) == "m * n is too large; at most 2147483648");
  wide.shape = {1 << 16, 1, (1 << 15) + 1};
  CHECK(answer_to(wide) == "m * k is too large; at most 2147483648");
  for (const gemm_shape& shape : {gemm_shape{0, 4, 4}, {4, 0, 4}}) {
    empty.shape = shape;
    CHECK(answer_to(empty) == "launched");
  }
  gemm_request sums = empty;  // without products D is C, which is still required
  sums.shape = {4, 4, 0};
  CHECK(answer_to(sums).find("d is a null pointer") == 0);
}

TEST_CASE("missing_and_odd_pointers_of_products_are_named") {
  sound_product codes, scales, d, c, workspace, forced;
  codes.request.b.codes = nullptr;
  CHECK(answer_to(codes) == "b.codes is a null pointer; give it memory of the device");
  scales.request.a.scales = nullptr;
  CHECK(answer_to(scales).find("a.scales is a null pointer") == 0);
  d.request.d = nullptr;
  CHECK(answer_to(d).find("d is a null pointer") == 0);
  c.request.c = c.at(56) + 2;
  CHECK(answer_to(c) == "c is not aligned; its address must be a multiple of 4 bytes");
  workspace.request.workspace = workspace.at(64) + 8;
  CHECK(answer_to(workspace) ==
        "workspace is not aligned; its address must be a multiple of 16 bytes");
  forced.request.workspace = nullptr;
  forced.request.kernel = gemm_kernel::mma;
  CHECK(answer_to(forced).find("workspace is a null pointer") == 0);
}

TEST_CASE("memory_that_is_too_small_is_measured") {
  sound_product workspace, line;
  workspace.request.workspace_bytes -= 1;
  // Codes a byte each, 128 lines of 64; two factors a line; bounds of four groups; twice.
  CHECK(answer_to(workspace) == "workspace is too small; it must be at least " +
                                    std::to_string(2 * (128 * 64 + 128 * 2 * 4 + 4 * 4) + 256 * 4));
  workspace.request.kernel = gemm_kernel::wgmma;
  workspace.request.workspace_bytes = gemm_workspace_bytes(workspace.request) - 1;
  // Two steps, the second of padding, of two pieces each.
  CHECK(answer_to(workspace) ==
        "workspace is too small; it must be at least " +
            std::to_string(2 * 2 * 2 * (64 * 64 + 64 * 2 * 4 + 128) + 256 * 4));
  line.request.a.line_bytes = 31;
  CHECK(answer_to(line) == "a.line_bytes is too small; it must be at least 32");
  line.request.a.line_bytes = std::int64_t{1} << 60;
  CHECK(answer_to(line) == "a.line_bytes is too large; at most 576460752303423488");
}

TEST_CASE("results_of_products_that_share_a_byte_are_refused") {
  sound_product over_codes, over_scales, over_workspace, beside, halved;
  over_codes.request.d = over_codes.at(15);
  CHECK(answer_to(over_codes).find("d overlaps") == 0);
  over_scales.request.d = over_scales.at(33);
  CHECK(answer_to(over_scales).find("d overlaps") == 0);
  over_workspace.request.workspace = over_workspace.at(55);
  CHECK(answer_to(over_workspace).find("d overlaps") == 0);
  beside.request.d = beside.at(56);
  CHECK(answer_to(beside) == "launched");
  halved.request.plan.output = formats::bfloat16;
  halved.request.c = halved.request.d;
  CHECK(answer_to(halved).find("d overlaps") == 0);
}

TEST_CASE("products_without_a_kernel_are_refused") {
  sound_product plan, storage, fast;
  plan.request.plan.split_k = 0;
  CHECK(answer_to(plan) == "this plan has no kernel");
  storage.request.plan.model.a = formats::e4m3;
  CHECK(answer_to(storage) == "this storage of codes has no kernel");
  fast.request.plan.promote = 64;
  fast.request.kernel = gemm_kernel::dp4a;
  CHECK(answer_to(fast) == "this plan by dp4a or mma has no kernel");
  fast.request.kernel = gemm_kernel::wgmma;
  CHECK(answer_to(fast) == "this plan by wgmma has no kernel");
}
