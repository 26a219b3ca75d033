// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/stored_array.h: arrays as a file holds them: packed codes, arranged scales.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/quantize/blocked_tensor.h"
#include "sim/cli/rules/chosen_rules.h"
#include "sim/cli/rules/storage.h"
#include "sim/cli/terminal/progress_bar.h"

namespace sim::cli {

/// Bytes that are not cleared first: the core writes every one of them.
class byte_buffer {
 public:
  byte_buffer() = default;
  explicit byte_buffer(std::uint64_t size)
      : bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(size)), size_(size) {}
  explicit byte_buffer(const std::vector<std::uint8_t>& bytes);

  [[nodiscard]] std::uint8_t* data() { return bytes_.get(); }
  [[nodiscard]] const std::uint8_t* data() const { return bytes_.get(); }
  [[nodiscard]] golden::io::byte_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::uint64_t size_ = 0;
};

/// One array of a tensor: codes, scales, tensor_scale, tensor_amax (of presets), macro_fractions,
/// residual.codes, residual.scales, residual.macro_fractions.
struct stored_array {
  std::string name;
  golden::io::dtype type;
  std::vector<std::uint64_t> shape;
  byte_buffer bytes;
};

/// How the core's arrays of numbers are called.
[[nodiscard]] mx::number_type number_type_of(const golden::io::tensor& numbers);

/// Type of the stored scales of a format.
[[nodiscard]] golden::io::dtype scale_type(const mx::block_format& f);

/// What the arrays of one tensor have in common.
struct coding_job {
  const golden::io::tensor& x;
  const blocked_tensor& t;
  const chosen_rules& rules;
  const storage& how;
  progress_bar& bar;

  [[nodiscard]] const mx::block_format& format() const { return rules.format(); }
  /// The core packs low nibbles first; other orders, and the codes of presets, are packed here.
  [[nodiscard]] mx::code_packing core_packing() const {
    const bool same = how.codes.order == mx::nibble_order::low_first && rules.variant == nullptr;
    return same ? how.codes.packing : mx::code_packing::unpacked;
  }
  [[nodiscard]] mx::blocks_done counted() const {
    return [this](std::uint64_t blocks) { bar.advance(blocks); };
  }
};

/// Codes as the file has them.
///   padded  length along the axis in codes      codes  in the core's packing, unpacked for split
///           halves and high nibbles first
[[nodiscard]] stored_array stored_codes(const coding_job& job, const std::string& name,
                                        std::uint64_t padded, byte_buffer codes);

/// Scales as the file has them.
///   scales  in linear order
[[nodiscard]] stored_array stored_scales(const coding_job& job, const std::string& name,
                                         std::uint64_t blocks_along, byte_buffer scales);

[[nodiscard]] stored_array stored_floats(const std::string& name, std::vector<std::uint64_t> shape,
                                         const std::vector<float>& values);

/// Macro-block factors: U8 up to 8 bits, else U16.
[[nodiscard]] stored_array stored_fractions(const coding_job& job, const std::string& name,
                                            const std::vector<std::uint16_t>& fractions,
                                            std::uint64_t macro_blocks);

}  // namespace sim::cli
