// SPDX-License-Identifier: Apache-2.0
// tests/bindings/c_refused.c: errors are reported as a status and a message, without other effects.
#include "c_case.h"

static char text[300];
static mx_error error = {text, sizeof text, 0};

/// Whether the last message contains a substring.
static int told(const char* part) { return error.length > 0 && strstr(text, part) != NULL; }

static void check_spellings(void) {
  char small[8] = "xxxxxxx";
  mx_error cut = {small, sizeof small, 0};
  mx_format* made = (mx_format*)text;
  EXPECT(mx_format_create("mxfp5", NULL, &made, &error) == mx_status_bad_name);
  EXPECT(made == NULL && told("mxfp4"));
  EXPECT(mx_format_create("mxfp5", NULL, &made, &cut) == mx_status_bad_name);
  EXPECT(cut.length == error.length && strlen(small) == 7);
  EXPECT(mx_format_create("mxfp4\n", NULL, &made, &error) == mx_status_bad_name);
  EXPECT(strchr(text, '\n') == NULL);
  EXPECT(mx_format_create("mxfp4\177", NULL, &made, &error) == mx_status_bad_name);
  EXPECT(strchr(text, '\177') == NULL);
  EXPECT(mx_format_create("mxfp4", "scale-rule=foor", &made, &error) == mx_status_bad_name);
  EXPECT(told("floor"));
  EXPECT(mx_format_create("mxfp4", "scale=floor", &made, &error) == mx_status_bad_name);
  EXPECT(told("scale-rule"));
  EXPECT(mx_format_create("mxfp4", "seed=1 seed=1", &made, &error) == mx_status_bad_name);
  EXPECT(mx_format_create("mxfp4", "seed", &made, &error) == mx_status_bad_name);
  EXPECT(mx_format_create("mxfp4", "seed=-1", &made, &error) == mx_status_bad_name);
  EXPECT(mx_format_create("mxfp4", "rounding=stochastic seed=12x", &made, &error) ==
         mx_status_bad_name);
  EXPECT(mx_format_create("mxfp4", "random-bits=0", &made, &error) == mx_status_bad_name);
  EXPECT(made == NULL && told("from 1 to 24"));
  EXPECT(mx_format_create("mxfp4", "random-bits=25", &made, &error) == mx_status_bad_name);
  EXPECT(mx_format_create("mxfp8-e4m3", "scale-rule=4over6-mse", &made, &error) ==
         mx_status_unsupported);
  EXPECT(mx_format_create("mxfp4", "tensor-scale=given", &made, &error) == mx_status_unsupported);
  EXPECT(mx_format_create("mxfp4", "variant=torchao.rceil seed=1", &made, &error) ==
         mx_status_unsupported);
  EXPECT(mx_format_create("mxfp4", NULL, NULL, &error) == mx_status_bad_argument);
}

static void check_given_tensor_scales(void) {
  const float zero = 0.0f, infinite = 1.0f / zero;
  const float wrong[4] = {0.0f, -1.0f, infinite, infinite - infinite};
  float x[1] = {1.0f}, above[1];
  unsigned char codes[8], scales[1];
  const mx_shape scalar = {NULL, 0, 0};
  const mx_numbers numbers = {x, sizeof x, mx_number_fp32};
  const mx_buffer buffer = BUFFER(above);
  const mx_coded coded = {sizeof(mx_coded), BUFFER(codes), BUFFER(scales), BUFFER(above)};
  mx_energy energy = {sizeof(mx_energy)};
  mx_format* f = format_made("nvfp4", "tensor-scale=given");
  int i = 0;
  for (i = 0; i < 4; ++i) {
    above[0] = wrong[i];
    EXPECT(mx_tensor_quantize(f, &scalar, &numbers, &coded, NULL, &error) ==
           mx_status_bad_argument);
    EXPECT(mx_tensor_decompose(f, &scalar, &numbers, &buffer, &energy, &error) ==
           mx_status_bad_argument);
  }
  EXPECT(mx_tensor_decompose(f, &scalar, &numbers, NULL, &energy, &error) ==
         mx_status_bad_argument);
  above[0] = 0.5f;
  EXPECT(mx_tensor_decompose(f, &scalar, &numbers, &buffer, &energy, &error) == mx_status_ok);
  mx_format_destroy(f);
}

void check_refused_tensors(void) {
  float x[4] = {1, 2, 3, 4};
  unsigned char codes[16], scales[1];
  const uint64_t extents[1] = {4}, huge[3] = {UINT64_MAX / 2, 3, 2}, wide[2] = {1, 1ull << 59};
  mx_shape shape = {extents, 1, 0};
  mx_numbers numbers = {x, sizeof x, mx_number_fp32};
  mx_coded coded = {sizeof(mx_coded), BUFFER(codes), BUFFER(scales)};
  mx_energy energy = {sizeof(mx_energy)};
  mx_buffer values = BUFFER(x);
  mx_format* f = format_made("mxfp4", NULL);
  check_spellings();
  check_given_tensor_scales();
  EXPECT(mx_tensor_quantize(NULL, &shape, &numbers, &coded, NULL, &error) ==
         mx_status_bad_argument);
  EXPECT(mx_tensor_quantize(f, NULL, &numbers, &coded, NULL, &error) == mx_status_bad_argument);
  EXPECT(mx_tensor_quantize(f, &shape, NULL, &coded, NULL, &error) == mx_status_bad_argument);
  EXPECT(mx_tensor_quantize(f, &shape, &numbers, NULL, NULL, NULL) == mx_status_bad_argument);
  EXPECT(mx_tensor_decompose(f, &shape, &numbers, NULL, NULL, &error) == mx_status_bad_argument);
  EXPECT(mx_tensor_decompose(f, &shape, &numbers, &values, &energy, &error) ==
         mx_status_bad_argument);
  EXPECT(mx_tensor_dequantize(f, &shape, &coded, NULL, &error) == mx_status_bad_argument);
  numbers.type = 3;
  EXPECT(mx_tensor_quantize(f, &shape, &numbers, &coded, NULL, &error) == mx_status_bad_argument);
  numbers.type = mx_number_fp16;
  EXPECT(mx_tensor_quantize(f, &shape, &numbers, &coded, NULL, &error) == mx_status_bad_argument);
  EXPECT(told("16 bytes; expected 8"));
  numbers.type = mx_number_fp32;
  shape.axis = 1;
  EXPECT(mx_tensor_quantize(f, &shape, &numbers, &coded, NULL, &error) == mx_status_bad_argument);
  shape.axis = -2;
  EXPECT(mx_tensor_quantize(f, &shape, &numbers, &coded, NULL, &error) == mx_status_bad_argument);
  shape.axis = 0;
  coded.codes.bytes = 15;
  EXPECT(mx_tensor_quantize(f, &shape, &numbers, &coded, NULL, &error) == mx_status_bad_argument);
  EXPECT(told("codes has 15 bytes; expected 16"));
  coded.codes.bytes = 16;
  coded.scales.data = NULL;
  EXPECT(mx_tensor_quantize(f, &shape, &numbers, &coded, NULL, &error) == mx_status_bad_argument);
  coded.struct_size = sizeof coded - 8;
  EXPECT(mx_coded_sizes(f, &shape, &coded, &error) == mx_status_bad_argument);
  coded.struct_size = sizeof coded;
  shape.extents = huge;
  shape.dimensions = 3;
  EXPECT(mx_coded_sizes(f, &shape, &coded, &error) == mx_status_bad_argument);
  shape.extents = wide;
  shape.dimensions = 2;
  EXPECT(mx_coded_sizes(f, &shape, &coded, &error) == mx_status_bad_argument);
  shape.dimensions = 65;
  EXPECT(mx_coded_sizes(f, &shape, &coded, &error) == mx_status_bad_argument);
  EXPECT(told("at most 64 dimensions"));
  mx_format_destroy(f);
  f = format_made("e2m1:exact:32", "scale-rule=ideal");
  shape.extents = extents;
  shape.dimensions = 1;
  EXPECT(mx_coded_sizes(f, &shape, &coded, &error) == mx_status_unsupported);
  EXPECT(mx_tensor_decompose(f, &shape, &numbers, NULL, &energy, &error) == mx_status_ok);
  EXPECT(error.length == 0 && text[0] == '\0');
  mx_format_destroy(f);
}

static void check_model_spellings(void) {
  mx_model* made = NULL;
  EXPECT(mx_model_create("hopper.wgmma.e4m3.f3", NULL, &made, &error) == mx_status_bad_name);
  EXPECT(told("hopper.wgmma.e4m3.f32"));
  EXPECT(mx_model_create(NULL, NULL, &made, &error) == mx_status_bad_argument);
  EXPECT(mx_model_create("exact.rne", NULL, &made, &error) == mx_status_unsupported);
  EXPECT(mx_model_create("exact.rne", "a-format=e4m3 b-format=e4m3 block=32", &made, &error) ==
         mx_status_unsupported);
  EXPECT(mx_model_create("exact.rne", "a-format=e4m3 b-format=e4m3 scale-format=e8m3 block=32",
                         &made, &error) == mx_status_unsupported);
  EXPECT(told("scales of one byte"));
  EXPECT(mx_model_create("blackwell.mxf4", "block=16", &made, &error) == mx_status_unsupported);
  EXPECT(mx_model_create("volta.mma.f16.f32", "a-format=e4m3", &made, &error) ==
         mx_status_unsupported);
  EXPECT(mx_model_create("volta.mma.f16.f32", NULL, NULL, &error) == mx_status_bad_argument);
  EXPECT(made == NULL);
}

void check_refused_products(void) {
  unsigned char a[2] = {1, 16}, b[2] = {1, 1}, scales[1] = {127};
  uint32_t c[2] = {0, 0}, d[2];
  uint16_t halves[2] = {0, 0};
  mx_words words = {sizeof(mx_words), 1,      2,     BUFFER(a), BUFFER(b), BUFFER(scales),
                    BUFFER(scales),   {c, 4}, {d, 4}};
  mx_plan plan = {sizeof(mx_plan)};
  mx_tile tile = {sizeof(mx_tile), 1, 1, 2};
  mx_product p = {sizeof(mx_product), 1, 1, 2};
  mx_model* m = model_made("blackwell.mxf4", NULL);
  check_model_spellings();
  EXPECT(mx_model_dot(NULL, &words, &error) == mx_status_bad_argument);
  EXPECT(mx_model_dot(m, NULL, &error) == mx_status_bad_argument);
  EXPECT(mx_model_dot(m, &words, &error) == mx_status_bad_argument && told("more than 4 bits"));
  a[1] = 1;
  EXPECT(mx_model_dot(m, &words, &error) == mx_status_ok);
  words.count = UINT64_MAX;
  EXPECT(mx_model_dot(m, &words, &error) == mx_status_bad_argument);
  words.count = 1;
  words.c.data = (char*)c + 1;
  EXPECT(mx_model_dot(m, &words, &error) == mx_status_bad_argument);
  words.c.data = c;
  words.scale_b.bytes = 0;
  EXPECT(mx_model_dot(m, &words, &error) == mx_status_bad_argument && told("scale_b"));
  tile.a.codes.data = tile.b.codes.data = b;
  tile.a.codes.bytes = tile.b.codes.bytes = 2;
  tile.a.k_stride = tile.b.k_stride = 1;
  tile.a.scales.data = tile.b.scales.data = scales;
  tile.a.scales.bytes = tile.b.scales.bytes = 1;
  tile.c.data = tile.d.data = d;
  tile.c.bytes = tile.d.bytes = 4;
  d[0] = 0;
  EXPECT(mx_model_mma(m, &tile, &error) == mx_status_ok);
  tile.b.k_stride = 2;
  EXPECT(mx_model_mma(m, &tile, &error) == mx_status_bad_argument && told("b has 2 bytes"));
  tile.b.k_stride = UINT64_MAX;
  EXPECT(mx_model_mma(m, &tile, &error) == mx_status_bad_argument);
  tile.b.k_stride = 1;
  tile.b.scales.bytes = 0;
  EXPECT(mx_model_mma(m, &tile, &error) == mx_status_bad_argument);
  EXPECT(told("scale_b has 0 bytes; its strides lead to 1"));
  tile.b.scales.data = NULL;
  EXPECT(mx_model_mma(m, &tile, &error) == mx_status_bad_argument && told("scale_b is null"));
  tile.c.data = NULL;
  tile.b.scales = tile.a.scales;
  EXPECT(mx_model_mma(m, &tile, &error) == mx_status_bad_argument && told("c is null"));
  EXPECT(mx_plan_default(m, &plan, &error) == mx_status_ok);
  p.a.codes.data = p.b.codes.data = b;
  p.a.codes.bytes = p.b.codes.bytes = 2;
  p.a.storage = p.b.storage = mx_codes_bytes;
  p.a.scales = p.b.scales = tile.a.scales;
  p.d.data = d;
  p.d.bytes = 4;
  EXPECT(mx_model_gemm(m, &p, &plan, &error) == mx_status_ok);
  plan.promote = 33;
  EXPECT(mx_model_gemm(m, &p, &plan, &error) == mx_status_bad_argument);
  EXPECT(told("promote is 33; expected 0 or a multiple of the block, which is 32"));
  plan.promote = 0;
  plan.output = 3;
  EXPECT(mx_model_gemm(m, &p, &plan, &error) == mx_status_bad_argument);
  p.n = (1ull << 30) + 1;
  EXPECT(mx_model_gemm(m, &p, NULL, &error) == mx_status_bad_argument);
  p.n = 1;
  p.a.storage = mx_codes_words;
  EXPECT(mx_model_gemm(m, &p, NULL, &error) == mx_status_bad_argument);
  p.d.bytes = 8;
  p.a.storage = mx_codes_bytes;
  EXPECT(mx_model_gemm(m, &p, NULL, &error) == mx_status_bad_argument);
  p.d.bytes = 4;
  p.d.data = (char*)d + 1;
  EXPECT(mx_model_gemm(m, &p, NULL, &error) == mx_status_bad_argument);
  EXPECT(told("d is not aligned to 4 bytes"));
  p.d.data = d;
  p.a.codes.bytes = 3;
  EXPECT(mx_model_gemm(m, &p, NULL, &error) == mx_status_bad_argument);
  EXPECT(told("a has 3 bytes; expected 2"));
  mx_model_destroy(m);
  m = model_made("volta.mma.f16.f16", NULL);
  p.a.storage = p.b.storage = mx_codes_halves;
  p.a.codes.data = p.b.codes.data = halves;
  p.a.codes.bytes = p.b.codes.bytes = sizeof halves;
  p.a.scales.bytes = p.b.scales.bytes = 0;
  p.c.data = c;
  p.c.bytes = 4;
  EXPECT(mx_model_gemm(m, &p, NULL, &error) == mx_status_ok);
  c[0] = 0x10000;
  EXPECT(mx_model_gemm(m, &p, NULL, &error) == mx_status_bad_argument);
  EXPECT(told("c: one has more than 16 bits"));
  mx_model_destroy(m);
  m = model_made("hopper.wgmma.e4m3.f32", NULL);
  tile.c.data = d;
  EXPECT(mx_model_mma(m, &tile, &error) == mx_status_bad_argument);
  EXPECT(told("scale_a has 1 bytes; expected 0"));
  mx_model_destroy(m);
}
