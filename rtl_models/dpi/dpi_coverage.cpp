// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dpi_coverage.cpp: functional coverage of a context's dot products.
#include "rtl_models/dpi/dpi_context.h"
#include "rtl_models/dpi/dpi_refusal.h"

using hardware::clear_all, hardware::dpi_context, hardware::dpi_refusal, hardware::guarded,
    hardware::require, hardware::require_all;

int mx_dpi_coverage_sample(void* handle) {
  return guarded(handle, [](dpi_context& context) { context.dot.cover(); });
}

int mx_dpi_coverage_count(void* handle, unsigned int* count) {
  clear_all(count);
  return guarded(handle, [&](const dpi_context& context) {
    require_all(count);
    *count = static_cast<unsigned>(context.dot.coverage().bins().all().size());
  });
}

const char* mx_dpi_coverage_name(void* handle, unsigned int index) {
  const dpi_context* const context = dpi_context::of(handle);
  if (context == nullptr) return "";
  const auto& bins = context->dot.coverage().bins().all();
  return index < bins.size() ? bins[index].name.c_str() : "";
}

int mx_dpi_coverage_hits(void* handle, unsigned int index, svBitVecVal* hits) {
  if (hits != nullptr) hits[0] = hits[1] = 0;
  return guarded(handle, [&](const dpi_context& context) {
    require_all(hits);
    const auto& bins = context.dot.coverage().bins().all();
    require(index < bins.size(), "the bin is out of range");
    hits[0] = static_cast<std::uint32_t>(bins[index].count);
    hits[1] = static_cast<std::uint32_t>(bins[index].count >> 32);
  });
}

int mx_dpi_coverage_merge(void* handle, void* other) {
  return guarded(handle, [&](dpi_context& context) {
    const dpi_context* const from = dpi_context::of(other);
    if (from == nullptr) {
      throw dpi_refusal(mx_dpi_bad_handle, "the other handle is not one of mx_dpi_create");
    }
    context.dot.merge(from->dot.coverage());
  });
}

int mx_dpi_coverage_clear(void* handle) {
  return guarded(handle, [](dpi_context& context) { context.dot.clear_coverage(); });
}

const char* mx_dpi_coverage_report(void* handle) {
  const int status = guarded(
      handle, [](dpi_context& context) { context.last_text = context.dot.coverage().report(); });
  return status == mx_dpi_ok ? dpi_context::of(handle)->last_text.c_str() : "";
}
