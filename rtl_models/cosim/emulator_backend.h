// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/emulator_backend.h: the emulator as a tensor core and as a quantizer that take
// no time.
#pragma once
#include <deque>
#include <functional>

#include "mx/dot/models.h"
#include "rtl_models/cosim/contract.h"
#include "rtl_models/systemc/functional_core.h"

namespace hardware {

/// A function as a backend.
template <class Operands, class Result>
class timeless_backend : public backend<Operands, Result> {
 public:
  timeless_backend(std::string label, std::function<Result(const Operands&)> result_of)
      : label_(std::move(label)), result_of_(std::move(result_of)) {}

  [[nodiscard]] const std::string& label() const override { return label_; }
  void push(const Operands& operands) override { results_.push_back(result_of_(operands)); }
  [[nodiscard]] std::optional<Result> pull() override {
    if (results_.empty()) return std::nullopt;
    const Result first = results_.front();
    results_.pop_front();
    return first;
  }
  [[nodiscard]] const std::vector<std::string>& errors() const override { return errors_; }

 private:
  std::string label_;
  std::function<Result(const Operands&)> result_of_;
  std::deque<Result> results_;
  std::vector<std::string> errors_;
};

class emulator_backend final : public timeless_backend<tile, tile_result> {
 public:
  emulator_backend()
      : timeless_backend("emulator",
                         [core = functional_core(mx::model_named("blackwell.mxf4")->model)](
                             const tile& of) mutable {
                           tile_result d;
                           core.multiply_rows({of.a, of.scale_a}, {of.b, of.scale_b}, of.c, d);
                           return d;
                         }) {}
};

class emulated_quantizer final : public timeless_backend<quantizer_operands, quantized_block> {
 public:
  explicit emulated_quantizer(const quantizer_kind& made)
      : timeless_backend("emulator",
                         [made](const quantizer_operands& of) { return quantized(made, of); }) {}
};

}  // namespace hardware
