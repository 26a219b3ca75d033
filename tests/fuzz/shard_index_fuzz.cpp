// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/shard_index_fuzz.cpp: any text as the index of a model's shards.
#include "golden/io/shard_index.h"
#include "golden/io/utf8.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const golden::io::shard_index index = golden::io::parse_shard_index(text, "f");
    fuzz::require(!index.empty(), "an index has tensors");
    for (const auto& [name, shard] : index) {
      fuzz::require(shard.ends_with(".safetensors") && shard.find('/') == std::string::npos,
                    "a shard is a file beside the index");
    }
  } catch (const golden::io::file_error& error) {
    const std::string message = error.what();
    fuzz::require(message.starts_with("f: "), "a refusal begins with the file");
    fuzz::require(!golden::io::first_byte_that_is_not_utf8(message), "a refusal is text");
  }
  return 0;
}
