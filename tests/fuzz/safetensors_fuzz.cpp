// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/safetensors_fuzz.cpp: any bytes as a safetensors file.
#include "golden/io/safetensors.h"
#include "tensor_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::check_reader({golden::io::parse_safetensors,
                      [](const auto& plans, const auto& notes) {
                        return golden::io::safetensors_frame(plans, notes, "g");
                      }},
                     {data, size});
  return 0;
}
