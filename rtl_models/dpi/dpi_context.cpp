// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dpi_context.cpp: contexts and their errors.
#include "rtl_models/dpi/dpi_context.h"

#include <cstring>
#include <new>

#include "rtl_models/dpi/dpi_refusal.h"

namespace hardware {

dpi_context* dpi_context::of(void* handle) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  if (handle == nullptr || address % alignof(dpi_context) != 0) return nullptr;
  std::uint64_t mark = 0;
  std::memcpy(&mark, handle, sizeof mark);
  return mark == mark_of_all ? static_cast<dpi_context*>(handle) : nullptr;
}

const char* dpi_context::error_text(unsigned index) const noexcept {
  return index < texts_.size() ? texts_[index].c_str() : "";
}

void dpi_context::clear_errors() noexcept {
  errors_ = 0;
  texts_.clear();
  unknown = {};
}

int dpi_context::keep_exception() noexcept {
  try {
    throw;
  } catch (const dpi_refusal& why) {
    return keep(why.status(), why.what());
  } catch (const std::bad_alloc&) {
    return keep(mx_dpi_no_memory, "out of memory");
  } catch (const std::exception& unexpected) {
    return keep(mx_dpi_internal, unexpected.what());
  } catch (...) {
    return keep(mx_dpi_internal, "an exception of an unknown type");
  }
}

int dpi_context::keep(int status, const char* sentence) noexcept {
  ++errors_;
  try {
    if (texts_.size() < most_texts) texts_.emplace_back(sentence);
  } catch (...) {  // counted, but out of memory for its message
  }
  return status;
}

}  // namespace hardware
