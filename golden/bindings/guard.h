// SPDX-License-Identifier: Apache-2.0
// golden/bindings/guard.h: converts exceptions to a status and a message at the C boundary.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include "mx/tensor/ieee_arithmetic.h"
#include "mxprism/library.h"

namespace bindings {

/// Thrown to refuse a call.
class refused : public std::runtime_error {
 public:
  refused(mx_status status, const std::string& sentence)
      : std::runtime_error(sentence), status_(status) {}
  [[nodiscard]] mx_status status() const noexcept { return status_; }

 private:
  mx_status status_;
};

/// Refuses with mx_status_bad_argument unless the condition holds.
inline void require(bool holds, const char* sentence) {
  if (!holds) throw refused(mx_status_bad_argument, sentence);
}

/// Sets the handle that a function makes to null.
///   errors  mx_status_bad_argument without an address for it
template <class T>
void clear_handle(T** made, const char* sentence) {
  require(made != nullptr, sentence);
  *made = nullptr;
}

/// Writes an empty message.
void clear(mx_error* error) noexcept;

/// Status of the exception being handled; writes its message.
[[nodiscard]] mx_status status_of_exception(mx_error* error) noexcept;

/// Runs the body of an exported function under IEEE 754's arithmetic; no exception escapes.
template <class Work>
[[nodiscard]] mx_status guarded(mx_error* error, const Work& work) noexcept {
  const mx::ieee_arithmetic arithmetic;
  try {
    clear(error);
    work();
    return mx_status_ok;
  } catch (...) {
    return status_of_exception(error);
  }
}

/// Parses a name or an option; std::invalid_argument becomes mx_status_bad_name.
template <class Read>
[[nodiscard]] auto spelled(const Read& read) {
  try {
    return read();
  } catch (const std::invalid_argument& wrong) {
    throw refused(mx_status_bad_name, wrong.what());
  }
}

}  // namespace bindings
