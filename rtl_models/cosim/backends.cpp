// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/backends.cpp: backends by name.
#include "rtl_models/cosim/backends.h"

#include <verilated_fst_sc.h>

#include "Vmx_tensor_core_sc_1.h"
#include "Vmx_tensor_core_sc_32.h"
#include "Vmx_tensor_core_sc_8.h"

namespace hardware {
namespace {

template <int Lanes, class Verilated>
std::unique_ptr<clocked_backend> make(const std::string& kind, sc_core::sc_clock& clock) {
  const std::string name = kind + "_" + std::to_string(Lanes);
  if (kind == "cycles") {
    return std::make_unique<pin_backend<tensor_core_cycles<Lanes>, Lanes>>(name.c_str(), kind,
                                                                           clock);
  }
  if (kind != "verilated") return nullptr;
  return std::make_unique<pin_backend<Verilated, Lanes>>(name.c_str(), kind, clock);
}

}  // namespace

std::unique_ptr<clocked_backend> make_clocked_backend(const std::string& kind, int lanes,
                                                      sc_core::sc_clock& clock) {
  if (lanes == 1) return make<1, Vmx_tensor_core_sc_1>(kind, clock);
  if (lanes == 8) return make<8, Vmx_tensor_core_sc_8>(kind, clock);
  if (lanes == 32) return make<32, Vmx_tensor_core_sc_32>(kind, clock);
  return nullptr;
}

void allow_fst() { Verilated::traceEverOn(true); }

struct fst_file::waves {
  VerilatedFstSc file;
};

fst_file::fst_file(clocked_backend& verilated_of_one_lane, const std::string& path)
    : waves_(std::make_unique<waves>()) {
  auto* backend = dynamic_cast<pin_backend<Vmx_tensor_core_sc_1, 1>*>(&verilated_of_one_lane);
  if (backend == nullptr) {
    SC_REPORT_ERROR("/mx/fst_file", "only the Verilated core of one lane can write waves");
    return;
  }
  backend->dut.trace(&waves_->file, 99);
  waves_->file.open(path.c_str());
}

fst_file::~fst_file() { waves_->file.close(); }

}  // namespace hardware
