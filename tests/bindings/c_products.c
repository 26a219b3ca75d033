// SPDX-License-Identifier: Apache-2.0
// tests/bindings/c_products.c: dot products, one instruction, whole products.
#include "c_case.h"

// E4M3: 1, 2, 3, 4, 5, 6.
enum { one = 0x38, two = 0x40, three = 0x44, four = 0x48, five = 0x4A, six = 0x4C };

static void check_facts(void) {
  mx_model* model = model_made("blackwell.mxf4nvf4", NULL);
  mx_model_facts facts = {sizeof(mx_model_facts)};
  EXPECT(mx_model_describe(model, &facts, NULL) == mx_status_ok);
  EXPECT(strcmp(facts.name, "blackwell.mxf4nvf4") == 0 && strlen(facts.evidence) > 0);
  EXPECT(facts.a_code_bytes == 1 && facts.b_code_bytes == 1 && facts.block == 16);
  EXPECT(facts.result_bits == 32 && facts.addend_bits == 32);
  mx_model_destroy(model);
  model = model_made("volta.mma.f16.f32_c16", NULL);
  EXPECT(mx_model_describe(model, &facts, NULL) == mx_status_ok);
  EXPECT(facts.result_bits == 32 && facts.addend_bits == 16);
  mx_model_destroy(model);
  model = model_made("hopper.wgmma.e4m3.f16", "b-format=e5m2");
  EXPECT(mx_model_describe(model, &facts, NULL) == mx_status_ok);
  EXPECT(strcmp(facts.name, "hopper.wgmma.e4m3.e5m2.f16") == 0 && facts.result_bits == 16 && facts.addend_bits == 16);
  mx_model_destroy(model);
}

static void check_dot(void) {
  // 1 * 3 + 2 * 4 + 0.5, and the same with b in binary16; then twice and half under scales.
  unsigned char a[2] = {one, two}, b[2] = {three, four}, scale_a[1] = {128}, scale_b[1] = {126};
  uint16_t halves[2] = {0x4200, 0x4400};
  uint32_t c[1] = {0x3F000000}, d[1] = {0};
  mx_words words = {sizeof(mx_words), 1,         2,         BUFFER(a), BUFFER(b),
                    {NULL, 0},        {NULL, 0}, BUFFER(c), BUFFER(d)};
  mx_model* model = model_made("exact.rne", "a-format=e4m3 b-format=e4m3");
  EXPECT(mx_model_dot(model, &words, NULL) == mx_status_ok && d[0] == 0x41380000);
  mx_model_destroy(model);
  model = model_made("exact.rne", "a-format=e4m3 b-format=f16");
  words.b.data = halves;
  words.b.bytes = sizeof halves;
  d[0] = 0;
  EXPECT(mx_model_dot(model, &words, NULL) == mx_status_ok && d[0] == 0x41380000);
  mx_model_destroy(model);
  model = model_made("exact.rne", "a-format=e4m3 b-format=f16 scale-format=e8m0 block=32");
  words.scale_a.data = scale_a;
  words.scale_b.data = scale_b;
  words.scale_a.bytes = words.scale_b.bytes = 1;
  words.d = words.c;
  EXPECT(mx_model_dot(model, &words, NULL) == mx_status_ok && c[0] == 0x41380000);
  mx_model_destroy(model);
}

static void check_mma(void) {
  // {1 2; 3 4} * {5; 6} + {0; 1}: A by columns, B as one line, C and D every third word.
  unsigned char a[4] = {one, three, two, four}, b[2] = {five, six};
  uint32_t c[4] = {0, 9, 9, 0x3F800000}, d[4] = {1, 2, 3, 4};
  mx_tile tile = {sizeof(mx_tile), 2, 1, 2};
  mx_model* model = model_made("hopper.wgmma.e4m3.f32", NULL);
  tile.a.codes.data = a;
  tile.a.codes.bytes = sizeof a;
  tile.a.line_stride = 1;
  tile.a.k_stride = 2;
  tile.b.codes.data = b;
  tile.b.codes.bytes = sizeof b;
  tile.b.line_stride = 2;
  tile.b.k_stride = 1;
  tile.c.data = c;
  tile.c.bytes = sizeof c;
  tile.d.data = d;
  tile.d.bytes = sizeof d;
  tile.c_stride = tile.d_stride = 3;
  EXPECT(mx_model_mma(model, &tile, NULL) == mx_status_ok);
  EXPECT(d[0] == 0x41880000 && d[1] == 2 && d[2] == 3 && d[3] == 0x42200000);
  mx_model_destroy(model);
}

static void check_gemm(void) {
  // 64 products of 1 and 1 under scales 1 and 2: 128; in two parts, times 1/2, rounded to BF16.
  unsigned char a[32], b[64], scale_a[2] = {127, 127}, scale_b[2] = {128, 128};
  uint32_t c[1] = {0x3F800000}, d[1] = {0};
  mx_product p = {sizeof(mx_product), 1, 1, 64};
  mx_plan plan = {sizeof(mx_plan)};
  mx_model* model = model_made("blackwell.mxf4", NULL);
  memset(a, 0x22, sizeof a);
  memset(b, 0x02, sizeof b);
  p.a.codes.data = a;
  p.a.codes.bytes = sizeof a;
  p.a.storage = mx_codes_pairs;
  p.a.scales.data = scale_a;
  p.b.codes.data = b;
  p.b.codes.bytes = sizeof b;
  p.b.storage = mx_codes_bytes;
  p.b.scales.data = scale_b;
  p.a.scales.bytes = p.b.scales.bytes = 2;
  p.d.data = d;
  p.d.bytes = sizeof d;
  EXPECT(mx_model_gemm(model, &p, NULL, NULL) == mx_status_ok && d[0] == 0x43000000);
  EXPECT(mx_plan_default(model, &plan, NULL) == mx_status_ok);
  EXPECT(plan.alpha == 1 && plan.split_k == 1 && plan.output == mx_number_fp32);
  plan.split_k = 2;
  plan.promote = 32;
  plan.split_order = mx_split_pairwise;
  plan.c_entry = mx_c_epilogue;
  plan.tensor_scale_a = 0.25f;
  plan.alpha = 2;
  plan.output = mx_number_bf16;
  plan.output_rounding = mx_rounding_toward_zero;
  p.c.data = c;
  p.c.bytes = sizeof c;
  EXPECT(mx_model_gemm(model, &p, &plan, NULL) == mx_status_ok && d[0] == 0x4282);  // 64 + 1
  mx_model_destroy(model);
}

void check_products(void) {
  check_facts();
  check_dot();
  check_mma();
  check_gemm();
}
