// SPDX-License-Identifier: Apache-2.0
// tests/bindings/example/bulk_example.cpp: a whole tensor in C++.
#include <mx/spelling.h>
#include <mx/tensor/blocks.h>

#include <cstdio>
#include <vector>

int main() {
  const mx::quantization q{mx::format_spelled("mxfp8-e4m3").format};
  const mx::blocked_shape shape{.outer = 100, .length = 1000};
  const std::vector<float> x(shape.elements(), 1.0F);
  const mx::blocked_sizes sizes = mx::sizes_of(q.format, shape, mx::code_packing::packed);
  std::vector<unsigned char> codes(sizes.code_bytes), scales(sizes.scale_bytes());
  mx::quantize_tensor(q, mx::number_type::fp32, x.data(), shape, {codes.data(), scales.data()});
  std::printf("%zu codes, the first %02x under %d\n", codes.size(), codes[0], scales[0]);
}
