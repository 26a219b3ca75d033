// SPDX-License-Identifier: Apache-2.0
// golden/vectors/block_list.cpp: blocks at the decision points of a quantization.
#include "golden/vectors/block_list.h"

#include <algorithm>

#include "golden/vectors/draws.h"

namespace golden {
namespace {

using codes_of_block = std::vector<std::uint32_t>;

/// Makes blocks of one input format; random draws are seeded by the label.
class block_maker {
 public:
  block_maker(const block_pack& pack, const number_format& input)
      : pack_(pack),
        input_(input),
        one_(input.last_not_above(1).value()),
        binade_(input.last_not_above(2).value() - one_),
        section_{&input, {}} {}

  /// Numbers within some binades around 1, of both signs.
  void add_near(const std::string& label) {
    draws from = begun(label);
    for (std::size_t i = 0; i < pack_.elements; ++i)
      push(from, one_ - 4 * binade_, one_ + 3 * binade_);
  }
  /// Numbers anywhere in the format.
  void add_range(const std::string& label, std::uint32_t lowest, std::uint32_t highest) {
    draws from = begun(label);
    for (std::size_t i = 0; i < pack_.elements; ++i) push(from, lowest, highest);
  }
  /// Numbers near 1, and one code among them.
  void add_special(const std::string& label, std::uint32_t code) {
    add_near(label);
    draws from(pack_.name() + label + "place");
    const auto last = static_cast<std::uint32_t>(pack_.elements - 1);
    section_.blocks.back().x[from.between(0U, last)] = code;
  }
  /// Two blocks whose largest numbers are neighbours and whose scales differ.
  void add_threshold(const std::string& label) {
    add_range(label + ".below", one_ - 5 * binade_, one_ - 1);
    codes_of_block& x = section_.blocks.back().x;
    std::uint32_t below = one_, above = one_ + 2 * binade_;
    const auto scale_at = [&](std::uint32_t amax) {
      x[pack_.elements / 2] = amax;
      return scale_of(x);
    };
    const std::uint32_t first = scale_at(below);
    while (above - below > 1) {
      const std::uint32_t middle = below + (above - below) / 2;
      (scale_at(middle) == first ? below : above) = middle;
    }
    x[pack_.elements / 2] = below;
    vector_block other = section_.blocks.back();
    other.label = label + ".above";
    other.x[pack_.elements / 2] = above;
    section_.blocks.push_back(other);
  }
  /// The largest element, which determines the scale, and numbers halfway between two others, or
  /// next to that.
  void add_ties(const std::string& label) {
    draws from = begun(label);
    codes_of_block& x = section_.blocks.back().x;
    x.assign(pack_.elements, 0);
    x[0] = input_.last_not_above(pack_.how.element->largest()).value();
    const rational unit = scale_value(x);
    const std::uint32_t magnitudes = pack_.how.element->magnitudes();
    for (std::size_t i = 1; i < x.size(); ++i) {
      const std::uint32_t lower = magnitudes < 32
                                      ? static_cast<std::uint32_t>(i - 1) / 3 % (magnitudes - 1)
                                      : from.between(0U, magnitudes - 2);
      const rational middle =
          (pack_.how.element->magnitude(lower) + pack_.how.element->magnitude(lower + 1)) / 2;
      const std::uint32_t code = input_.last_not_above(middle * unit).value();
      const std::uint32_t beside = code - (i % 3 == 1 && code > 0 ? 1 : 0) + (i % 3 == 2 ? 1 : 0);
      x[i] = input_.with_sign(from.one_in(2), beside);
    }
  }

  [[nodiscard]] std::uint32_t largest() const { return input_.magnitudes() - 1; }
  [[nodiscard]] std::uint32_t infinity() const { return input_.magnitudes(); }
  [[nodiscard]] std::uint32_t nan() const { return input_.nan_code() + 1; }
  [[nodiscard]] std::uint32_t smallest_normal() const { return binade_; }
  [[nodiscard]] block_section section() const { return section_; }

 private:
  draws begun(const std::string& label) {
    section_.blocks.push_back({label, {}});
    return draws(pack_.name() + input_.name() + label);
  }
  void push(draws& from, std::uint32_t lowest, std::uint32_t highest) {
    const std::uint32_t code = from.between(lowest, highest);
    section_.blocks.back().x.push_back(input_.with_sign(from.one_in(2), code));
  }
  [[nodiscard]] block_scale chosen(const codes_of_block& x) const {
    return quantize_block(numbers_of(input_, x), pack_.how, value_of(pack_.tensor_scale).magnitude)
        .scale;
  }
  [[nodiscard]] std::uint32_t scale_of(const codes_of_block& x) const { return chosen(x).code; }
  [[nodiscard]] rational scale_value(const codes_of_block& x) const {
    return chosen(x).value.value.magnitude * value_of(pack_.tensor_scale).magnitude;
  }

  const block_pack& pack_;
  const number_format& input_;
  std::uint32_t one_, binade_;
  block_section section_;
};

block_section section_of(const block_pack& pack, const number_format& input) {
  block_maker make(pack, input);
  make.add_near("near.1");
  make.add_threshold("threshold");
  make.add_ties("ties");
  make.add_special("inf", make.infinity());
  if (&input != &formats::fp32()) return make.section();
  make.add_near("near.2");
  make.add_threshold("threshold.other");
  make.add_range("zeros", 0, 0);
  make.add_range("tiniest", 0, 3);
  make.add_range("subnormal", 1, make.smallest_normal() - 1);
  make.add_range("largest", make.largest() - 3, make.largest());
  make.add_range("any", 1, make.largest());
  make.add_special("nan", make.nan());
  return make.section();
}

}  // namespace

std::vector<block_section> sections_of(const block_pack& pack) {
  return {section_of(pack, formats::fp32()), section_of(pack, formats::bf16()),
          section_of(pack, formats::fp16())};
}

std::vector<float> numbers_of(const number_format& input, const std::vector<std::uint32_t>& x) {
  std::vector<float> numbers;
  for (const std::uint32_t code : x) {
    const number n = input.decode(code);
    const std::uint32_t sign = n.value.negative ? 0x80000000U : 0;
    if (n.kind != number_kind::finite) {
      numbers.push_back(float_of(n.kind == number_kind::nan ? canonical_nan : sign | 0x7f800000U));
      continue;
    }
    numbers.push_back(float_of(sign | round_to_binary32(n.value.magnitude, zero_sign::positive)));
  }
  return numbers;
}

}  // namespace golden
