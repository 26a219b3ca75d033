// SPDX-License-Identifier: Apache-2.0
// tests/bindings/c_main.c: the library from strict C99: every function, with hand-computed bytes.
#include "c_case.h"

int failures = 0;

mx_format* format_made(const char* format, const char* options) {
  char text[200] = "";
  mx_error error = {text, sizeof text, 0};
  mx_format* made = NULL;
  const mx_status status = mx_format_create(format, options, &made, &error);
  if (status != mx_status_ok) fprintf(stderr, "%s\n", text);
  EXPECT(status == mx_status_ok && made != NULL && error.length == 0);
  return made;
}

mx_model* model_made(const char* name, const char* options) {
  char text[200] = "";
  mx_error error = {text, sizeof text, 0};
  mx_model* made = NULL;
  const mx_status status = mx_model_create(name, options, &made, &error);
  if (status != mx_status_ok) fprintf(stderr, "%s\n", text);
  EXPECT(status == mx_status_ok && made != NULL && error.length == 0);
  return made;
}

static void check_library(void) {
  EXPECT(mx_abi_version() == MXPRISM_ABI_VERSION);
  EXPECT(strchr(mx_version(), '.') != NULL);
  EXPECT(strcmp(mx_status_name(mx_status_ok), "ok") == 0);
  EXPECT(strcmp(mx_status_name(mx_status_internal), "internal error") == 0);
  EXPECT(strcmp(mx_status_name(mx_status_device), "device error") == 0);
  EXPECT(strcmp(mx_status_name(7), "unknown status") == 0);
  EXPECT(strcmp(mx_status_name(-1), "unknown status") == 0);
  mx_format_destroy(NULL);
  mx_model_destroy(NULL);
  EXPECT(mx_format_spelling(NULL) == NULL);
}

int main(void) {
  check_library();
  check_tensors();
  check_refused_tensors();
  check_products();
  check_refused_products();
  check_tensor_verdicts();
  check_product_verdicts();
  return failures == 0 ? 0 : 1;
}
