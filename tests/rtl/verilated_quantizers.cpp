// SPDX-License-Identifier: Apache-2.0
// tests/rtl/verilated_quantizers.cpp: adapters of the Verilated modules.
#include "verilated_quantizers.h"

#include "Vmx_quantizer_bfloat16_e8m0.h"
#include "Vmx_quantizer_bfloat16_e8m0_random1.h"
#include "Vmx_quantizer_bfloat16_e8m3.h"
#include "Vmx_quantizer_bfloat16_e8m3_random24.h"
#include "Vmx_quantizer_binary32_e8m0.h"
#include "Vmx_quantizer_binary32_e8m3.h"
#include "Vmx_quantizer_binary32_e8m3_random24.h"
#include "wide_pins.h"

namespace rtl {
namespace {

template <class Top>
class verilated final : public quantizer_module {
 public:
  explicit verilated(const quantizer_kind& made) : made_(made) {}

  void drive(const quantizer_word* word, bool takes) override {
    top_.valid_i = word != nullptr;
    top_.ready_i = takes;
    if (word != nullptr) set(*word);
    top_.eval();
  }
  void reset() override { reset_of(top_); }
  void rise() override { rise_of(top_); }
  [[nodiscard]] bool ready() const override { return top_.ready_o; }
  [[nodiscard]] bool valid() const override { return top_.valid_o; }
  [[nodiscard]] quantized_block result() const override {
    quantized_block block{{}, top_.scale_o, top_.special_o != 0, top_.kept_o};
    for (unsigned i = 0; i < block_size; ++i) {
      block.codes[i] = static_cast<std::uint8_t>(top_.codes_o[i / 8] >> i % 8 * 4 & 15);
    }
    return block;
  }

 private:
  void set(const quantizer_word& word) {
    std::array<std::uint32_t, block_size> x{};
    for (unsigned i = 0; i < block_size; ++i) {
      x[i] = mx::bits_of(word.x[i]) >> (32 - made_.in.width());
    }
    set_codes(top_.x_i, x, made_.in.width());
    set_codes(top_.random_i, random_pins(word), made_.random_bits);
    top_.rule_i = hardware::rule_pins(word.rule);
    top_.rounding_i = hardware::rounding_pins(word.rounding);
    top_.factor_i = static_cast<std::uint8_t>(word.fraction);
    top_.deadzone_i = word.deadzone == deadzone::keep;
  }

  const quantizer_kind made_;
  Top top_;
};

template <class Top, bool Brain, int Fraction, int Random>
quantizer_entry entry_of(std::string name) {
  static const quantizer_kind made{Brain ? mx::formats::bfloat16 : mx::formats::binary32,
                                   mx::formats::e8m(Fraction), Random};
  return {std::move(name), made,
          [] { return std::unique_ptr<quantizer_module>(std::make_unique<verilated<Top>>(made)); }};
}

}  // namespace

const std::vector<quantizer_entry>& quantizers() {
  static const std::vector<quantizer_entry> modules{
      entry_of<Vmx_quantizer_bfloat16_e8m0, true, 0, 8>("bfloat16_e8m0"),
      entry_of<Vmx_quantizer_bfloat16_e8m3, true, 3, 8>("bfloat16_e8m3"),
      entry_of<Vmx_quantizer_binary32_e8m0, false, 0, 8>("binary32_e8m0"),
      entry_of<Vmx_quantizer_binary32_e8m3, false, 3, 8>("binary32_e8m3"),
      entry_of<Vmx_quantizer_bfloat16_e8m0_random1, true, 0, 1>("bfloat16_e8m0_random1"),
      entry_of<Vmx_quantizer_bfloat16_e8m3_random24, true, 3, 24>("bfloat16_e8m3_random24"),
      entry_of<Vmx_quantizer_binary32_e8m3_random24, false, 3, 24>("binary32_e8m3_random24")};
  return modules;
}

}  // namespace rtl
