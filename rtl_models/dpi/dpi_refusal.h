// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/dpi_refusal.h: the exception with which a caller is refused.
#pragma once
#include <stdexcept>
#include <string>

#include "rtl_models/dpi/mx_dpi.h"

namespace hardware {

class dpi_refusal : public std::runtime_error {
 public:
  dpi_refusal(int status, const std::string& sentence)
      : std::runtime_error(sentence), status_(status) {}
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  int status_;
};

/// Refuses with mx_dpi_bad_argument unless the condition holds.
inline void require(bool holds, const char* sentence) {
  if (!holds) throw dpi_refusal(mx_dpi_bad_argument, sentence);
}

/// Refuses null pointers passed by a caller.
template <class... Pointers>
void require_all(const Pointers*... pointers) {
  require(((pointers != nullptr) && ...), "a pointer is null");
}

/// Zeroes the outputs of a function that may refuse.
template <class... Outputs>
void clear_all(Outputs*... outputs) {
  ((outputs == nullptr ? void() : void(*outputs = 0)), ...);
}

}  // namespace hardware
