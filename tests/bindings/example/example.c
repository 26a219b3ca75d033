// SPDX-License-Identifier: Apache-2.0
// tests/bindings/example/example.c: three numbers in MXFP4 and back, and a verdict on a kernel that
// writes a wrong code.
#include <mxprism/mxprism.h>
#include <stdio.h>

int main(void) {
  const float x[3] = {0.3f, -1.2f, 4.7f};
  const uint64_t extents[1] = {3};
  const mx_shape shape = {extents, 1, -1};
  const mx_numbers numbers = {x, sizeof x, mx_number_fp32};
  unsigned char codes[16], scales[1];
  float values[3];
  const mx_coded coded = {sizeof coded, {codes, sizeof codes}, {scales, sizeof scales}};
  const mx_buffer out = {values, sizeof values};
  char text[200];
  mx_error error = {text, sizeof text, 0};
  mx_format* format = NULL;
  mx_verdict* verdict = NULL;
  mx_verdict_facts facts = {sizeof facts};
  if (mx_format_create("mxfp4", "scale-rule=rceil", &format, &error) != mx_status_ok ||
      mx_tensor_quantize(format, &shape, &numbers, &coded, NULL, &error) != mx_status_ok ||
      mx_tensor_dequantize(format, &shape, &coded, &out, &error) != mx_status_ok) {
    fprintf(stderr, "%s\n", text);
    return 1;
  }
  printf("scale %d, codes %02x %02x, values %g %g %g\n", scales[0], codes[0], codes[1],
         (double)values[0], (double)values[1], (double)values[2]);
  codes[1] ^= 0x01;
  if (mx_tensor_verify(format, &shape, &numbers, &coded, NULL, &verdict, &error) != mx_status_ok ||
      mx_verdict_describe(verdict, &facts, &error) != mx_status_ok) {
    fprintf(stderr, "%s\n", text);
    return 1;
  }
  printf("%s", facts.text);
  mx_verdict_destroy(verdict);
  mx_format_destroy(format);
  return 0;
}
