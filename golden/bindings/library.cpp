// SPDX-License-Identifier: Apache-2.0
// golden/bindings/library.cpp: versions, and statuses by name.
#include "mxprism/library.h"

#include <cstdint>

std::uint32_t mx_abi_version(void) { return MXPRISM_ABI_VERSION; }

const char* mx_version(void) { return MXPRISM_VERSION; }

const char* mx_status_name(mx_status status) {
  constexpr const char* names[] = {"ok",          "bad argument", "bad name",
                                   "unsupported", "no memory",    "internal error"};
  constexpr mx_status count = sizeof names / sizeof *names;
  if (status == mx_status_device) return "device error";
  return status >= 0 && status < count ? names[status] : "unknown status";
}
