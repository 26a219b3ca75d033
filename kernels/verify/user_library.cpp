// SPDX-License-Identifier: Apache-2.0
// kernels/verify/user_library.cpp: loads a user's library.
#include "user_library.h"

#include <dlfcn.h>

#include <string>

namespace mx::kernels {
namespace {

/// An open library by the name that messages give it.
struct open_library {
  std::string file;
  void* handle;
};

[[noreturn]] void refuse(const open_library& from, const std::string& why) {
  throw library_error(from.file + ": " + why);
}

/// In the working folder too: the loader looks for a name without a folder elsewhere.
open_library opened(const std::filesystem::path& file) {
  open_library made{file.string(),
                    dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL)};
  if (made.handle != nullptr) return made;
  const char* why = dlerror();
  refuse(made, std::string("cannot be loaded: ") + (why == nullptr ? "unknown error" : why));
}

template <class Function>
void find(const open_library& from, const char* name, Function*& function) {
  void* found = dlsym(from.handle, name);
  if (found == nullptr) {
    refuse(from, std::string("has no symbol ") + name +
                     "; define all functions of mx/kernels/user_library.h with C linkage (one that "
                     "returns mx_user_unsupported will do)");
  }
  function = reinterpret_cast<Function*>(found);
}

void expect_version(const open_library& from) {
  decltype(&mx_user_version) version = nullptr;
  find(from, "mx_user_version", version);
  if (const std::uint32_t found = version(); found != MX_USER_VERSION) {
    refuse(from, "has version " + std::to_string(found) + " of mx/kernels/user_library.h, and " +
                     std::to_string(MX_USER_VERSION) +
                     " is needed; compile it with the header of this mx_verify");
  }
}

memory_kind memory_of(const open_library& from) {
  decltype(&mx_user_memory) memory = nullptr;
  find(from, "mx_user_memory", memory);
  const std::int32_t found = memory();
  if (found == mx_user_host_memory) return memory_kind::host;
  if (found == mx_user_device_memory) return memory_kind::device;
  refuse(from, "mx_user_memory returns " + std::to_string(found) +
                   "; expected mx_user_device_memory or mx_user_host_memory");
}

}  // namespace

user_library loaded_library(const std::filesystem::path& file) {
  const open_library from = opened(file);
  expect_version(from);
  user_library made;
  made.memory = memory_of(from);
  find(from, "mx_user_quantize", made.quantize);
  find(from, "mx_user_quantize_workspace", made.quantize_workspace);
  find(from, "mx_user_dequantize", made.dequantize);
  find(from, "mx_user_dequantize_workspace", made.dequantize_workspace);
  find(from, "mx_user_product", made.product);
  find(from, "mx_user_product_workspace", made.product_workspace);
  return made;
}

}  // namespace mx::kernels
