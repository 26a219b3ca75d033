// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/tensor_scales_fuzz.cpp: any bytes as a kernel's codes, scales and tensor scales, with
// the tensor that it was given. There is a verdict, and a tensor scale that is not a positive
// finite number is never exact.
#include <algorithm>
#include <array>

#include "golden/validator/tensor/diagnosis_words.h"
#include "golden/validator/tensor/rendering.h"
#include "mx/block/names.h"
#include "mx/spelling.h"
#include "require.h"

namespace {

using namespace golden::validator;

/// Bytes one after the other; zeros after the last one.
class byte_source {
 public:
  byte_source(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  std::uint8_t byte() { return left_ == 0 ? 0 : (--left_, *data_++); }
  std::uint32_t word() {
    std::uint32_t value = 0;
    for (int k = 0; k < 4; ++k) value |= std::uint32_t{byte()} << (8 * k);
    return value;
  }
  std::vector<float> floats(std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = mx::float_of(word());
    return values;
  }
  /// Changes as many bytes.
  void disturb(std::vector<std::uint8_t>& bytes) {
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(b ^ byte());
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

constexpr std::array formats{"nvfp4",
                             "e2m1:ue4m3:16:row",
                             "e2m1:ue5m3:16:tensor",
                             "e2m1:ue4m3:16:tensor256",
                             "e4m3:e8m0:8:tensor",
                             "int8:e8m3:8:row",
                             "e2m1:ue4m3:2x8:tensor",
                             "mxfp4"};

/// The source of the tensor scales of the declared recipe: 0 the rule, 1 the file.
tensor_source source_of(std::uint8_t byte) {
  return byte % 2 == 0 ? tensor_source::computed : tensor_source::as_stored;
}

/// Between none and one more than required.
std::size_t count_given(std::uint8_t byte, std::size_t due) {
  const std::array counts{due, std::size_t{0}, std::size_t{1}, due + 1};
  return counts[byte % counts.size()];
}

bool is_due(const prediction& p, const subject& s) {
  return !s.tensor_scales.empty() && p.kernel().format().has_tensor_scale();
}

bool has_unusable(const comparison& c) { return c.tensor_scale && c.tensor_scale->is_unusable(); }

void check(const hypothesis& declared, const subject& s, bool whole) {
  const diagnosis found = diagnose(declared, {&s, 1}, {whole ? 1 : 0});
  const std::string text = report_text(found);
  extent_memory extents;
  const prediction p(declared, s, extents);
  const bool unusable = is_due(p, s) && has_unusable_scale(s);
  const bool fits = found.tensors.front().fits;
  fuzz::require(!unusable || found.verdict != verdict::exact,
                "a tensor scale that is none is not exact");
  fuzz::require(
      !fits || p.tensor_scales().empty() || has_unusable(found.tensors.front().found) == unusable,
      "it is named with both numbers");
  fuzz::require(!unusable || !fits || p.tensor_scales().empty() ||
                    text.find("the tensor scale 0x") != std::string::npos,
                "in words too");
}

}  // namespace

/// Format, rows, columns, source and number of tensor scales, depth of the search; tensor scales;
/// numbers; then the changes of the bytes of the right codes and scales.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  byte_source from(data, size);
  hypothesis declared;
  declared.recipe.rules.format = mx::format_spelled(formats[from.byte() % formats.size()]).format;
  declared.recipe.rules.rule = mx::default_rule(declared.format());
  const std::uint64_t rows = from.byte() % 4U, columns = from.byte() % 40U;
  declared.above = source_of(from.byte());
  const std::uint8_t given = from.byte(), depth = from.byte();
  subject s;
  s.name = "x";
  s.shape = {rows, columns};
  const mx::block_format& f = declared.format();
  const std::size_t due = f.tensor == mx::tensor_scaling::per_row ? rows : 1;
  const std::vector<float> scales = from.floats(count_given(given, due));
  const std::vector<float> x = from.floats(rows * columns);
  s.values = {reinterpret_cast<const std::uint8_t*>(x.data()), x.size() * sizeof(float)};
  extent_memory extents;
  rendered made = render(prediction(declared, s, extents));
  from.disturb(made.codes);
  from.disturb(made.scales);
  s.codes = made.codes, s.scales = made.scales, s.tensor_scales = scales;
  check(declared, s, depth % 2 != 0);
  return 0;
}
