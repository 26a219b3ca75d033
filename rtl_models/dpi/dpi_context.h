// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dpi_context.h: what stands behind a handle, and how that which is thrown inside becomes
// a status and a sentence.
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
  // The first member: what is read of any handle.
  static constexpr std::uint64_t mark_of_all = 0x6D785F6470690001;  // "mx_dpi" and the layout
  std::uint64_t mark_ = mark_of_all;

 public:
  dpi_context() = default;
  dpi_context(const dpi_context&) = delete;
  dpi_context& operator=(const dpi_context&) = delete;

  /// The context of a handle; null where it is none. What a handle points to is read, so memory that
  /// is not there cannot be told from a context.
  [[nodiscard]] static dpi_context* of(void* handle) noexcept;

  golden_dot dot;
  golden_quantizer quantizer;
  unknown_operands unknown;
  std::string told;  ///< the last text that was made for the caller

  [[nodiscard]] unsigned error_count() const noexcept { return errors_; }
  [[nodiscard]] const char* error_text(unsigned index) const noexcept;
  void clear_errors() noexcept;

  /// Counts the exception that is being handled, and keeps its sentence.
  ///   returns  its status
  [[nodiscard]] int keep_exception() noexcept;

 private:
  static constexpr std::size_t most_texts = 64;

  int keep(int status, const char* sentence) noexcept;

  unsigned errors_ = 0;
  std::vector<std::string> texts_;
};

/// Does the work of a function on the context of a handle; nothing that it throws comes out.
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
