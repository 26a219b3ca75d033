// SPDX-License-Identifier: Apache-2.0
// tests/dpi/models.h: options of contexts and, independently, the models that they select.
#pragma once
#include "cross/dot_words.h"
#include "mx/dot/block_scaled_models.h"
#include "mx/dot/dot.h"
#include "mx/dot/generic_models.h"
#include "packed.h"

namespace dpi {

/// Keeps the lowest bits of codes, as on pins.
inline void cut(std::vector<std::uint32_t>& codes, int width) {
  for (std::uint32_t& code : codes) code &= (1U << width) - 1;
}

/// Words of mx_dpi_dot_select.
struct choice {
  const char *model, *format_a, *format_b, *format_scale;
  unsigned block, k;
  mx::dot_model stands_for;

  [[nodiscard]] int select(const context& in) const {
    return mx_dpi_dot_select(in.get(), model, format_a, format_b, format_scale, block, k);
  }
  [[nodiscard]] int length() const { return k == 0 ? mx_dpi_k : static_cast<int>(k); }
  /// `count` words of each kind.
  [[nodiscard]] std::vector<cross::dot_word> words(int count) const {
    std::vector<cross::dot_word> words = cross::words_of({model, stands_for, {}}, length(), count);
    for (cross::dot_word& word : words) {
      cut(word.a, stands_for.a.width());
      cut(word.b, stands_for.b.width());
      cut(word.scale_a, stands_for.scale.width());
      cut(word.scale_b, stands_for.scale.width());
    }
    return words;
  }
  ///   above  all bits that must be ignored
  [[nodiscard]] operands operands_of(const cross::dot_word& w, std::uint32_t above = 0) const {
    const mx::dot_model& m = stands_for;
    return {packed<mx_dpi_code_bits>(w.a, m.a.width(), above),
            packed<mx_dpi_code_bits>(w.b, m.b.width(), above),
            packed<mx_dpi_scale_bits>(w.scale_a, m.scale.width(), above),
            packed<mx_dpi_scale_bits>(w.scale_b, m.scale.width(), above), w.c};
  }
  [[nodiscard]] std::uint32_t expected(const cross::dot_word& w) const {
    const bool scaled = stands_for.block > 0;
    return mx::dot(stands_for, w.a.data(), w.b.data(), w.size(), w.c,
                   scaled ? w.scale_a.data() : nullptr, scaled ? w.scale_b.data() : nullptr);
  }
};

/// Every form that mx_dot has, and numbers without scales.
inline std::vector<choice> choices() {
  namespace formats = mx::formats;
  using mx::tensor_cores::grouped_f4, mx::tensor_cores::mxf8f6f4;
  const mx::dot_model exact = mx::accumulations::exact(mx::rounding::ties_to_even);
  const mx::dot_model sequential = mx::accumulations::block_by_block();
  return {
      {"blackwell.mxf4", "", "", "", 0, 0, grouped_f4(formats::e8m0, 32)},
      {"blackwell.mxf4nvf4", "", "", "", 0, 0, grouped_f4(formats::ue4m3, 16)},
      {"blackwell.mxf4", "", "", "e8m3", 0, 0, grouped_f4(formats::e8m(3), 32)},
      {"blackwell.mxf4", "", "", "ue4m3", 32, 64, grouped_f4(formats::ue4m3, 32)},
      {"blackwell.mxf8f6f4.e2m3.e2m3", "", "", "", 0, 32, mxf8f6f4(formats::e2m3, formats::e2m3)},
      {"blackwell.mxf8f6f4.e4m3.e5m2", "", "", "", 0, 0, mxf8f6f4(formats::e4m3, formats::e5m2)},
      {"exact.rne", "", "", "", 0, 0, exact},
      {"exact.rz", "", "", "", 0, 0, mx::accumulations::exact(mx::rounding::toward_zero)},
      {"exact.rne", "", "", "ue4m3", 16, 0, mx::with_scales(exact, formats::ue4m3, 16)},
      {"fp32.sequential", "e3m2", "e3m2", "", 0, 0,
       mx::with_formats(sequential, formats::e3m2, formats::e3m2)},
      {"fp32.sequential", "e4m3", "e4m3", "", 0, 0,
       mx::with_formats(sequential, formats::e4m3, formats::e4m3)},
      {"hopper.wgmma.e4m3.f32", "", "", "", 0, 0, mx::model_named("hopper.wgmma.e4m3.f32")->model}};
}

}  // namespace dpi
