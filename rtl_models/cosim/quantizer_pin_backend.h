// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/quantizer_pin_backend.h: a module with the pins of mx_quantizer as a backend:
// drives the stream of blocks, stalls at random on both sides, and checks the module's protocol.
#pragma once
#include "rtl_models/cosim/pin_driver.h"
#include "rtl_models/systemc/pins.h"

namespace hardware {

/// Module: a Verilated mx_quantizer_<in>_<scale>.
template <class Module, int InWidth, int ScaleWidth>
class quantizer_pin_backend final
    : public pin_driver<clocked_quantizer, quantizer_operands, quantized_block, quantized_block> {
 public:
  static constexpr int code_width = 4, random_width = 8, factor_width = 8, rule_width = 3,
                       rounding_width = 2;

  quantizer_pin_backend(const sc_core::sc_module_name& name, std::string label,
                        sc_core::sc_clock& clock)
      : pin_driver(name, std::move(label), clock,
                   {"valid_o", "codes_o, scale_o, special_o or kept_o"}),
        dut("dut") {
    dut.clk_i(clock);
    dut.rst_ni(rst_n_);
    bind_streams();
  }

  Module dut;

 private:
  template <int Width>
  using wide = sc_core::sc_signal<sc_dt::sc_bv<Width>>;

  void bind_streams() {
    dut.valid_i(valid_in_);
    dut.ready_o(ready_out_);
    dut.x_i(x_);
    dut.rule_i(rule_);
    dut.rounding_i(rounding_);
    dut.random_i(random_);
    dut.factor_i(factor_);
    dut.deadzone_i(deadzone_);
    dut.valid_o(valid_out_);
    dut.ready_i(takes_result_);
    dut.codes_o(codes_);
    dut.scale_o(scale_);
    dut.special_o(special_);
    dut.kept_o(kept_);
  }

  void forget() override {
    sent_ = 0;
    offered_ = false;
  }
  void drive_idle() override { valid_in_.write(false); }

  void edge() override {
    const bool valid = valid_out_.read();
    const std::string message = watch_.see(
        valid, [this] { return result(); }, takes_);
    if (!message.empty()) report(message);
    if (valid && sent_ == 0) report("a result without a block");
    if (offered_ && ready_out_.read()) {
      offered_ = false;
      ++sent_;
    }
    if (valid && takes_) take();
    offer();
  }

  [[nodiscard]] quantized_block result() const {
    quantized_block block;
    read_pin<code_width>(codes_.read(), block.codes);
    block.scale = scale_.read().to_uint();
    block.special = special_.read();
    block.kept = kept_.read().to_uint();
    return block;
  }
  void take() {
    if (sent_ == 0) return;
    results_.push_back(result());
    waiting_.pop_front();
    --sent_;
  }

  void offer() {
    if (!offered_ && sent_ < waiting_.size() && stalls_.goes()) {
      offered_ = true;
      write(waiting_[sent_]);
    }
    valid_in_.write(offered_);
  }
  void write(const quantizer_operands& of) {
    std::array<std::uint32_t, block_size> x{};
    for (std::size_t i = 0; i < block_size; ++i) x[i] = mx::bits_of(of.x[i]) >> (32 - InWidth);
    write_codes<InWidth>(x, x_);
    write_codes<random_width>(random_pins(of), random_);
    rule_.write(sc_dt::sc_bv<rule_width>(unsigned{rule_pins(of.rule)}));
    rounding_.write(sc_dt::sc_bv<rounding_width>(unsigned{rounding_pins(of.rounding)}));
    factor_.write(sc_dt::sc_bv<factor_width>(of.fraction));
    deadzone_.write(of.deadzone == deadzone::keep);
  }
  template <int Width, class Codes, int Bits>
  static void write_codes(const Codes& codes, wide<Bits>& signal) {
    sc_dt::sc_bv<Bits> pin;
    write_pin<Width>(codes, pin);
    signal.write(pin);
  }

  sc_core::sc_signal<bool> valid_in_{"valid_in"}, ready_out_{"ready_out"};
  sc_core::sc_signal<bool> valid_out_{"valid_out"};
  sc_core::sc_signal<bool> deadzone_{"deadzone"}, special_{"special"};
  wide<block_size * InWidth> x_{"x"};
  wide<block_size * random_width> random_{"random"};
  wide<rule_width> rule_{"rule"};
  wide<rounding_width> rounding_{"rounding"};
  wide<factor_width> factor_{"factor"};
  wide<block_size * code_width> codes_{"codes"};
  wide<ScaleWidth> scale_{"scale"};
  wide<block_size> kept_{"kept"};

  std::size_t sent_ = 0;  // number of queued operands sent
  bool offered_ = false;
};

}  // namespace hardware
