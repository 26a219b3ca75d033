// SPDX-License-Identifier: Apache-2.0
// tests/rtl/verilated_dots.h: the modules of mx_dot_models.sv as C++ objects, and the models they
// have to equal.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cross/dot_words.h"
#include "mx/accumulation.h"

namespace rtl {

/// One instance of a module, between two edges of its clock.
class dot_module {
 public:
  virtual ~dot_module() = default;

  /// Sets inputs: the word where there is one, and whether results are taken.
  virtual void drive(const cross::dot_word* word, bool takes) = 0;
  virtual void reset() = 0;
  virtual void rise() = 0;

  [[nodiscard]] virtual bool ready() const = 0;
  [[nodiscard]] virtual bool valid() const = 0;
  [[nodiscard]] virtual std::uint32_t result() const = 0;
};

struct dot_module_entry {
  std::string name;  ///< without mx_dot_
  mx::dot_model model;
  int k;
  std::unique_ptr<dot_module> (*make)();
};

/// Every module of mx_dot_models.sv; throws where one has no model here.
[[nodiscard]] const std::vector<dot_module_entry>& dot_modules();

}  // namespace rtl
