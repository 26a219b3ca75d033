// SPDX-License-Identifier: Apache-2.0
// tests/rtl/verilated_tensor_cores.cpp: adapters of the Verilated tensor cores.
#include "verilated_tensor_cores.h"

#include "handshake.h"
#include "tensor_core_headers.h"
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
  void reset() override { reset_of(top_); }
  void rise() override { rise_of(top_); }
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
    if constexpr (std::is_integral_v<std::remove_reference_t<decltype(top_.d_o)>>) {
      return static_cast<std::uint32_t>(top_.d_o >> (c_width * lane));
    } else {
      return top_.d_o[lane];
    }
  }

  Module top_;
};

template <class Module, int Lanes>
tensor_core_entry entry_of() {
  return {Lanes, []() -> std::unique_ptr<tensor_core_module> {
            return std::make_unique<verilated<Module, Lanes>>();
          }};
}

}  // namespace

const std::vector<tensor_core_entry>& tensor_cores() {
  static const std::vector<tensor_core_entry> cores{
#define MX_TENSOR_CORE(lanes) entry_of<Vmx_tensor_core_##lanes, lanes>(),
#include "tensor_core_list.h"
#undef MX_TENSOR_CORE
  };
  return cores;
}

}  // namespace rtl
