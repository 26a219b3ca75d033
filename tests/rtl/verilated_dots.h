// SPDX-License-Identifier: Apache-2.0
// tests/rtl/verilated_dots.h: the modules of mx_dot_models.sv as C++ objects, and the models they
// must equal.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cross/dot_words.h"
#include "handshake.h"
#include "mx/dot/accumulation.h"

namespace rtl {

using dot_module = handshake_module<cross::dot_word, std::uint32_t>;

struct dot_module_entry {
  std::string name;  ///< without mx_dot_
  mx::dot_model model;
  int k;
  int stages;  ///< cycles from a word to its result
  std::unique_ptr<dot_module> (*make)();
};

/// The modules that this program was built with, all of mx_dot_models.sv or a few; throws if one
/// has no model here.
[[nodiscard]] const std::vector<dot_module_entry>& dot_modules();

}  // namespace rtl
