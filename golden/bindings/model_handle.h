// SPDX-License-Identifier: Apache-2.0
// golden/bindings/model_handle.h: what a mx_model is: a model that has room for its operands, and what
// is known of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "golden/bindings/arguments.h"
#include "mx/dot/models.h"
#include "mxprism/product.h"

/// The C header names it in the global namespace.
struct mx_model {
  mx::dot_model model;
  std::string name, evidence, source, doubts;
};

namespace bindings {

/// The model of a handle.
///   errors  mx_status_bad_argument for null
[[nodiscard]] const mx::dot_model& model_of(const mx_model* handle);

/// Bits of a code of an operand, and the bytes it lies in.
[[nodiscard]] int code_bits(const mx::dot_model& model, const mx::format& f) noexcept;
[[nodiscard]] std::uint64_t code_bytes(const mx::dot_model& model, const mx::format& f) noexcept;

/// Blocks of scales along k; 0 without scales.
[[nodiscard]] std::uint64_t blocks_of(const mx::dot_model& model, std::uint64_t k) noexcept;

/// Refuses codes with bits above their width.
///   bytes  of a code: 1, 2 or 4
void expect_narrow(const void* codes, std::uint64_t count, std::uint64_t bytes, int bits,
                   const char* name);

/// Codes of any width and alignment as words.
[[nodiscard]] std::uint32_t code_at(const void* codes, std::uint64_t index, std::uint64_t bytes);

}  // namespace bindings
