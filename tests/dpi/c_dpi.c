// SPDX-License-Identifier: Apache-2.0
// tests/dpi/c_dpi.c: the DPI package from strict C99, with hand-computed bits.
#include <string.h>

#include "../c_expect.h"
#include "rtl_models/dpi/mx_dpi.h"

int failures = 0;

static void check_library(void) {
  EXPECT(mx_dpi_abi_version() == MX_DPI_ABI_VERSION);
  EXPECT(strcmp(mx_dpi_version(), MXPRISM_VERSION) == 0);
  EXPECT(strcmp(mx_dpi_status_name(mx_dpi_ok), "ok") == 0);
  EXPECT(strcmp(mx_dpi_status_name(mx_dpi_bad_name), "bad name") == 0);
  EXPECT(strcmp(mx_dpi_status_name(mx_dpi_bad_handle), "bad handle") == 0);
  EXPECT(strcmp(mx_dpi_status_name(mx_dpi_unknown_bits), "unknown bits") == 0);
  EXPECT(strcmp(mx_dpi_status_name(8), "unknown status") == 0);
  EXPECT(strcmp(mx_dpi_status_name(-1), "unknown status") == 0);
}

/* 6 * 6 + 1.5 * -2 under scales of 1, and 0.5 * 0.5 under 2 * 4, and C = 1: 36 - 3 + 2 + 1. */
static void check_dot(void* handle) {
  svBitVecVal a[16] = {0x37}, b[16] = {0xC7}, scale_a[2] = {127 + (128 << 8)},
              scale_b[2] = {127 + (129 << 8)}, c = 0x3F800000, d = 0;
  unsigned int steps = 0;
  a[4] = b[4] = 0x1; /* element 32 */
  EXPECT(mx_dpi_dot(handle, a, b, scale_a, scale_b, &c, &d) == mx_dpi_ok);
  EXPECT(d == 0x42100000);
  EXPECT(mx_dpi_step_count(handle, &steps) == mx_dpi_ok && steps == 1);
}

/* Row 2 of A times column 3 of B is 6 * 6. */
static void check_tile(void* handle) {
  static svBitVecVal a[16 * 16], b[8 * 16], scale_a[16 * 2], scale_b[8 * 2], c[128], d[128];
  int i;
  for (i = 0; i < 16; ++i) scale_a[2 * i] = 127 + (127 << 8);
  for (i = 0; i < 8; ++i) scale_b[2 * i] = 127 + (127 << 8);
  a[2 * 16] = b[3 * 16] = 7;
  EXPECT(mx_dpi_tile(handle, a, b, scale_a, scale_b, c, d) == mx_dpi_ok);
  for (i = 0; i < 128; ++i) EXPECT(d[i] == (i == 2 * 8 + 3 ? 0x42100000 : 0));
}

static void check_unknown(void* handle) {
  svLogicVecVal a[16], b[16], scale_a[2], scale_b[2], c, d;
  unsigned int count = 0, element = 9, place = 9;
  int operand = 9;
  memset(a, 0, sizeof a);
  memset(b, 0, sizeof b);
  memset(scale_a, 0, sizeof scale_a);
  memset(scale_b, 0, sizeof scale_b);
  memset(&c, 0, sizeof c);
  b[1].bval = 4;
  EXPECT(mx_dpi_dot_logic(handle, a, b, scale_a, scale_b, &c, &d) == mx_dpi_unknown_bits);
  EXPECT(d.aval == 0xFFFFFFFF && d.bval == 0xFFFFFFFF);
  EXPECT(mx_dpi_unknown(handle, &count, &operand, &element, &place) == mx_dpi_ok);
  EXPECT(count == 1 && operand == mx_dpi_operand_b && element == 0 && place == 34);
  EXPECT(strcmp(mx_dpi_error_text(handle, 0), "b has Z at bit 34") == 0);
}

int main(void) {
  void* handle = mx_dpi_create();
  EXPECT(handle != NULL);
  check_library();
  check_dot(handle);
  check_tile(handle);
  check_unknown(handle);
  EXPECT(mx_dpi_destroy(handle) == mx_dpi_ok);
  EXPECT(mx_dpi_destroy(NULL) == mx_dpi_bad_handle);
  return failures == 0 ? 0 : 1;
}
