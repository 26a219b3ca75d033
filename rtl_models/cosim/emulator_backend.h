// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/emulator_backend.h: the emulator as a tensor core that takes no time.
#pragma once
#include <deque>

#include "mx/models.h"
#include "rtl_models/cosim/contract.h"
#include "rtl_models/systemc/functional_core.h"

namespace hardware {

class emulator_backend final : public tile_backend {
 public:
  [[nodiscard]] const std::string& label() const override { return label_; }
  void push(const tile& operands) override {
    core_.multiply_rows({operands.a, operands.scale_a}, {operands.b, operands.scale_b}, operands.c,
                        results_.emplace_back());
  }
  [[nodiscard]] std::optional<tile_result> pull() override {
    if (results_.empty()) return std::nullopt;
    const tile_result first = results_.front();
    results_.pop_front();
    return first;
  }
  [[nodiscard]] const std::vector<std::string>& errors() const override { return errors_; }

 private:
  std::string label_ = "emulator";
  functional_core core_{mx::model_named("blackwell.mxf4")->model};
  std::deque<tile_result> results_;
  std::vector<std::string> errors_;
};

}  // namespace hardware
