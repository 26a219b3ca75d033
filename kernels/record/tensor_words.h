// SPDX-License-Identifier: Apache-2.0
// kernels/record/tensor_words.h: a word of a dot product by tcgen05, chained along k: row 0 of A
// and column 0 of B; other rows and columns are not read for its sum. An instruction takes 32 bytes
// of k. A block of threads computes a word.
// Has not run on its hardware.
#pragma once
#include "gemm/native_descriptors.h"
#include "unrolled.h"
#include "word_codes.h"

namespace mx::kernels {

inline constexpr int tensor_word_threads = 128;
inline constexpr int tensor_word_columns = 16;  // of B and D

struct alignas(16) tensor_word_shared {
  std::uint32_t a[tensor_rows * native_step_words];
  std::uint32_t b[tensor_word_columns * native_step_words];
  std::uint32_t scales_a[tensor_rows], scales_b[tensor_rows];
  std::uint64_t done;
  std::uint32_t base, unused;
};

/// Operand locations of an instruction.
struct tensor_word_operands {
  std::uint32_t d;
  std::uint64_t a, b;
  std::uint32_t scales_a, scales_b;
};

template <class Instruction, class Thread>
class tensor_word {
 public:
  static constexpr instruction_shape shape = Instruction::shape;
  static_assert(shape.a.bits * shape.k == 32 * native_step_words);

  MX_HD tensor_word(const Thread& self, const device_words& words) noexcept
      : self_(self), words_(words), shared_(*self.template shared<tensor_word_shared>()) {
    const auto word = static_cast<std::size_t>(self.block());
    begin_ = words.begin[word];
    k_end_ = words.begin[word + 1] - begin_;
    if (shape.block == 0) return;
    scale_begin_ = words.scale_begin[word];
    scales_ = words.scale_begin[word + 1] - scale_begin_;
  }

  MX_HD void run() const noexcept {
    begin();
    const std::uint32_t base = shared_.base;
    put_c(base);
    int phase = 0;
    for (int k = 0; k < k_end_; k += shape.k) {
      lay_out(k);
      self_.show_to_engines();
      meet();
      if (self_.index() == 0) add(base);
      self_.wait_for_phase(&shared_.done, phase++ % 2);
      self_.tensor_after_barrier();
    }
    take_d(base);
    meet();
    if (self_.index() / 32 == 1) self_.release_tensor_memory(base);
  }

 private:
  MX_HD void meet() const noexcept {
    self_.tensor_before_barrier();
    self_.barrier();
    self_.tensor_after_barrier();
  }

  MX_HD void begin() const noexcept {
    if (self_.index() == 0) {
      self_.begin_counter(&shared_.done, 1);
      self_.show_counters();
    }
    if (self_.index() / 32 == 1) self_.allot_tensor_memory(shared_.base);
    meet();
  }

  /// Codes and scales of one instruction.
  MX_HD void lay_out(int k) const noexcept {
    const int w = self_.index();
    constexpr int elements = shape.a.count();
    if (w < native_step_words) {
      const int at = code_place(native_layout::core_matrices, 0, w);
      shared_.a[at] = packed_from(words_.a + begin_, k_end_, k + w * elements, shape.a);
      shared_.b[at] = packed_from(words_.b + begin_, k_end_, k + w * elements, shape.b);
    }
    if constexpr (shape.block > 0) {
      if (w == 0) {
        shared_.scales_a[0] = scales_of(words_.scale_a, k);
        shared_.scales_b[0] = scales_of(words_.scale_b, k);
      }
    }
  }
  [[nodiscard]] MX_HD std::uint32_t scales_of(const std::uint32_t* from, int k) const noexcept {
    return scales_from(from + scale_begin_, scales_, k / shape.block, shape.k / shape.block,
                       scale_of_one(shape.block));
  }

  MX_HD void add(std::uint32_t base) const noexcept {
    constexpr int scales_a = tensor_word_columns, scales_b = scales_a + tensor_rows / 32;
    const tensor_word_operands operands{base, codes_descriptor(self_.shared_address(shared_.a)),
                                        codes_descriptor(self_.shared_address(shared_.b)),
                                        tensor_address(base, 0, scales_a),
                                        tensor_address(base, 0, scales_b)};
    if constexpr (shape.block > 0) {
      self_.copy_to_tensor_memory(operands.scales_a,
                                  scales_descriptor(self_.shared_address(shared_.scales_a)));
      self_.copy_to_tensor_memory(operands.scales_b,
                                  scales_descriptor(self_.shared_address(shared_.scales_b)));
    }
    Instruction::run(self_, operands);
    self_.commit_tensor_work(&shared_.done);
  }

  [[nodiscard]] MX_HD std::uint32_t row_address(std::uint32_t base) const noexcept {
    return tensor_address(base, self_.index() / 32 * 32, 0);
  }
  MX_HD void put_c(std::uint32_t base) const noexcept {
    std::uint32_t c[tensor_word_columns] = {};
    if (self_.index() == 0) c[0] = words_.c[self_.block()];
    self_.warp_barrier();
    self_.store_tensor_memory(row_address(base), c);
    self_.wait_for_tensor_stores();
  }
  MX_HD void take_d(std::uint32_t base) const noexcept {
    std::uint32_t d[tensor_word_columns];
    self_.warp_barrier();
    self_.load_tensor_memory(d, row_address(base));
    self_.wait_for_tensor_loads();
    if (self_.index() == 0) words_.d[self_.block()] = d[0];
  }

  const Thread& self_;
  const device_words& words_;
  tensor_word_shared& shared_;
  int begin_ = 0, k_end_ = 0, scale_begin_ = 0, scales_ = 0;
};

}  // namespace mx::kernels
