// SPDX-License-Identifier: Apache-2.0
// golden/bindings/include/mxprism/library.h: versions of the library, and how its functions tell what was
// wrong.
#ifndef MXPRISM_LIBRARY_H
#define MXPRISM_LIBRARY_H

#include <stdint.h>

/// What a caller was compiled for; a library is compatible where mxp_abi_version() is the same.
#define MXPRISM_ABI_VERSION 1

#if defined(__GNUC__)
#define MXP_API __attribute__((visibility("default")))
#else
#define MXP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

MXP_API uint32_t mxp_abi_version(void);
/// "0.1.0"
MXP_API const char* mxp_version(void);

/// What a function returns.
///   bad_argument  a pointer is missing, a size or a value does not fit
///   bad_name      a spelling is not understood
///   unsupported   each word is right, and together they are something that there is not
///   no_memory     memory is used up
///   internal      a bug of ours
typedef int32_t mxp_status;
enum {
  mxp_status_ok = 0,
  mxp_status_bad_argument = 1,
  mxp_status_bad_name = 2,
  mxp_status_unsupported = 3,
  mxp_status_no_memory = 4,
  mxp_status_internal = 5
};

/// "ok", "bad argument", ...; "unknown status" for any other number.
MXP_API const char* mxp_status_name(mxp_status status);

/// Where a function tells what was wrong. Every parameter of this type may be null.
///   text      a place for a sentence with a zero at its end, cut off where it is too long; may be
///             null where capacity is 0
///   length    set: bytes of the whole sentence without the zero; 0 where nothing was wrong
typedef struct mxp_error {
  char* text;
  uint64_t capacity;
  uint64_t length;
} mxp_error;

#ifdef __cplusplus
}
#endif

#endif
