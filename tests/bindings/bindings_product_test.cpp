// SPDX-License-Identifier: Apache-2.0
// tests/bindings/bindings_product_test.cpp: the C ABI gives the core's bits for every model.
#include "coded_by_library.h"
#include "mx/dot/bulk_gemm.h"
#include "mx/dot/dot.h"
#include "mx/dot/mixed_models.h"
#include "mx/spelling.h"

namespace {

using words = std::vector<std::uint32_t>;

/// Random codes of a width, as words.
words random_codes(std::size_t count, int bits, std::uint32_t seed) {
  words codes(count);
  std::uint32_t state = seed;
  for (std::uint32_t& code : codes) {
    state = state * 1664525 + 1013904223;
    code = (state >> 7 ^ state << 25) & (bits == 32 ? 0xFFFFFFFFU : (1U << bits) - 1);
  }
  return codes;
}

/// The same in codes of 1, 2 or 4 bytes.
library::bytes stored(const words& codes, std::uint32_t size) {
  library::bytes result;
  for (const std::uint32_t code : codes) {
    for (std::uint32_t k = 0; k < size; ++k) {
      result.push_back(static_cast<std::uint8_t>(code >> 8 * k));
    }
  }
  return result;
}

/// Both operands of a (3 x 2 x 40) product under a model.
struct operands {
  static constexpr int m = 3, n = 2, k = 40;
  words a, b, c;
  library::bytes scale_a, scale_b;
  int blocks = 0;

  explicit operands(const mx::dot_model& model) {
    a = random_codes(m * k, model.a.width() + model.unread_bits, 3);
    b = random_codes(n * k, model.b.width() + model.unread_bits, 4);
    c = random_codes(m * n, model.sum.result.width(), 5);
    blocks = model.block > 0 ? (k + model.block - 1) / model.block : 0;
    const int bits = model.scale.width() < 8 ? model.scale.width() : 8;
    scale_a = stored(random_codes(static_cast<std::size_t>(m * blocks), bits, 6), 1);
    scale_b = stored(random_codes(static_cast<std::size_t>(n * blocks), bits, 7), 1);
  }
  [[nodiscard]] words products(const mx::dot_model& model) const {
    words d;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        d.push_back(mx::dot(model, a.data() + i * k, b.data() + j * k, k,
                            c[static_cast<std::size_t>(i * n + j)],
                            blocks > 0 ? scale_a.data() + i * blocks : nullptr,
                            blocks > 0 ? scale_b.data() + j * blocks : nullptr));
      }
    }
    return d;
  }
};

mx_model_facts facts_of(const mx_model* model) {
  mx_model_facts facts{};
  facts.struct_size = sizeof facts;
  REQUIRE(mx_model_describe(model, &facts, nullptr) == mx_status_ok);
  return facts;
}

words tile_of(const mx_model* model, const operands& o) {
  const mx_model_facts facts = facts_of(model);
  library::bytes a = stored(o.a, facts.a_code_bytes), b = stored(o.b, facts.b_code_bytes);
  library::bytes scale_a = o.scale_a, scale_b = o.scale_b;
  const auto blocks = static_cast<std::uint64_t>(o.blocks);
  words c = o.c, d(c.size());
  mx_tile tile{};
  tile.struct_size = sizeof tile;
  tile.m = o.m, tile.n = o.n, tile.k = o.k;
  tile.a = {library::buffer_of(a), operands::k, 1, library::buffer_of(scale_a), blocks, 1};
  tile.b = {library::buffer_of(b), operands::k, 1, library::buffer_of(scale_b), blocks, 1};
  tile.c = {c.data(), 4 * c.size()};
  tile.d = {d.data(), 4 * d.size()};
  tile.c_stride = tile.d_stride = o.n;
  CHECK(mx_model_mma(model, &tile, nullptr) == mx_status_ok);
  return d;
}

/// Every row of A with the first column of B.
words dots_of(const mx_model* model, const operands& o) {
  const mx_model_facts facts = facts_of(model);
  words all_b, c;
  library::bytes scale_a = o.scale_a, scale_b;
  for (int i = 0; i < o.m; ++i) {
    all_b.insert(all_b.end(), o.b.begin(), o.b.begin() + o.k);
    scale_b.insert(scale_b.end(), o.scale_b.begin(), o.scale_b.begin() + o.blocks);
    c.push_back(o.c[static_cast<std::size_t>(i * o.n)]);
  }
  library::bytes a = stored(o.a, facts.a_code_bytes), b = stored(all_b, facts.b_code_bytes);
  words d(c.size());
  mx_words w{};
  w.struct_size = sizeof w;
  w.count = o.m, w.k = o.k;
  w.a = library::buffer_of(a), w.b = library::buffer_of(b);
  w.scale_a = library::buffer_of(scale_a), w.scale_b = library::buffer_of(scale_b);
  w.c = {c.data(), 4 * c.size()}, w.d = {d.data(), 4 * d.size()};
  CHECK(mx_model_dot(model, &w, nullptr) == mx_status_ok);
  return d;
}

constexpr std::int32_t storages[] = {0, mx_codes_bytes, mx_codes_halves, 0, mx_codes_words};

words product_of(const mx_model* model, const operands& o, const mx_plan* plan) {
  const mx_model_facts facts = facts_of(model);
  library::bytes a = stored(o.a, facts.a_code_bytes), b = stored(o.b, facts.b_code_bytes);
  library::bytes scale_a = o.scale_a, scale_b = o.scale_b;
  words c = o.c, d(c.size());
  mx_product p{};
  p.struct_size = sizeof p;
  p.m = o.m, p.n = o.n, p.k = o.k;
  p.a = {library::buffer_of(a), storages[facts.a_code_bytes], 0, library::buffer_of(scale_a)};
  p.b = {library::buffer_of(b), storages[facts.b_code_bytes], 0, library::buffer_of(scale_b)};
  p.c = {c.data(), 4 * c.size()};
  p.d = {d.data(), 4 * d.size()};
  CHECK(mx_model_gemm(model, &p, plan, nullptr) == mx_status_ok);
  return d;
}

void expect_core(const mx_model* model, const mx::dot_model& core) {
  const operands o(core);
  const words expected = o.products(core);
  CHECK(tile_of(model, o) == expected);
  const words dots = dots_of(model, o);
  for (std::size_t i = 0; i < dots.size(); ++i) CHECK(dots[i] == expected[2 * i]);
  CHECK(product_of(model, o, nullptr) == expected);
}

}  // namespace

TEST_CASE("every_model_has_the_bits_of_the_core") {
  const auto check = [](const mx::named_model& entry) {
    if (entry.operands == mx::operands::any) return;
    INFO(std::string(entry.name));
    expect_core(library::model(std::string(entry.name)).get(), entry.model);
  };
  for (const mx::named_model& entry : mx::model_table) check(entry);
  for (const mx::named_model& entry : mx::mixed_model_table) check(entry);
}

TEST_CASE("models_of_any_operands_have_the_bits_of_the_core") {
  const char* formats[] = {"e2m1", "e4m3", "bf16", "f32"};
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.operands != mx::operands::any) continue;
    for (const char* a : formats) {
      for (const char* b : formats) {
        INFO(std::string(entry.name) << " " << a << " " << b);
        const auto f = [](const char* name) { return mx::number_format_spelled(name); };
        const std::string options = "a-format=" + std::string(a) + " b-format=" + b;
        expect_core(library::model(std::string(entry.name), options).get(),
                    mx::model_for(entry, {f(a), f(b), {}, 0}));
        if (mx::number_format_spelled(b).width() > 8) continue;
        expect_core(
            library::model(std::string(entry.name), options + " scale-format=ue4m3 block=16").get(),
            mx::model_for(entry, {f(a), f(b), mx::formats::ue4m3, 16}));
      }
    }
  }
}

TEST_CASE("a_plan_has_the_bits_of_the_core") {
  const auto model = library::model("blackwell.mxf4nvf4");
  mx::gemm_plan core{.model = mx::model_spelled("blackwell.mxf4nvf4").model};
  const operands o(core.model);
  mx_plan plan{};
  plan.struct_size = sizeof plan;
  REQUIRE(mx_plan_default(model.get(), &plan, nullptr) == mx_status_ok);
  core.promote = plan.promote = 16;
  core.split_k = plan.split_k = 2;
  for (const auto& [output, format] : {std::pair{mx_number_fp32, mx::formats::binary32},
                                       std::pair{mx_number_fp16, mx::formats::binary16},
                                       std::pair{mx_number_bf16, mx::formats::bfloat16}}) {
    for (const std::int32_t how : {0, 1, 2, 3}) {
      constexpr mx::rounding roundings[] = {mx::rounding::ties_to_even, mx::rounding::ties_away,
                                            mx::rounding::ties_toward_zero,
                                            mx::rounding::toward_zero};
      core.output_rounding = roundings[how];
      core.output = format;
      core.split_order = how % 2 == 0 ? mx::split_order::ascending : mx::split_order::pairwise;
      core.c_entry = how < 2 ? mx::c_entry::first_step : mx::c_entry::epilogue;
      core.alpha = mx::fp32::multiply(0.3F, mx::fp32::multiply(1.1F, 0.0123F));
      plan.output = output, plan.output_rounding = how, plan.split_order = how % 2;
      plan.c_entry = how < 2 ? mx_c_first_step : mx_c_epilogue;
      plan.alpha = 0.3F, plan.tensor_scale_a = 1.1F, plan.tensor_scale_b = 0.0123F;
      const words d = product_of(model.get(), o, &plan);
      for (int i = 0; i < o.m; ++i) {
        for (int j = 0; j < o.n; ++j) {
          const auto at = static_cast<std::size_t>(i * o.n + j);
          const mx::dot_operand<std::uint32_t, std::uint8_t> a{{o.a.data() + i * o.k},
                                                               {o.scale_a.data() + i * o.blocks}};
          const mx::dot_operand<std::uint32_t, std::uint8_t> b{{o.b.data() + j * o.k},
                                                               {o.scale_b.data() + j * o.blocks}};
          CHECK(d[at] == mx::gemm_element(core, a, b, o.k, o.c[at]));
        }
      }
    }
  }
}
