// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/backends.cpp: backends by name.
#include "rtl_models/cosim/backends.h"

#include <verilated_fst_sc.h>

#include "Vmx_quantizer_bfloat16_e8m0_sc.h"
#include "Vmx_quantizer_bfloat16_e8m3_sc.h"
#include "Vmx_quantizer_binary32_e8m0_sc.h"
#include "Vmx_quantizer_binary32_e8m3_sc.h"
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

template <class Verilated, int InWidth, int ScaleWidth>
std::unique_ptr<clocked_quantizer> make_quantizer(sc_core::sc_clock& clock) {
  const std::string name =
      "quantizer_" + std::to_string(InWidth) + "_" + std::to_string(ScaleWidth);
  return std::make_unique<quantizer_pin_backend<Verilated, InWidth, ScaleWidth>>(
      name.c_str(), "verilated", clock);
}

}  // namespace

std::unique_ptr<clocked_backend> make_clocked_backend(const std::string& kind, int lanes,
                                                      sc_core::sc_clock& clock) {
  if (lanes == 1) return make<1, Vmx_tensor_core_sc_1>(kind, clock);
  if (lanes == 8) return make<8, Vmx_tensor_core_sc_8>(kind, clock);
  if (lanes == 32) return make<32, Vmx_tensor_core_sc_32>(kind, clock);
  return nullptr;
}

std::unique_ptr<clocked_quantizer> make_clocked_quantizer(const quantizer_kind& made,
                                                          sc_core::sc_clock& clock) {
  const bool brain = made.in == mx::formats::bfloat16, plain = made.scale == mx::formats::e8m0;
  if (!brain && made.in != mx::formats::binary32) return nullptr;
  if (!plain && made.scale != mx::formats::e8m(3)) return nullptr;
  if (brain && plain) return make_quantizer<Vmx_quantizer_bfloat16_e8m0_sc, 16, 8>(clock);
  if (brain) return make_quantizer<Vmx_quantizer_bfloat16_e8m3_sc, 16, 11>(clock);
  if (plain) return make_quantizer<Vmx_quantizer_binary32_e8m0_sc, 32, 8>(clock);
  return make_quantizer<Vmx_quantizer_binary32_e8m3_sc, 32, 11>(clock);
}

void allow_fst() { Verilated::traceEverOn(true); }

struct fst_file::waves {
  VerilatedFstSc file;

  /// The file registers itself with the kernel, but does not unregister.
  ~waves() {
    // Its base is private; only a C-style cast ignores that.
    sc_core::sc_get_curr_simcontext()->remove_trace_file((sc_core::sc_trace_file*)&file);
  }
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
