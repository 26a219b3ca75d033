// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/special_pack.cpp: blocks with special or extreme numbers.
#include <array>

#include "golden/vectors/packs/quantized_rows.h"
#include "mx/block/names.h"

namespace golden::packs {
namespace {

using mx::number_type;

constexpr std::uint32_t infinity = 0x7F800000, sign = 0x80000000;

/// Rows of equal width: repeated numbers, with others at single positions.
struct special_rows {
  std::size_t size;
  number_type type;
  std::vector<noted_row> rows;

  /// Bits of an FP32 pattern that the type has.
  [[nodiscard]] std::uint32_t kept(std::uint32_t bits) const {
    return type == number_type::fp32 ? bits : bits >> 16 << 16;
  }
  void add(const char* sentence, std::vector<std::uint32_t> repeated) {
    noted_row row{{}, sentence};
    for (std::size_t i = 0; i < size; ++i) {
      row.x.push_back(mx::float_of(kept(repeated[i % repeated.size()])));
    }
    rows.push_back(std::move(row));
  }
  /// Stores bits at a position of the row added last; negative counts from the end.
  void put(int place, std::uint32_t bits) {
    const int at = place < 0 ? place + static_cast<int>(size) : place;
    rows.back().x[static_cast<std::size_t>(at)] = mx::float_of(kept(bits));
  }
};

void add_zeros(special_rows& r) {
  r.add("only +0: the smallest scale, codes 0", {0});
  r.add("only -0: the smallest scale, signs kept", {sign});
  r.add("+0 and -0 in turn", {0, sign});
  r.add("one number among -0, in the last place", {sign});
  r.put(-1, 0x3F800000);
  r.add("numbers that become zero beside a large one, with their signs", {0x2B8CBCCC, 0xAB8CBCCC});
  r.put(0, 0x42C80000);
}

void add_subnormals(special_rows& r) {
  const std::uint32_t smallest = r.type == number_type::fp32 ? 1 : 0x10000;
  const std::uint32_t largest = 0x00800000 - smallest;
  r.add("one smallest subnormal among zeros", {0});
  r.put(3, smallest);
  r.add("only the smallest subnormal, of both signs", {smallest, sign | smallest});
  r.add("only the largest subnormal, of both signs", {largest, sign | largest});
  r.add("powers of two among the subnormals",
        {0x00400000, 0x80200000, 0x00100000, 0x80080000, 0x00040000, 0x80020000, 0x00010000});
  r.add("the smallest normal number and subnormals", {largest, sign | smallest, 0x00400000});
  r.put(0, 0x00800000);
  r.add("subnormals beside 1, where all of them become zero", {largest, sign | largest});
  r.put(-1, 0x3F800000);
}

void add_nan_and_infinity(special_rows& r) {
  const std::uint32_t one = 0x3F800000, quiet = 0x7FC00000, signaling = 0x7FA00000;
  struct placed {
    const char* sentence;
    int place;
    std::uint32_t bits;
  };
  const std::array cases{placed{"a NaN in the first place", 0, quiet},
                         placed{"a NaN in the last place", -1, quiet},
                         placed{"a negative NaN in the middle", 7, sign | quiet},
                         placed{"a signaling NaN", 5, signaling},
                         placed{"a NaN with all bits set", 9, 0x7FFFFFFF},
                         placed{"+Inf in the first place", 0, infinity},
                         placed{"-Inf in the last place", -1, sign | infinity}};
  for (const placed& c : cases) {
    r.add(c.sentence, {one, sign | 0x40000000, 0x3F000000});
    r.put(c.place, c.bits);
  }
  r.add("only NaN", {quiet});
  r.add("only Inf, of both signs", {infinity, sign | infinity});
  r.add("NaN and Inf", {one});
  r.put(1, quiet), r.put(2, infinity);
  r.add("a NaN among zeros", {0});
  r.put(4, quiet);
}

void add_largest(special_rows& r) {
  r.add("only the largest finite number, of both signs", {0x7F7FFFFF, 0xFF7FFFFF});
  r.add("the largest finite number among subnormals", {0x00400000});
  r.put(2, 0x7F7FFFFF);
  r.add("2^127 and 2^-126: further apart than any format reaches", {0x7F000000, 0x80800000});
}

std::vector<noted_row> special_rows_of(const mx::block_format& f, number_type type) {
  special_rows r{static_cast<std::size_t>(f.columns), type, {}};
  add_zeros(r);
  add_subnormals(r);
  add_nan_and_infinity(r);
  add_largest(r);
  return r.rows;
}

/// Next to an amax near the largest number, every other block of a tensor would get the scale 0.
std::vector<noted_row> without_largest(std::vector<noted_row> rows) {
  rows.resize(rows.size() - 3);
  return rows;
}

}  // namespace

pack_contents special_pack() {
  pack_contents pack;
  for (const auto& named : mx::block_format_table) {
    const mx::block_format& f = named.value;
    if (f.rows > 1 || f.scale.width() > 8) continue;
    for (const number_type type : {number_type::fp32, number_type::bf16}) {
      const std::array rules{mx::default_rule(f)};
      const std::string tag = name_of(f) + "." + name_of(type);
      add_quantized(pack, tag, f, type, rules, special_rows_of(f, type));
      if (f.has_tensor_scale()) {
        add_quantized(pack, tag + ".ordinary", f, type, rules,
                      without_largest(special_rows_of(f, type)));
      }
    }
  }
  return pack;
}

}  // namespace golden::packs
