// SPDX-License-Identifier: Apache-2.0
// kernels/verify/expect_launched.h: failed launches as exceptions.
#pragma once
#include <stdexcept>

#include "mx/kernels/status.h"

namespace mx::kernels {

///   errors  std::runtime_error with the launcher's sentence
inline void expect_launched(const status& answer) {
  if (!answer.is_done()) throw std::runtime_error(sentence_of(answer));
}

}  // namespace mx::kernels
