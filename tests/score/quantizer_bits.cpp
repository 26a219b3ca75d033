// SPDX-License-Identifier: Apache-2.0
// tests/score/quantizer_bits.cpp: the test of a quantizer as a kernel's author writes it: every
// byte of its codes and scales against exact fractions.
//
//   quantizer_bits OUT INPUT FORMAT RULE LAYOUT     LAYOUT is linear or 128x4
#include "scored_file.h"

namespace score {
namespace {

using golden::io::byte_view;

/// Position of the scale of (row, block); 128x4 has tiles of 128 rows and 4 columns, whose rows are
/// dealt to four groups of 32.
struct scale_places {
  std::size_t rows, blocks;
  bool tiled;

  [[nodiscard]] std::size_t size() const {
    return tiled ? (rows + 127) / 128 * ((blocks + 3) / 4) * 512 : rows * blocks;
  }
  [[nodiscard]] std::size_t at(std::size_t row, std::size_t block) const {
    if (!tiled) return row * blocks + block;
    const std::size_t tile = row / 128 * ((blocks + 3) / 4) + block / 4;
    return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
  }
};

void expect_equal(std::uint32_t found, std::uint32_t expected, const std::string& where) {
  if (found == expected) return;
  throw wrong_output(where + ": " + std::to_string(found) + ", expected " +
                     std::to_string(expected));
}

std::string place_text(const std::string& what, std::size_t row, std::size_t column) {
  return what + " [" + std::to_string(row) + ", " + std::to_string(column) + "]";
}

/// One kernel's output of one matrix.
class output_check {
 public:
  output_check(const declared& d, const golden::io::tensor& x, const golden::io::tensor_file& out,
               bool tiled)
      : declared_(d), name_(x.name), x_(matrix_of(x)), blocks_(d.blocks_in(x_.columns)) {
    places_ = {x_.rows, blocks_, tiled};
    halved_ = d.rules.element->width() == 4;
    bytes_a_row_ = blocks_ * d.block / (halved_ ? 2 : 1);
    codes_ = array_of(out, name_, "codes", x_.rows * bytes_a_row_);
    scales_ = array_of(out, name_, "scales", places_.size());
    tensor_scale_ = tensor_scale_of(d, x_);
    if (!d.is_scaled) return;
    const byte_view found = array_of(out, name_, "tensor_scale", sizeof(float));
    expect_equal(patterns_of(found)[0], golden::bits_of(tensor_scale_), name_ + " tensor scale");
  }

  void every_block() const {
    std::vector<bool> is_scale(scales_.size(), false);
    for (std::size_t row = 0; row < x_.rows; ++row) {
      const std::vector<float> numbers = x_.row(row);
      for (std::size_t b = 0; b < blocks_; ++b) {
        is_scale[places_.at(row, b)] = true;
        one_block(row, b, block_of(declared_, numbers, b, tensor_scale_));
      }
    }
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      if (!is_scale[i]) expect_equal(scales_[i], 0, place_text("padding of scales", 0, i));
    }
  }

 private:
  void one_block(std::size_t row, std::size_t b, const golden::quantized_block& expected) const {
    expect_equal(scales_[places_.at(row, b)], expected.scale.code,
                 place_text(name_ + " scale", row, b));
    for (std::size_t k = 0; k < declared_.block; ++k) {
      const std::size_t column = b * declared_.block + k;
      expect_equal(code_at(row, column), expected.codes[k],
                   place_text(name_ + " code", row, column));
    }
  }
  [[nodiscard]] std::uint32_t code_at(std::size_t row, std::size_t column) const {
    if (!halved_) return codes_[row * bytes_a_row_ + column];
    return codes_[row * bytes_a_row_ + column / 2] >> (column % 2 == 0 ? 0 : 4) & 15U;
  }

  const declared& declared_;
  std::string name_;
  matrix x_;
  std::size_t blocks_, bytes_a_row_ = 0;
  scale_places places_{};
  bool halved_ = false;
  byte_view codes_, scales_;
  float tensor_scale_ = 1;
};

void test(const std::vector<std::string>& words) {
  if (words.size() != 5) throw std::invalid_argument("OUT INPUT FORMAT RULE LAYOUT");
  const golden::io::tensor_file out = golden::io::load(words[0]);
  const golden::io::tensor_file input = golden::io::load(words[1]);
  const declared d = declared_by(words[2], words[3]);
  for (const golden::io::tensor& x : input.tensors()) {
    output_check(d, x, out, words[4] == "128x4").every_block();
  }
}

}  // namespace
}  // namespace score

int main(int argc, char** argv) { return score::verdict_of(score::test, argc, argv); }
