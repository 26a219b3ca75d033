// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dpi_dot.cpp: dot products and tiles.
#include "rtl_models/dpi/dpi_refusal.h"
#include "rtl_models/dpi/known_operands.h"

using hardware::dot_vectors, hardware::dpi_context, hardware::guarded, hardware::require_all;

namespace {

constexpr int element_count = mx_dpi_rows * mx_dpi_columns;

/// Operands of four states: of one dot product, or the lines of a tile.
struct logic_dot {
  const svLogicVecVal *a, *b, *scale_a, *scale_b, *c;
  int rows, columns;
};

/// Result of `work` on the same operands in two states.
template <class Work>
void with_known(dpi_context& context, const logic_dot& in, const Work& work) {
  const hardware::dot_extent read = context.dot.extent();
  const auto known = [&](int number, const char* name, const svLogicVecVal* words, int count,
                         int bits, int looked_at) {
    return known_bits_of(context, {number, name, words, count, bits, looked_at});
  };
  const auto a = known(mx_dpi_operand_a, "a", in.a, in.rows, mx_dpi_code_bits, read.a);
  const auto b = known(mx_dpi_operand_b, "b", in.b, in.columns, mx_dpi_code_bits, read.b);
  const auto scale_a =
      known(mx_dpi_operand_scale_a, "scale_a", in.scale_a, in.rows, mx_dpi_scale_bits, read.scale);
  const auto scale_b = known(mx_dpi_operand_scale_b, "scale_b", in.scale_b, in.columns,
                             mx_dpi_scale_bits, read.scale);
  const auto c = known(mx_dpi_operand_c, "c", in.c, in.rows * in.columns, 32, 32);
  work(dot_vectors{a.data(), b.data(), scale_a.data(), scale_b.data(), c.data()});
}

void clear(svBitVecVal* words, int count) {
  for (int i = 0; words != nullptr && i < count; ++i) words[i] = 0;
}
void clear(svLogicVecVal* words, int count) {
  if (words != nullptr) hardware::make_unknown(words, 32 * count);
}

/// As guarded; a refusal clears d only afterwards, since C may be the same words.
template <class Word, class Work>
int guarded_into(Word* d, int count, void* handle, const Work& work) noexcept {
  const int status = guarded(handle, work);
  if (status != mx_dpi_ok) clear(d, count);
  return status;
}

}  // namespace

int mx_dpi_dot_select(void* handle, const char* model, const char* format_a, const char* format_b,
                      const char* format_scale, unsigned int block, unsigned int k) {
  return guarded(handle, [&](dpi_context& context) {
    require_all(model, format_a, format_b, format_scale);
    context.dot.select({model, format_a, format_b, format_scale, block, k});
  });
}

int mx_dpi_dot(void* handle, const svBitVecVal* a, const svBitVecVal* b, const svBitVecVal* scale_a,
               const svBitVecVal* scale_b, const svBitVecVal* c, svBitVecVal* d) {
  return guarded_into(d, 1, handle, [&](dpi_context& context) {
    require_all(a, b, scale_a, scale_b, c, d);
    *d = context.dot.multiply({a, b, scale_a, scale_b, c});
  });
}

int mx_dpi_dot_logic(void* handle, const svLogicVecVal* a, const svLogicVecVal* b,
                     const svLogicVecVal* scale_a, const svLogicVecVal* scale_b,
                     const svLogicVecVal* c, svLogicVecVal* d) {
  return guarded_into(d, 1, handle, [&](dpi_context& context) {
    require_all(a, b, scale_a, scale_b, c, d);
    with_known(context, {a, b, scale_a, scale_b, c, 1, 1}, [&](const dot_vectors& in) {
      *d = {context.dot.multiply(in), 0};
    });
  });
}

int mx_dpi_tile(void* handle, const svBitVecVal* a, const svBitVecVal* b,
                const svBitVecVal* scale_a, const svBitVecVal* scale_b, const svBitVecVal* c,
                svBitVecVal* d) {
  return guarded_into(d, element_count, handle, [&](const dpi_context& context) {
    require_all(a, b, scale_a, scale_b, c, d);
    context.dot.multiply_tile({a, b, scale_a, scale_b, c}, d);
  });
}

int mx_dpi_tile_logic(void* handle, const svLogicVecVal* a, const svLogicVecVal* b,
                      const svLogicVecVal* scale_a, const svLogicVecVal* scale_b,
                      const svLogicVecVal* c, svLogicVecVal* d) {
  return guarded_into(d, element_count, handle, [&](dpi_context& context) {
    require_all(a, b, scale_a, scale_b, c, d);
    with_known(context, {a, b, scale_a, scale_b, c, mx_dpi_rows, mx_dpi_columns},
               [&](const dot_vectors& in) {
                 svBitVecVal words[element_count];
                 context.dot.multiply_tile(in, words);
                 hardware::write_known(words, 32 * element_count, d);
               });
  });
}
