// SPDX-License-Identifier: Apache-2.0
// tests/rtl/verilated_dots.cpp: adapters of the Verilated modules.
#include "verilated_dots.h"

#include <stdexcept>

#include "dot_module_headers.h"
#include "mx/dot/block_scaled_models.h"
#include "mx/dot/generic_models.h"
#include "wide_pins.h"

namespace rtl {
namespace {

template <class Module>
class verilated final : public dot_module {
 public:
  explicit verilated(const mx::dot_model& model) : model_(model) {}

  void drive(const cross::dot_word* word, bool takes) override {
    top_.valid_i = word != nullptr;
    top_.ready_i = takes;
    if (word != nullptr) {
      set_codes(top_.a_i, word->a, model_.a.width());
      set_codes(top_.b_i, word->b, model_.b.width());
      set_codes(top_.scale_a_i, word->scale_a, model_.scale.width());
      set_codes(top_.scale_b_i, word->scale_b, model_.scale.width());
      top_.c_i = word->c;
    }
    top_.eval();
  }
  void reset() override { reset_of(top_); }
  void rise() override { rise_of(top_); }
  [[nodiscard]] bool ready() const override { return top_.ready_o; }
  [[nodiscard]] bool valid() const override { return top_.valid_o; }
  [[nodiscard]] std::uint32_t result() const override { return top_.d_o; }

 private:
  mx::dot_model model_;
  Module top_;
};

/// The model for a module's name, restated so that a wrong parameter is detected.
mx::dot_model model_of(const std::string& name) {
  namespace formats = mx::formats;
  using mx::tensor_cores::grouped_f4, mx::tensor_cores::mxf8f6f4;
  const mx::dot_model exact = mx::accumulations::exact(mx::rounding::ties_to_even);
  const mx::dot_model sequential = mx::accumulations::block_by_block();
  if (name == "blackwell_mxf4") return grouped_f4(formats::e8m0, 32);
  if (name == "blackwell_mxf4nvf4") return grouped_f4(formats::ue4m3, 16);
  if (name == "blackwell_mxf4_e8m3") return grouped_f4(formats::e8m(3), 32);
  if (name == "blackwell_mxf4_ue4m3") return grouped_f4(formats::ue4m3, 32);
  if (name == "blackwell_mxf8f6f4_e2m1") return mxf8f6f4(formats::e2m1, formats::e2m1);
  if (name == "blackwell_mxf8f6f4_e2m3") return mxf8f6f4(formats::e2m3, formats::e2m3);
  if (name == "blackwell_mxf8f6f4_e3m2") return mxf8f6f4(formats::e3m2, formats::e3m2);
  if (name == "blackwell_mxf8f6f4_e4m3") return mxf8f6f4(formats::e4m3, formats::e4m3);
  if (name == "blackwell_mxf8f6f4_e5m2") return mxf8f6f4(formats::e5m2, formats::e5m2);
  if (name == "blackwell_mxf8f6f4_e4m3_e5m2") return mxf8f6f4(formats::e4m3, formats::e5m2);
  if (name == "exact_rne_mxfp4") return exact;
  if (name == "exact_rz_mxfp4") return mx::accumulations::exact(mx::rounding::toward_zero);
  if (name == "exact_rne_nvfp4") return mx::with_scales(exact, formats::ue4m3, 16);
  if (name == "fp32_sequential_mxfp4") return sequential;
  if (name == "fp32_sequential_nvfp4") return mx::with_scales(sequential, formats::ue4m3, 16);
  if (name == "fp32_sequential_mxfp6_e2m3") {
    return mx::with_formats(sequential, formats::e2m3, formats::e2m3);
  }
  if (name == "fp32_sequential_mxfp6_e3m2") {
    return mx::with_formats(sequential, formats::e3m2, formats::e3m2);
  }
  if (name == "fp32_sequential_mxfp8_e4m3") {
    return mx::with_formats(sequential, formats::e4m3, formats::e4m3);
  }
  throw std::invalid_argument("mx_dot_" + name + " has no model in tests/rtl");
}

template <class Module>
dot_module_entry entry_of(std::string name) {
  static const mx::dot_model model = model_of(name);
  const int k = name.starts_with("blackwell_mxf8f6f4") ? 32 : 64;
  const int steps = name.starts_with("fp32_sequential") ? k / model.block : 1;
  return {std::move(name), model, k, 4 * steps,
          [] { return std::unique_ptr<dot_module>(std::make_unique<verilated<Module>>(model)); }};
}

}  // namespace

const std::vector<dot_module_entry>& dot_modules() {
  static const std::vector<dot_module_entry> modules{
#define MX_DOT_MODULE(name) entry_of<Vmx_dot_##name>(#name),
#include "dot_module_list.h"
#undef MX_DOT_MODULE
  };
  return modules;
}

}  // namespace rtl
