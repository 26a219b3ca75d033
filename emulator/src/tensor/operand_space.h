// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_space.h: space for the spans of a few lines of an operand, gathered,
// and for their results.
#pragma once
#include <algorithm>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "tensor/operand_kernel.h"

namespace mx {

/// Consecutive spans of consecutive lines: of `lines` lines from `line` on the spans
/// [span, span + spans).
struct operand_piece {
  std::ptrdiff_t line, lines, span, spans;

  [[nodiscard]] std::ptrdiff_t count() const { return lines * spans; }
};

/// Gathered spans in place of the blocks of a batch.
class operand_space {
 public:
  ///   count     elements of each of `lines` lines
  ///   elements  of a batch
  operand_space(const operand& f, int lines, int count, std::ptrdiff_t elements)
      : size_(span_of(f, count)),
        stride_((size_ + alignment - 1) / alignment * alignment),
        spans_a_line_((count + size_ - 1) / size_),
        most_(std::max<std::ptrdiff_t>(1, std::min(elements / stride_, lines * spans_a_line_))),
        scales_(static_cast<std::size_t>(most_)),
        tensor_scales_(static_cast<std::size_t>(most_), 1.0F) {}

  /// Elements of a span, and from one span to the next.
  [[nodiscard]] std::ptrdiff_t size() const { return size_; }
  [[nodiscard]] std::ptrdiff_t stride() const { return stride_; }
  [[nodiscard]] std::ptrdiff_t spans_a_line() const { return spans_a_line_; }
  /// Spans of a batch.
  [[nodiscard]] std::ptrdiff_t most() const { return most_; }

  /// The gathered elements, uninitialized at first.
  [[nodiscard]] float* x() { return allocated(x_); }
  /// As many elements again.
  [[nodiscard]] float* turned() { return allocated(turned_); }
  [[nodiscard]] std::vector<float>& tensor_scales() { return tensor_scales_; }

  [[nodiscard]] block_batch batch(std::ptrdiff_t count, const float* x, float* values) {
    return {x,
            static_cast<std::uint64_t>(stride_),
            0,
            static_cast<int>(count),
            tensor_scales_.data(),
            nullptr,
            scales_.data(),
            storing::cached,
            values};
  }

  /// Where the kernels may write the codes of a piece: among those of its lines, or to this space.
  [[nodiscard]] std::uint8_t* codes_of(const operand_piece& p, const operand_codes& out) {
    return is_in_order(p) ? out.codes + (p.line * spans_a_line_ + p.span) * size_
                          : allocated(codes_);
  }
  /// Stores the codes, unless they are in place, and the scales of a piece line after line.
  void scatter(const operand_piece& p, const operand_codes& out) const {
    const std::uint32_t* scale = scales_.data();
    const std::uint8_t* codes = is_in_order(p) ? nullptr : codes_.get();
    for (std::ptrdiff_t line = p.line; line < p.line + p.lines; ++line) {
      for (std::ptrdiff_t b = p.span; b < p.span + p.spans; ++b) {
        const std::ptrdiff_t at = line * spans_a_line_ + b;
        out.scales[at] = static_cast<std::uint8_t>(*scale++);
        if (codes == nullptr) continue;
        std::copy_n(codes, size_, out.codes + at * size_);
        codes += stride_;
      }
    }
  }

 private:
  /// Whether a piece's spans follow one another in memory as they do here.
  [[nodiscard]] bool is_in_order(const operand_piece& p) const {
    return size_ == stride_ && (p.lines == 1 || p.spans == spans_a_line_);
  }
  template <class Number>
  [[nodiscard]] Number* allocated(hwy::AlignedFreeUniquePtr<Number[]>& space) const {
    if (!space) space = hwy::AllocateAligned<Number>(static_cast<std::size_t>(most_ * stride_));
    return space.get();
  }

  static constexpr auto alignment = static_cast<std::ptrdiff_t>(batch_alignment);
  std::ptrdiff_t size_, stride_, spans_a_line_, most_;
  hwy::AlignedFreeUniquePtr<float[]> x_, turned_;
  hwy::AlignedFreeUniquePtr<std::uint8_t[]> codes_;
  std::vector<std::uint32_t> scales_;
  std::vector<float> tensor_scales_;
};

}  // namespace mx
