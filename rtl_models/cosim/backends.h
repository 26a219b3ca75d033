// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/backends.h: backends by name.
#pragma once
#include <memory>

#include "rtl_models/cosim/pin_backend.h"
#include "rtl_models/cosim/quantizer_pin_backend.h"

namespace hardware {

/// "cycles" or "verilated", before the simulation begins; 1, 8 or 32 lanes. Null for other kinds.
[[nodiscard]] std::unique_ptr<clocked_backend> make_clocked_backend(const std::string& kind,
                                                                    int lanes,
                                                                    sc_core::sc_clock& clock);

/// The Verilated mx_quantizer of BF16 or FP32 numbers and E8M0 or E8M3 scales, with 8 random bits
/// an element, before the simulation begins. Null for other kinds.
[[nodiscard]] std::unique_ptr<clocked_quantizer> make_clocked_quantizer(const quantizer_kind& made,
                                                                        sc_core::sc_clock& clock);

/// Enables waves of Verilated modules; call before the first of them is constructed.
void allow_fst();

/// Waves of the Verilated core of one lane, from now until it is destroyed. The simulation has
/// begun.
class fst_file {
 public:
  fst_file(clocked_backend& verilated_of_one_lane, const std::string& path);
  ~fst_file();
  fst_file(const fst_file&) = delete;
  fst_file& operator=(const fst_file&) = delete;

 private:
  struct waves;
  std::unique_ptr<waves> waves_;
};

}  // namespace hardware
