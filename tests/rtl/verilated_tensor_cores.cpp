// SPDX-License-Identifier: Apache-2.0
// tests/rtl/verilated_tensor_cores.cpp: adapters of the Verilated tensor cores.
#include "verilated_tensor_cores.h"

#include <stdexcept>

#include "Vmx_tensor_core_1.h"
#include "Vmx_tensor_core_32.h"
#include "Vmx_tensor_core_8.h"
#include "wide_pins.h"

namespace rtl {
namespace {

using hardware::part_of;

constexpr int element_width = 4, scale_width = 8, c_width = 32;

template <class Module, int Lanes>
class verilated final : public tensor_core_module {
 public:
  void drive(tile_word a, tile_word b, bool takes) override {
    top_.a_valid_i = a.of != nullptr;
    top_.b_valid_i = b.of != nullptr;
    top_.d_ready_i = takes;
    if (a.of != nullptr) drive_a(*a.of, a.index);
    if (b.of != nullptr) {
      set_codes(top_.b_i, b.of->b, element_width);
      set_codes(top_.scale_b_i, b.of->scale_b, scale_width);
    }
    top_.eval();
  }
  void reset() override {
    top_.clk_i = 0;
    top_.rst_ni = 0;
    top_.eval();
    top_.rst_ni = 1;
    top_.eval();
  }
  void rise() override {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
  }
  [[nodiscard]] bool a_ready() const override { return top_.a_ready_o; }
  [[nodiscard]] bool b_ready() const override { return top_.b_ready_o; }
  [[nodiscard]] bool d_valid() const override { return top_.d_valid_o; }
  [[nodiscard]] std::vector<std::uint32_t> d() const override {
    std::vector<std::uint32_t> words(Lanes);
    for (int lane = 0; lane < Lanes; ++lane) words[static_cast<std::size_t>(lane)] = at(lane);
    return words;
  }

 private:
  void drive_a(const hardware::tile& of, int beat) {
    constexpr int beats = hardware::tile_words{Lanes}.beats();
    set_codes(top_.a_i, part_of(of.a, beat, beats), element_width);
    set_codes(top_.scale_a_i, part_of(of.scale_a, beat, beats), scale_width);
    set_codes(top_.c_i, part_of(of.c, beat, beats), c_width);
  }
  std::uint32_t at(int lane) const {
    if constexpr (Lanes == 1) {
      return lane == 0 ? top_.d_o : 0;
    } else {
      return top_.d_o[lane];
    }
  }

  Module top_;
};

}  // namespace

std::unique_ptr<tensor_core_module> make_tensor_core(int lanes) {
  if (lanes == 1) return std::make_unique<verilated<Vmx_tensor_core_1, 1>>();
  if (lanes == 8) return std::make_unique<verilated<Vmx_tensor_core_8, 8>>();
  if (lanes == 32) return std::make_unique<verilated<Vmx_tensor_core_32, 32>>();
  throw std::invalid_argument("no Verilated tensor core has so many lanes");
}

}  // namespace rtl
