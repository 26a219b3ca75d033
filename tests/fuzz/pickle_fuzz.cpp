// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/pickle_fuzz.cpp: detection of Python pickles on any bytes.
#include "golden/io/pickle.h"
#include "require.h"

namespace {

/// Whether the name of an archive's first file, if any, can be that of an array.
bool may_be_arrays(const std::string& archive) {
  return archive.substr(std::min<std::size_t>(archive.size(), 30)).find(".npy") !=
         std::string::npos;
}

bool begins_like_a_pickle(const std::string& file) {
  return file.size() > 1 && file[0] == '\x80' && file[1] >= 2 && file[1] <= 5;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(data, data + size);
  const bool archive = file.starts_with("PK\x03\x04");
  std::string message;
  try {
    golden::io::refuse_pickle("f", {data, size});
  } catch (const golden::io::file_error& error) {
    message = error.what();
    fuzz::require(error.byte() == 0U, "a pickle is one from its first byte");
  }
  fuzz::require(message.empty() == !(archive || begins_like_a_pickle(file)),
                "archives and pickles are refused, and nothing else");
  if (message.find(".npz") != std::string::npos) {
    fuzz::require(archive && may_be_arrays(file), "what is called an archive of arrays holds one");
  }
  return 0;
}
