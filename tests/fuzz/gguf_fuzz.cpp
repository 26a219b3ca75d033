// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/gguf_fuzz.cpp: any bytes as a gguf file.
#include "golden/io/gguf.h"
#include "golden/io/gguf_header.h"
#include "tensor_reader.h"

namespace {

/// Without the alignment, which the writer sets itself.
golden::io::tensor_list parse(golden::io::byte_view file, const std::string& source) {
  golden::io::tensor_list list = golden::io::parse_gguf(file, source);
  list.metadata.erase(golden::io::alignment_key);
  return list;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::check_reader({parse,
                      [](const auto& plans, golden::io::metadata notes) {
                        notes[golden::io::alignment_key] = "64";  // it is omitted
                        return golden::io::gguf_frame(plans, notes, "g");
                      }},
                     {data, size});
  return 0;
}
