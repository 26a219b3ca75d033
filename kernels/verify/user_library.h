// SPDX-License-Identifier: Apache-2.0
// kernels/verify/user_library.h: a shared library of a user's kernels, loaded and checked.
// Source: mx/kernels/user_library.h (its symbols).
#pragma once
#include <filesystem>
#include <stdexcept>

#include "mx/kernels/user_library.h"

namespace mx::kernels {

/// A library that cannot be used; the message names the file, and what it lacks.
struct library_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class memory_kind : std::uint8_t { device, host };

/// The functions of a library, which stays loaded until the process ends.
struct user_library {
  memory_kind memory = memory_kind::device;
  decltype(&mx_user_quantize) quantize = nullptr;
  decltype(&mx_user_quantize_workspace) quantize_workspace = nullptr;
  decltype(&mx_user_dequantize) dequantize = nullptr;
  decltype(&mx_user_dequantize_workspace) dequantize_workspace = nullptr;
  decltype(&mx_user_product) product = nullptr;
  decltype(&mx_user_product_workspace) product_workspace = nullptr;
};

/// Loads a library.
///   errors  library_error: it cannot be loaded, lacks a symbol, is of another version, or names no
///           kind of memory
[[nodiscard]] user_library loaded_library(const std::filesystem::path& file);

}  // namespace mx::kernels
