// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/library.h: library version, status codes and error messages.
#ifndef MXPRISM_LIBRARY_H
#define MXPRISM_LIBRARY_H

#include <stdint.h>

/// ABI version a caller is compiled for; the library is compatible if mx_abi_version() is equal.
#define MXPRISM_ABI_VERSION 1

#if defined(__GNUC__)
#define MX_API __attribute__((visibility("default")))
#else
#define MX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

MX_API uint32_t mx_abi_version(void);
/// Version of the library: "0.1.0".
MX_API const char* mx_version(void);

/// Status returned by a function.
///   bad_argument  a null pointer, a wrong size or a value out of range
///   bad_name      an unknown spelling
///   unsupported   every word is valid, their combination is unsupported
///   no_memory     out of memory
///   internal      a bug in the library
///   device        of libmxprism_cuda: a driver, a device or code for its architecture is missing,
///                 or a CUDA call failed
/// 6 and 7 are statuses of the DPI package (rtl_models/dpi/mx_dpi.h).
typedef int32_t mx_status;
enum {
  mx_status_ok = 0,
  mx_status_bad_argument = 1,
  mx_status_bad_name = 2,
  mx_status_unsupported = 3,
  mx_status_no_memory = 4,
  mx_status_internal = 5,
  mx_status_device = 8
};

/// "ok", "bad argument", ...; "unknown status" for any other number.
MX_API const char* mx_status_name(mx_status status);

/// Receives the error message of a call. Every parameter of this type may be null.
///   text      caller-owned buffer for a zero-terminated message, truncated to capacity; may be
///             null if capacity is 0
///   length    set to the bytes of the whole message without the terminator; 0 on success
typedef struct mx_error {
  char* text;
  uint64_t capacity;
  uint64_t length;
} mx_error;

#ifdef __cplusplus
}
#endif

#endif
