// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/bulk_gemm_storage_test.cpp: mx/dot/bulk_gemm.h: codes in every container, of every
// width, against mx::gemm_element, bit for bit.
#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.h"
#include "gemm_cases.h"
#include "instruction_sets.h"
#include "mx/dot/bulk_gemm.h"

namespace {

using mx::code_storage;
using mx::gemm_plan;
using mx::gemm_shape;
using words = std::vector<std::uint32_t>;
namespace formats = mx::formats;

/// Lines of codes, one a word, and of scales.
struct word_lines {
  std::int64_t lines = 0, k = 0;
  words codes;
  std::vector<std::uint8_t> scales;

  [[nodiscard]] mx::dot_operand<std::uint32_t> line(std::int64_t i) const {
    const std::int64_t blocks = lines > 0 ? static_cast<std::int64_t>(scales.size()) / lines : 0;
    return {{codes.data() + i * k}, {scales.empty() ? nullptr : scales.data() + i * blocks}};
  }
};

/// Codes of numbers of close magnitude, and now and then any code at all.
word_lines draw(const mx::format& f, const mx::dot_model& m, std::int64_t lines, std::int64_t k,
                std::mt19937& random) {
  word_lines drawn{lines, k, words(static_cast<std::size_t>(lines * k)), {}};
  const std::uint32_t one = static_cast<std::uint32_t>(f.bias) << f.fraction_bits;
  const std::uint32_t low = (f.sign_mask() << 1) - 1;
  for (std::uint32_t& code : drawn.codes) {
    const auto word = static_cast<std::uint32_t>(random());
    const std::uint32_t near =
        (one + word % (4U << f.fraction_bits)) | (word >> 31) * f.sign_mask();
    code = ((random() % 64 == 0 ? word : near) & low) << m.unread_bits;
    if (m.unread_bits > 0) code |= word % (1U << m.unread_bits);
  }
  if (m.block == 0) return drawn;
  drawn.scales.resize(static_cast<std::size_t>(lines * ((k + m.block - 1) / m.block)));
  for (std::uint8_t& scale : drawn.scales) {
    scale = tests::draw_scale(m.scale, tests::operand_kind::spread, random);
  }
  return drawn;
}

/// The same lines in a container, with `more` unused bytes between them.
class stored_lines {
 public:
  stored_lines(const word_lines& from, code_storage storage, std::int64_t more)
      : storage_(storage), scales_(from.scales) {
    const std::int64_t size = bytes_of(storage);
    line_bytes_ = (size == 0 ? (from.k + 1) / 2 : from.k * size) + more;
    bytes_.assign(static_cast<std::size_t>(from.lines * line_bytes_), 0xFF);
    for (std::int64_t i = 0; i < from.lines; ++i) {
      for (std::int64_t k = 0; k < from.k; ++k) {
        put(i, k, from.codes[static_cast<std::size_t>(i * from.k + k)]);
      }
    }
  }

  [[nodiscard]] mx::gemm_operand operand() const {
    return {bytes_.data(), storage_, line_bytes_, scales_.empty() ? nullptr : scales_.data()};
  }

 private:
  /// 0: two codes a byte.
  static std::int64_t bytes_of(code_storage storage) {
    constexpr std::int64_t sizes[] = {0, 1, 2, 4};
    return sizes[static_cast<int>(storage)];
  }
  void put(std::int64_t line, std::int64_t k, std::uint32_t code) {
    const std::int64_t size = bytes_of(storage_);
    std::uint8_t* first = bytes_.data() + line * line_bytes_;
    if (size == 0) {
      std::uint8_t& byte = first[k / 2];
      byte =
          static_cast<std::uint8_t>(k % 2 == 0 ? (byte & 0xF0) | code : (byte & 0xF) | code << 4);
    } else if (size == 2) {
      const auto half = static_cast<std::uint16_t>(code);
      std::memcpy(first + k * 2, &half, 2);
    } else if (size == 1) {
      first[k] = static_cast<std::uint8_t>(code);
    } else {
      std::memcpy(first + k * 4, &code, 4);
    }
  }

  code_storage storage_;
  std::int64_t line_bytes_ = 0;
  std::vector<std::uint8_t> bytes_, scales_;
};

struct product_case {
  gemm_plan plan;
  gemm_shape shape;
  word_lines a, b;
  words c, expected;

  product_case(const gemm_plan& p, const gemm_shape& s, std::uint32_t seed) : plan(p), shape(s) {
    std::mt19937 random(seed);
    a = draw(p.model.a, p.model, s.m, s.k, random);
    b = draw(p.model.b, p.model, s.n, s.k, random);
    const mx::format& f = p.model.sum.result;
    for (std::int64_t i = 0; i < s.m * s.n; ++i) {
      c.push_back((static_cast<std::uint32_t>(f.bias) << f.fraction_bits) +
                  static_cast<std::uint32_t>(random()) % (2U << f.fraction_bits));
      expected.push_back(mx::gemm_element(plan, a.line(i / s.n), b.line(i % s.n),
                                          static_cast<int>(s.k), c.back()));
    }
  }

  [[nodiscard]] words by_bulk(code_storage of_a, code_storage of_b, std::int64_t more) const {
    words d(expected.size());
    const stored_lines left(a, of_a, more), right(b, of_b, more);
    mx::gemm(plan, shape, left.operand(), right.operand(), c.data(), d.data());
    return d;
  }
};

/// The containers that hold a code.
std::vector<code_storage> containers_of(const mx::format& f, int unread_bits) {
  const int width = f.width() + unread_bits;
  std::vector<code_storage> all{code_storage::words};
  if (width <= 16) all.push_back(code_storage::halves);
  if (width <= 8) all.push_back(code_storage::bytes);
  if (width <= 4) all.push_back(code_storage::pairs);
  return all;
}

void compare(const gemm_plan& plan, const gemm_shape& shape, std::uint32_t seed) {
  const product_case product(plan, shape, seed);
  const mx::dot_model& m = plan.model;
  for (const code_storage of_a : containers_of(m.a, m.unread_bits)) {
    for (const code_storage of_b : containers_of(m.b, m.unread_bits)) {
      for (const std::int64_t more : {0, 4}) {
        INFO("A " << static_cast<int>(of_a) << ", B " << static_cast<int>(of_b) << ", " << more
                  << " bytes apart");
        REQUIRE(product.by_bulk(of_a, of_b, more) == product.expected);
      }
    }
  }
}

TEST_CASE("every_model_of_wide_codes_is_multiplied") {
  std::uint32_t seed = 0;
  int count = 0;
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.model.a.width() <= 8) continue;
    INFO(entry.name);
    compare({.model = entry.model}, {3, 4, 37}, ++seed);
    ++count;
  }
  CHECK(count == 41);
}

TEST_CASE("definitions_multiply_wide_codes_with_scales_and_without") {
  std::uint32_t seed = 100;
  for (const char* name : {"exact.rne", "exact.rz", "fp32.fma", "fp32.sequential", "fp32.pairwise",
                           "vortex.tfr", "mxdotp.e4m3"}) {
    for (const auto& [a, b] : {std::pair{formats::bfloat16, formats::binary16},
                               {formats::binary32, formats::bfloat16},
                               {formats::e5m2, formats::binary32},
                               {formats::e2m1, formats::binary16}}) {
      for (const int block : {0, 12, 32}) {
        gemm_plan plan{.model = mx::with_formats(mx::model_named(name)->model, a, b)};
        plan.model.block = block;
        if (!mx::is_sound(plan.model)) continue;
        INFO(name << ", blocks of " << block);
        compare(plan, {2, 3, 50}, ++seed);
      }
    }
  }
}

TEST_CASE("narrow_codes_may_lie_in_any_container_where_kernels_are_and_are_not") {
  std::uint32_t seed = 200;
  for (const char* name :
       {"fp32.sequential", "blackwell.mxf4", "blackwell.mxf4nvf4", "ada.mma.e4m3.f32",
        "blackwell.mxf8f6f4.e2m1.e5m2", "cdna3.mfma.e4m3fnuz.f32"}) {
    INFO(name);
    const gemm_plan plan{.model = mx::model_named(name)->model};
    test::on_all_instruction_sets([&] { compare(plan, {3, 20, 130}, seed); });
    ++seed;
  }
}

TEST_CASE("parts_and_promotions_begin_where_codes_of_any_width_do") {
  std::uint32_t seed = 300;
  for (const char* name : {"ampere.mma.bf16.f32", "ampere.mma.tf32.f32", "hopper.wgmma.f16.f32"}) {
    for (const int promote : {0, 3, 32}) {
      for (const int parts : {1, 2, 5}) {
        INFO(name << ", promoted every " << promote << ", parts " << parts);
        gemm_plan plan{.model = mx::model_named(name)->model};
        plan.promote = promote, plan.split_k = parts;
        compare(plan, {2, 3, 200}, ++seed);
      }
    }
  }
  // Blocks that do not divide 64.
  for (const int block : {12, 24, 48, 96}) {
    gemm_plan plan{.model = mx::model_named("fp32.sequential")->model};
    plan.model.block = block, plan.split_k = 3;
    compare(plan, {2, 3, 400}, ++seed);
  }
}

TEST_CASE("containers_that_do_not_hold_a_code_are_refused") {
  const std::vector<std::uint8_t> bytes(256);
  const auto refused = [&](const mx::dot_model& model, code_storage storage) {
    words d(1);
    const mx::gemm_operand x{bytes.data(), storage, 128, bytes.data()};
    try {
      mx::gemm({.model = model}, {1, 1, 4}, x, x, nullptr, d.data());
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  const mx::dot_model tf32 = mx::model_named("ampere.mma.tf32.f32")->model;
  CHECK(refused(tf32, code_storage::halves));
  CHECK_FALSE(refused(tf32, code_storage::words));
  const mx::dot_model f16 = mx::model_named("ampere.mma.f16.f32")->model;
  CHECK(refused(f16, code_storage::bytes));
  CHECK_FALSE(refused(f16, code_storage::halves));
  const mx::dot_model e4m3 = mx::model_named("ada.mma.e4m3.f32")->model;
  CHECK(refused(e4m3, code_storage::pairs));
  CHECK_FALSE(refused(e4m3, code_storage::bytes));
  CHECK(refused(mx::with_formats(e4m3, formats::e2m1, formats::e4m3), code_storage::pairs));
  CHECK(refused(mx::with_formats(e4m3, formats::e4m3, formats::e2m1), code_storage::pairs));
  // Scales lie one a byte.
  const mx::dot_model exact = mx::model_named("exact.rne")->model;
  CHECK_FALSE(refused(exact, code_storage::pairs));
  CHECK(refused(mx::with_scales(exact, formats::e8m(3), 32), code_storage::pairs));
}

}  // namespace
