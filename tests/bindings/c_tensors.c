// SPDX-License-Identifier: Apache-2.0
// tests/bindings/c_tensors.c: tensors to codes and back, and the parts of their error.
#include "c_case.h"

// Under scale 2^0 the codes of 0.75, -1.25 and 5 are ties, to the even codes 2 (1), 10 (-1), 6 (4).
static const float ties[3] = {0.75f, -1.25f, 5.0f};

static void check_mxfp4(void) {
  const uint64_t extents[1] = {3};
  const mx_shape shape = {extents, 1, -1};
  const mx_numbers numbers = {ties, sizeof ties, mx_number_fp32};
  unsigned char codes[16], scales[1], expected[16] = {0xA2, 0x06};
  float values[3] = {0, 0, 0};
  const mx_buffer out = BUFFER(values);
  uint64_t special = 7;
  mx_coded coded = {sizeof(mx_coded), BUFFER(codes), BUFFER(scales)};
  mx_coded sizes = {sizeof(mx_coded)};
  mx_format* format = format_made("mxfp4", NULL);
  EXPECT(strcmp(mx_format_spelling(format), "mxfp4") == 0);
  EXPECT(mx_coded_sizes(format, &shape, &sizes, NULL) == mx_status_ok);
  EXPECT(sizes.codes.bytes == 16 && sizes.scales.bytes == 1 && sizes.tensor_scales.bytes == 0);
  EXPECT(sizes.residual_codes.bytes == 0 && sizes.struct_size == sizeof(mx_coded));
  EXPECT(mx_tensor_quantize(format, &shape, &numbers, &coded, &special, NULL) == mx_status_ok);
  EXPECT(special == 0 && scales[0] == 127 && memcmp(codes, expected, sizeof codes) == 0);
  EXPECT(mx_tensor_dequantize(format, &shape, &coded, &out, NULL) == mx_status_ok);
  EXPECT(values[0] == 1.0f && values[1] == -1.0f && values[2] == 4.0f);
  mx_format_destroy(format);
}

static void check_bf16_and_high_nibbles(void) {
  const uint16_t x[3] = {0x3F40, 0xBFA0, 0x40A0};  // the same numbers
  const uint64_t extents[2] = {1, 3};
  const mx_shape shape = {extents, 2, 1};
  const mx_numbers numbers = {x, sizeof x, mx_number_bf16};
  unsigned char codes[16], scales[512];
  mx_coded coded = {sizeof(mx_coded), BUFFER(codes), BUFFER(scales)};
  mx_format* format = format_made(NULL, " packing=high-first  layout=128x4 scale-rule=rceil ");
  EXPECT(mx_tensor_quantize(format, &shape, &numbers, &coded, NULL, NULL) == mx_status_ok);
  EXPECT(scales[0] == 127 && scales[1] == 0 && codes[0] == 0x2A && codes[1] == 0x60);
  mx_format_destroy(format);
}

static void check_given_tensor_scale(void) {
  // 6 * 448 / 2688 is 1: under the tensor scale 2 the block's scale is 2.5, of byte 0x42.
  const float x[1] = {30.0f};
  const mx_shape scalar = {NULL, 0, 0};
  const mx_numbers numbers = {x, sizeof x, mx_number_fp32};
  unsigned char codes[8], scales[1];
  float above[1] = {2.0f}, value[1] = {0};
  const mx_buffer out = BUFFER(value);
  mx_coded coded = {sizeof(mx_coded), BUFFER(codes), BUFFER(scales), BUFFER(above)};
  mx_format* format = format_made("nvfp4", "tensor-scale=given");
  EXPECT(mx_tensor_quantize(format, &scalar, &numbers, &coded, NULL, NULL) == mx_status_ok);
  EXPECT(scales[0] == 0x42 && codes[0] == 7 && above[0] == 2.0f);
  EXPECT(mx_tensor_dequantize(format, &scalar, &coded, &out, NULL) == mx_status_ok);
  EXPECT(value[0] == 30.0f);
  mx_format_destroy(format);
  format = format_made("nvfp4", "");
  EXPECT(mx_tensor_quantize(format, &scalar, &numbers, &coded, NULL, NULL) == mx_status_ok);
  EXPECT(scales[0] == 0x7E && codes[0] == 7 && above[0] == 30.0f / 2688);
  mx_format_destroy(format);
}

static void check_energies(void) {
  const uint64_t extents[1] = {3};
  const mx_shape shape = {extents, 1, 0};
  const mx_numbers numbers = {ties, sizeof ties, mx_number_fp32};
  mx_energy energy = {sizeof(mx_energy)};
  mx_format* format = format_made("mxfp4", "scale-rule=floor");
  EXPECT(mx_tensor_decompose(format, &shape, &numbers, NULL, &energy, NULL) == mx_status_ok);
  EXPECT(energy.total == 1.125);  // 0.25^2 + 0.25^2 + 1
  EXPECT(energy.x_squared == 27.125 && energy.x_quantized == 22);
  EXPECT(energy.blocks == 1 && energy.elements == 3 && energy.special_blocks == 0);
  EXPECT(energy.identity_violations == 0 && energy.dead == 0 && energy.dead_actual == 0);
  EXPECT(energy.struct_size == sizeof energy);
  mx_format_destroy(format);
}

static void check_special_block(void) {
  const float zero = 0.0f;
  const float x[2] = {1.0f, 1.0f / zero};
  const uint64_t extents[1] = {2};
  const mx_shape shape = {extents, 1, 0};
  const mx_numbers numbers = {x, sizeof x, mx_number_fp32};
  unsigned char codes[32], scales[1];
  uint64_t special = 0;
  mx_coded coded = {sizeof(mx_coded), BUFFER(codes), BUFFER(scales)};
  mx_format* format = format_made("mxfp8-e4m3", NULL);
  EXPECT(mx_tensor_quantize(format, &shape, &numbers, &coded, &special, NULL) == mx_status_ok);
  EXPECT(special == 1 && scales[0] == 255 && codes[0] == 0);
  mx_format_destroy(format);
}

static void check_facts_of_formats(void) {
  static const struct {
    const char *format, *options, *element, *scale;
    uint32_t bits, a_byte, scale_bytes, rows, columns, ready;
  } facts[] = {{"mxfp4", "", "e2m1", "e8m0", 4, 2, 1, 1, 32, 1},
               {"mxfp4", "packing=unpacked", "e2m1", "e8m0", 4, 1, 1, 1, 32, 1},
               {"mxfp4", "packing=high-first", "e2m1", "e8m0", 4, 2, 1, 1, 32, 0},
               {"nvfp4", "", "e2m1", "ue4m3", 4, 2, 1, 1, 16, 1},
               {"nvfp4", "layout=128x4", "e2m1", "ue4m3", 4, 2, 1, 1, 16, 0},
               {"e2m1:ue4m3:16:row", "", "e2m1", "ue4m3", 4, 2, 1, 1, 16, 0},
               {"mxfp8-e5m2", "packing=high-first", "e5m2", "e8m0", 8, 1, 1, 1, 32, 1},
               {"mxint8", "", "int8", "e8m0", 8, 1, 1, 1, 32, 1},
               {"mxfp4+mbs=128,8", "", "e2m1", "e8m0", 4, 2, 1, 1, 32, 0},
               {"e3m2:e8m3:4x8", "", "e3m2", "e8m3", 6, 1, 2, 4, 8, 0},
               {"fp8-1x128", "", "e4m3", "fp32", 8, 1, 4, 1, 128, 0},
               {"e2m1:exact:32", "", "e2m1", "exact", 4, 2, 0, 1, 32, 0}};
  for (unsigned i = 0; i < sizeof facts / sizeof *facts; ++i) {
    mx_format* format = format_made(facts[i].format, facts[i].options);
    mx_format_facts f = {sizeof f};
    EXPECT(mx_format_describe(format, &f, NULL) == mx_status_ok);
    EXPECT(strcmp(f.element, facts[i].element) == 0 && strcmp(f.scale, facts[i].scale) == 0);
    EXPECT(f.code_bits == facts[i].bits && f.codes_a_byte == facts[i].a_byte);
    EXPECT(f.scale_bytes == facts[i].scale_bytes && f.product_ready == facts[i].ready);
    EXPECT(f.block_rows == facts[i].rows && f.block_columns == facts[i].columns);
    mx_format_destroy(format);
  }
  EXPECT(mx_format_describe(NULL, NULL, NULL) == mx_status_bad_argument);
}

static void check_nothing(void) {
  const uint64_t extents[2] = {5, 0};
  const mx_shape shape = {extents, 2, 1};
  const mx_numbers numbers = {NULL, 0, mx_number_fp16};
  const mx_coded coded = {sizeof(mx_coded)};
  const mx_buffer out = {NULL, 0};
  mx_format* format = format_made("mxint8", NULL);
  EXPECT(mx_tensor_quantize(format, &shape, &numbers, &coded, NULL, NULL) == mx_status_ok);
  EXPECT(mx_tensor_dequantize(format, &shape, &coded, &out, NULL) == mx_status_ok);
  mx_format_destroy(format);
}

void check_tensors(void) {
  check_mxfp4();
  check_bf16_and_high_nibbles();
  check_given_tensor_scale();
  check_energies();
  check_special_block();
  check_facts_of_formats();
  check_nothing();
}
