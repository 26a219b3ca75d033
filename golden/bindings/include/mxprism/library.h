// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/library.h: versions of the library, and how its functions tell what was
// wrong.
#ifndef MXPRISM_LIBRARY_H
#define MXPRISM_LIBRARY_H

#include <stdint.h>

/// What a caller was compiled for; a library is compatible where mx_abi_version() is the same.
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
/// "0.1.0"
MX_API const char* mx_version(void);

/// What a function returns.
///   bad_argument  a pointer is missing, a size or a value does not fit
///   bad_name      a spelling is not understood
///   unsupported   each word is right, and together they are something that there is not
///   no_memory     memory is used up
///   internal      a bug of ours
typedef int32_t mx_status;
enum {
  mx_status_ok = 0,
  mx_status_bad_argument = 1,
  mx_status_bad_name = 2,
  mx_status_unsupported = 3,
  mx_status_no_memory = 4,
  mx_status_internal = 5
};

/// "ok", "bad argument", ...; "unknown status" for any other number.
MX_API const char* mx_status_name(mx_status status);

/// Where a function tells what was wrong. Every parameter of this type may be null.
///   text      a place for a sentence with a zero at its end, cut off where it is too long; may be
///             null where capacity is 0
///   length    set: bytes of the whole sentence without the zero; 0 where nothing was wrong
typedef struct mx_error {
  char* text;
  uint64_t capacity;
  uint64_t length;
} mx_error;

#ifdef __cplusplus
}
#endif

#endif
