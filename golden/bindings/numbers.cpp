// SPDX-License-Identifier: Apache-2.0
// golden/bindings/numbers.cpp: numbers of any type and alignment as FP32.
#include "golden/bindings/numbers.h"

#include <cstring>

#include "mx/element.h"

namespace bindings {

std::vector<float> widened(mx::number_type type, const void* x, std::uint64_t count) {
  std::vector<float> values(count);
  if (count == 0) return values;
  if (type == mx::number_type::fp32) {
    std::memcpy(values.data(), x, count * sizeof(float));
    return values;
  }
  const mx::format& f =
      type == mx::number_type::fp16 ? mx::formats::binary16 : mx::formats::bfloat16;
  const auto* first = static_cast<const unsigned char*>(x);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint16_t code = 0;
    std::memcpy(&code, first + 2 * i, sizeof code);
    values[i] = mx::to_binary32(mx::decode(f, code));
  }
  return values;
}

}  // namespace bindings
