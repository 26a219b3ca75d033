// SPDX-License-Identifier: Apache-2.0
// tests/bindings/example/core_example.cpp: the same with the header-only rules alone.
#include <mx/block/block.h>

#include <cstdio>

int main() {
  const float x[32] = {0.3F, -1.2F, 4.7F};
  const mx::mxfp4 block = mx::quantize(x, mx::scale_rule::rceil);
  std::printf("scale %d, codes %x %x %x\n", block.scale.code, block.elements[0].code,
              block.elements[1].code, block.elements[2].code);
}
