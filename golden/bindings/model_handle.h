// SPDX-License-Identifier: Apache-2.0
// golden/bindings/model_handle.h: the contents of an mx_model: a model with its operand formats,
// and its evidence.
#pragma once
#include <cstdint>
#include <string>

#include "golden/bindings/arguments.h"
#include "mx/dot/models.h"
#include "mxprism/product.h"

/// In the global namespace, where the C header declares it.
struct mx_model {
  mx::dot_model model;
  std::string name, evidence, source, doubts;
};

namespace bindings {

/// The model of a handle.
///   errors  mx_status_bad_argument for null
[[nodiscard]] const mx::dot_model& model_of(const mx_model* handle);

/// Bits of an operand's code, and the bytes it is stored in.
[[nodiscard]] int code_bits(const mx::dot_model& model, const mx::format& f) noexcept;
[[nodiscard]] std::uint64_t code_bytes(const mx::dot_model& model, const mx::format& f) noexcept;

/// Scale blocks along k; 0 without scales.
[[nodiscard]] std::uint64_t blocks_of(const mx::dot_model& model, std::uint64_t k) noexcept;

/// Refuses codes with bits above their width.
///   bytes  of a code: 1, 2 or 4
void expect_narrow(const void* codes, std::uint64_t count, std::uint64_t bytes, int bits,
                   const char* name);

/// A code of any width and alignment as a word.
[[nodiscard]] std::uint32_t code_at(const void* codes, std::uint64_t index, std::uint64_t bytes);

}  // namespace bindings
