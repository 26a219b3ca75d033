// SPDX-License-Identifier: Apache-2.0
// golden/validator/mutants/product_mutant.cpp: wrong factors and wrong sums.
#include "product_mutant.h"

#include "mx/dot/bulk_gemm.h"

namespace golden::validator {
namespace {

mx::gemm_operand operand_of(const coded_rows& t) {
  return {t.codes.data(), mx::code_storage::bytes, static_cast<std::int64_t>(t.padded()),
          t.scales.data()};
}

void truncate_both(coded_product& p) {
  for (coded_rows* t : {&p.a, &p.b}) {
    mx::quantization rules = t->rules;
    rules.rounding = mx::rounding::toward_zero;
    quantize_as(*t, rules, t->x);
  }
}

/// Sums of a block whose terms are cut off `Bits` below the largest.
template <int Bits>
void cut_terms(coded_product& p) {
  mx::dot_model m;
  m.sum.fused = p.model.block > 0 ? p.model.block : 32;
  m.sum.fraction_bits = Bits;
  m.sum.zeros = mx::zero_term::ignored;
  p.model =
      mx::with_scales(mx::with_formats(m, p.model.a, p.model.b), p.model.scale, p.model.block);
}

using words = std::vector<std::uint32_t>;

void change_one_word(const coded_product&, words& d) {
  if (!d.empty()) d[d.size() / 2] ^= 1;
}

void drop_last_column(const coded_product& p, words& d) {
  for (std::size_t i = p.b.rows; i <= d.size(); i += p.b.rows) d[i - 1] = 0;
}

template <void (*How)(const coded_product&, words&)>
void write_wrongly(coded_product& p) {
  p.spoil = How;
}

void cut_results(coded_product& p) { p.model.sum.rounding = mx::rounding::toward_zero; }

}  // namespace

std::vector<std::uint32_t> coded_product::result() const {
  const mx::gemm_shape shape{static_cast<std::int64_t>(a.rows), static_cast<std::int64_t>(b.rows),
                             static_cast<std::int64_t>(a.padded())};
  mx::gemm_plan plan;
  plan.model = model;
  plan.alpha = mx::combined({1, a.tensor_scale, b.tensor_scale});
  std::vector<std::uint32_t> d(a.rows * b.rows);
  mx::gemm(plan, shape, operand_of(a), operand_of(b), nullptr, d.data());
  if (spoil != nullptr) spoil(*this, d);
  return d;
}

const std::vector<product_mutant>& all_product_mutants() {
  static const std::vector<product_mutant> all = [] {
    std::vector<product_mutant> joined;
    for (const mutant& m : all_mutants()) {
      joined.push_back({std::string(m.name), "in A: " + std::string(m.sentence),
                        [m](coded_product& p) { m.apply(p.a); }});
    }
    const product_mutant own[] = {
        {"truncation-of-both", "what the grid lacks is cut off in A and in B", truncate_both},
        {"accumulator-13-bits",
         "terms of a block are cut 13 bits below the largest, sums are truncated", cut_terms<13>},
        {"accumulator-25-bits",
         "terms of a block are cut 25 bits below the largest, sums are truncated", cut_terms<25>},
        {"accumulator-truncates", "sums are truncated instead of rounded", cut_results},
        {"one-word", "one word of D in the middle has a wrong last bit",
         write_wrongly<change_one_word>},
        {"last-column-dropped", "the last column of D is 0", write_wrongly<drop_last_column>}};
    joined.insert(joined.end(), std::begin(own), std::end(own));
    return joined;
  }();
  return all;
}

}  // namespace golden::validator
