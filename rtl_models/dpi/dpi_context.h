// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dpi_context.h: the object behind a handle, and the conversion of exceptions to a
// status and a sentence.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rtl_models/dpi/golden_dot.h"
#include "rtl_models/dpi/golden_quantizer.h"
#include "rtl_models/dpi/mx_dpi.h"

namespace hardware {

/// Operands that held X or Z.
struct unknown_operands {
  unsigned count = 0;
  int operand = 0;
  unsigned element = 0, place = 0;
};

class dpi_context {
  // First member: read through any handle.
  static constexpr std::uint64_t mark_of_all = 0x6D785F6470690001;  // "mx_dpi" and the layout
  std::uint64_t mark_ = mark_of_all;

 public:
  dpi_context() = default;
  dpi_context(const dpi_context&) = delete;
  dpi_context& operator=(const dpi_context&) = delete;

  /// The context of a handle; null if it is not one. The memory of a handle is read, so an invalid
  /// address cannot be distinguished from a context.
  [[nodiscard]] static dpi_context* of(void* handle) noexcept;

  golden_dot dot;
  golden_quantizer quantizer;
  unknown_operands unknown;
  std::string last_text;  ///< the last text returned to the caller

  [[nodiscard]] unsigned error_count() const noexcept { return errors_; }
  [[nodiscard]] const char* error_text(unsigned index) const noexcept;
  void clear_errors() noexcept;

  /// Counts the exception being handled, and stores its sentence.
  ///   returns  its status
  [[nodiscard]] int keep_exception() noexcept;

 private:
  static constexpr std::size_t most_texts = 64;

  int keep(int status, const char* sentence) noexcept;

  unsigned errors_ = 0;
  std::vector<std::string> texts_;
};

/// Runs the body of a function on the context of a handle; no exception escapes.
template <class Work>
[[nodiscard]] int guarded(void* handle, const Work& work) noexcept {
  dpi_context* const context = dpi_context::of(handle);
  if (context == nullptr) return mx_dpi_bad_handle;
  try {
    work(*context);
    return mx_dpi_ok;
  } catch (...) {
    return context->keep_exception();
  }
}

}  // namespace hardware
