// SPDX-License-Identifier: Apache-2.0
// sim/sweep/swept_input.h: the numbers of an input, drawn or in a file that the caller has mapped.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "mx/tensor/blocks.h"
#include "sim/sweep/sweep_study.h"

namespace sim {

class swept_policy;

/// A tensor as a matrix of lines along its last axis, in which blocks lie.
///   slices  matrices of its last two axes, one below the other
struct swept_tensor {
  std::string name;
  std::uint64_t rows = 0, columns = 0;
  mx::number_type type = mx::number_type::fp32;
  const void* numbers = nullptr;
  std::uint64_t slices = 1;
};

///   hash    of the numbers, or of the law that they are drawn by
///   drawn   numbers of a law; its tensor points to them
///   policy  in place of tensors
struct swept_input {
  sweep_input of;
  std::string hash;
  std::vector<swept_tensor> tensors;
  std::vector<float> drawn;
  std::shared_ptr<swept_policy> policy;

  swept_input() = default;
  swept_input(swept_input&&) = default;
  swept_input& operator=(swept_input&&) = default;
};

/// Numbers of a law: the same on every machine and for any number of threads.
///   errors  requires another law than `file`
[[nodiscard]] swept_input drawn_input(const sweep_input& of);

/// An input of tensors in files: its hash is that of their names, shapes and numbers.
[[nodiscard]] swept_input stored_input(const sweep_input& of, std::vector<swept_tensor> tensors);

/// An input that is a policy.
///   kept    folder of warmed-up policies
///   errors  those of swept_policy
[[nodiscard]] swept_input policy_input(const sweep_study& s, const sweep_input& of,
                                       const std::filesystem::path& kept);

/// Consecutive rows of a tensor as FP32.
[[nodiscard]] std::vector<float> rows_of(const swept_tensor& t, std::uint64_t first,
                                         std::uint64_t rows);

}  // namespace sim
