// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/npy_fuzz.cpp: any bytes as a .npy file.
#include "golden/io/npy.h"
#include "tensor_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::check_reader({golden::io::parse_npy,
                      [](const auto& plans, const auto& notes) {
                        return golden::io::npy_frame(plans, notes, "g");
                      }},
                     {data, size});
  return 0;
}
