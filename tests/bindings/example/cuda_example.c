// SPDX-License-Identifier: Apache-2.0
// tests/bindings/example/cuda_example.c: whether a CUDA device can be used, and what is missing if
// not.
#include <mxprism/cuda.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const uint64_t extents[1] = {32};
  const mx_shape shape = {extents, 1, -1};
  char text[200];
  mx_error error = {text, sizeof text, 0};
  mx_format* format = NULL;
  uint64_t bytes = 0;
  mx_status status = mx_format_create("mxfp4", NULL, &format, &error);
  if (status == mx_status_ok) {
    status =
        mx_cuda_tensor_decompose_workspace(format, &shape, &bytes, &error); /* needs no device */
  }
  mx_format_destroy(format);
  if (status != mx_status_ok || bytes == 0) return 1;
  status = mx_cuda_available(&error);
  printf("%s: %s\n", mx_status_name(status), status == mx_status_ok ? "a device" : text);
  return status == mx_status_ok || status == mx_status_device ? 0 : 1;
}
