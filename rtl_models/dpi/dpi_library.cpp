// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dpi_library.cpp: versions, contexts, and their error reports.
#include <new>

#include "rtl_models/dpi/dpi_context.h"
#include "rtl_models/dpi/dpi_refusal.h"

using hardware::clear_all, hardware::dpi_context, hardware::guarded, hardware::require_all;

unsigned int mx_dpi_abi_version(void) { return MX_DPI_ABI_VERSION; }

const char* mx_dpi_version(void) { return MXPRISM_VERSION; }

const char* mx_dpi_status_name(int status) {
  constexpr const char* names[] = {"ok",        "bad argument",   "bad name",   "unsupported",
                                   "no memory", "internal error", "bad handle", "unknown bits"};
  constexpr int count = sizeof names / sizeof *names;
  return status >= 0 && status < count ? names[status] : "unknown status";
}

void* mx_dpi_create(void) {
  try {
    return new dpi_context;
  } catch (...) {
    return nullptr;
  }
}

int mx_dpi_destroy(void* handle) {
  dpi_context* const context = dpi_context::of(handle);
  if (context == nullptr) return mx_dpi_bad_handle;
  delete context;
  return mx_dpi_ok;
}

int mx_dpi_error_count(void* handle, unsigned int* count) {
  clear_all(count);
  return guarded(handle, [&](const dpi_context& context) {
    require_all(count);
    *count = context.error_count();
  });
}

const char* mx_dpi_error_text(void* handle, unsigned int index) {
  const dpi_context* const context = dpi_context::of(handle);
  return context == nullptr ? "" : context->error_text(index);
}

int mx_dpi_error_clear(void* handle) {
  return guarded(handle, [](dpi_context& context) { context.clear_errors(); });
}

int mx_dpi_unknown(void* handle, unsigned int* count, int* operand, unsigned int* element,
                   unsigned int* place) {
  clear_all(count, operand, element, place);
  return guarded(handle, [&](const dpi_context& context) {
    require_all(count, operand, element, place);
    *count = context.unknown.count;
    *operand = context.unknown.operand;
    *element = context.unknown.element;
    *place = context.unknown.place;
  });
}
