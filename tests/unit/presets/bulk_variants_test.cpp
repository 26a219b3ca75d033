// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/bulk_variants_test.cpp: whole tensors under every preset consist of the
// preset's own blocks, put in place.
#include "mx/presets/bulk_variants.h"

#include <cstddef>
#include <cstring>
#include <vector>

#include "catch.h"
#include "instruction_sets.h"

namespace {

using floats = std::vector<float>;
using bytes = std::vector<std::uint8_t>;

floats ramp(std::uint64_t count) {
  floats x(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    x[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) * (i % 3 == 0 ? 0.37F : 4.1F);
  }
  return x;
}

const mx::mx_variant& mx_of(const mx::variant_entry& e) { return mx::mx_variant_table[e.index]; }
const mx::nvfp4_variant& nvfp4_of(const mx::variant_entry& e) {
  return mx::nvfp4_presets::all[e.index];
}

constexpr mx::preset_random some_bits{{.seed = 7}, {.first = 11}};

/// Scale and codes of block `number` as the preset itself computes them.
std::uint8_t block_by_core(const mx::variant_entry& entry, const mx::block_format& f,
                           const floats& block, float amax, std::uint64_t number, bytes& codes) {
  if (entry.family == mx::variant_family::mx) {
    return mx::quantize_block(mx_of(entry), f, block.data(), f.size(), codes.data());
  }
  bytes bits(block.size());
  some_bits.draw(number, f.size(), bits.data());
  return mx::quantize_block(nvfp4_of(entry), block.data(), mx::tensor_of(nvfp4_of(entry), amax),
                            bits.data(), codes.data());
}

struct coded {
  bytes codes, scales;
  std::vector<mx::variant_tensor_scale> above;
};

coded made(const mx::variant_entry& entry, const mx::block_format& f, const floats& x,
           const mx::blocked_shape& shape) {
  const mx::blocked_sizes sizes = mx::sizes_of(f, shape, mx::code_packing::unpacked);
  coded result{bytes(sizes.code_bytes), bytes(sizes.blocks), {}};
  result.above.resize(sizes.tensor_scales);
  mx::choose_variant_scales(entry, f, x.data(), shape, result.above.data());
  CHECK(mx::quantize_by_variant(entry, f, x.data(), shape,
                                {result.codes.data(), result.scales.data(), result.above.data()},
                                some_bits) == 0);
  return result;
}

/// The block at the origin of line `line`.
void check_first_block(const mx::variant_entry& entry, const mx::block_format& f, const floats& x,
                       const mx::blocked_shape& shape, const coded& all, std::uint64_t line,
                       std::uint64_t blocks_along) {
  const auto columns = static_cast<std::uint64_t>(f.columns);
  floats block(columns);
  for (std::uint64_t k = 0; k < columns && k < shape.length; ++k) {
    block[k] = x[line * shape.length + k];
  }
  bytes codes(columns);
  const std::uint64_t row = f.tensor == mx::tensor_scaling::per_row ? line : 0;
  const float amax = f.has_tensor_scale() ? all.above[row].amax : 0.0F;
  const std::uint8_t scale = block_by_core(entry, f, block, amax, line * blocks_along, codes);
  CHECK(all.scales[line * blocks_along] == scale);
  const auto* first = all.codes.data() + line * blocks_along * columns;
  CHECK(std::memcmp(first, codes.data(), columns) == 0);
}

}  // namespace

TEST_CASE("every_block_of_a_tensor_is_what_the_preset_makes_of_it") {
  const mx::blocked_shape shape{.outer = 3, .length = 75};
  const floats x = ramp(shape.elements());
  for (const mx::variant_entry& entry : mx::variant_table) {
    if (!mx::is_quantizer(entry)) continue;
    const mx::block_format& f = entry.about.formats.front();
    if (f.rows > 1) continue;
    INFO(std::string(entry.about.name));
    const coded all = made(entry, f, x, shape);
    const std::uint64_t along = mx::sizes_of(f, shape, mx::code_packing::unpacked).blocks_along;
    for (std::uint64_t line = 0; line < shape.outer; ++line) {
      check_first_block(entry, f, x, shape, all, line, along);
    }
  }
}

TEST_CASE("blocks_along_a_middle_axis_are_those_of_the_transposed_tensor") {
  const mx::variant_entry& entry = *mx::variant_named("torchao.rceil");
  const mx::block_format f = mx::block_formats::mxfp4;
  const mx::blocked_shape across{.length = 64, .inner = 3}, along{.outer = 3, .length = 64};
  const floats x = ramp(across.elements());
  floats transposed(x.size()), back(x.size()), back_transposed(x.size());
  for (std::size_t a = 0; a < 64; ++a) {
    for (std::size_t i = 0; i < 3; ++i) transposed[i * 64 + a] = x[a * 3 + i];
  }
  const coded one = made(entry, f, x, across), other = made(entry, f, transposed, along);
  mx::dequantize_by_variant(entry, f, {one.codes.data(), one.scales.data()}, across, back.data());
  mx::dequantize_by_variant(entry, f, {other.codes.data(), other.scales.data()}, along,
                            back_transposed.data());
  for (std::size_t a = 0; a < 64; ++a) {
    for (std::size_t i = 0; i < 3; ++i) {
      REQUIRE(one.codes[a * 3 + i] == other.codes[i * 64 + a]);
      REQUIRE(mx::bits_of(back[a * 3 + i]) == mx::bits_of(back_transposed[i * 64 + a]));
    }
  }
}

TEST_CASE("blocks_with_nan_or_inf_are_counted") {
  floats x = ramp(96);
  x[40] = mx::float_of(0x7F800000);
  bytes codes(96), scales(3);
  CHECK(mx::quantize_by_variant(*mx::variant_named("torchao.floor"), mx::block_formats::mxfp4,
                                x.data(), {.length = 96}, {codes.data(), scales.data()},
                                some_bits) == 1);
}

namespace {

/// Numbers beside every decision threshold: elements and middles between them under scales of all
/// kinds, one ULP to either side; subnormals, zeros of both signs, Inf and NaN.
floats telling_numbers(std::uint64_t count, std::uint64_t block) {
  floats x(count);
  std::uint32_t state = 12345;
  const auto draw = [&state] { return (state = state * 1664525U + 1013904223U) >> 7; };
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t kind = i / block % 16;
    const std::uint32_t spread = kind < 8 ? 6 : 24;
    const std::uint32_t field = (kind == 11 ? 0 : 1) * (100 + i / block % 40 + draw() % spread);
    std::uint32_t bits = (draw() & 0xF) << 20 | field << 23 | (draw() & 1) << 31;
    bits += draw() % 3;
    bits -= bits % 8 == 0 ? 0 : draw() % 3;
    if (kind % 3 == 1) bits ^= draw() & 0x7FFFFF;
    if (kind == 12) bits = (bits & 0x807FFFFF) | (draw() % 2 == 0 ? 253U : 1U) << 23;
    if (kind == 13 && draw() % 8 == 0) bits = 0x7F800000 | (draw() & 1) << 31 | (draw() & 1) << 22;
    if (kind == 14) bits &= 0x80000000;
    if (draw() % 32 == 0) bits &= 0x80000000;
    x[i] = mx::float_of(bits);
  }
  return x;
}

}  // namespace

TEST_CASE("many_blocks_are_what_the_preset_makes_of_each") {
  for (const mx::variant_entry& entry : mx::variant_table) {
    if (!mx::is_quantizer(entry)) continue;
    for (const mx::block_format& f : entry.about.formats) {
      if (f.rows > 1) continue;
      const auto columns = static_cast<std::uint64_t>(f.columns);
      const mx::blocked_shape shape{.outer = 60, .length = 75 * columns - 3};
      const floats x = telling_numbers(shape.elements(), columns);
      const mx::blocked_sizes sizes = mx::sizes_of(f, shape, mx::code_packing::unpacked);
      bytes codes(sizes.code_bytes), scales(sizes.blocks);
      std::vector<mx::variant_tensor_scale> above(sizes.tensor_scales, {3.0F, 1.0F});
      mx::quantize_by_variant(entry, f, x.data(), shape,
                              {codes.data(), scales.data(), above.data()}, some_bits);
      INFO(std::string(entry.about.name));
      for (std::uint64_t b = 0; b < sizes.blocks; ++b) {
        const std::uint64_t line = b / 75, first = b % 75 * columns;
        floats block(columns);
        for (std::uint64_t k = 0; k < columns && first + k < shape.length; ++k) {
          block[k] = x[line * shape.length + first + k];
        }
        bytes expected(columns);
        const std::uint8_t scale =
            block_by_core(entry, f, block, f.has_tensor_scale() ? 3.0F : 0.0F, b, expected);
        INFO("block " << b);
        REQUIRE(scales[b] == scale);
        REQUIRE(std::memcmp(codes.data() + b * columns, expected.data(), columns) == 0);
      }
    }
  }
}

namespace {

/// Scales and codes of a tensor of whole blocks or tiles, block by block.
struct blocks_by_core {
  bytes codes, scales;

  blocks_by_core(const mx::variant_entry& entry, const mx::block_format& f, const floats& x,
                 const mx::blocked_shape& shape, float amax)
      : codes(x.size()), scales(x.size() / static_cast<std::size_t>(f.size())) {
    const auto rows = static_cast<std::size_t>(f.rows),
               columns = static_cast<std::size_t>(f.columns);
    const std::size_t along = shape.length / columns;
    floats block(rows * columns);
    bytes made(rows * columns);
    for (std::size_t b = 0; b < scales.size(); ++b) {
      const auto at = [&](std::size_t k) {
        return (b / along * rows + k / columns) * shape.length + b % along * columns + k % columns;
      };
      for (std::size_t k = 0; k < block.size(); ++k) block[k] = x[at(k)];
      scales[b] = block_by_core(entry, f, block, amax, b, made);
      for (std::size_t k = 0; k < block.size(); ++k) codes[at(k)] = made[k];
    }
  }
};

}  // namespace

TEST_CASE("contiguous_blocks_and_tiles_are_the_preset's_on_every_instruction_set") {
  for (const char* name :
       {"torchao-0.18.floor", "torchao-0.18.rceil", "torchao-0.18.even", "te.mxfp8", "te.nvfp4",
        "te.nvfp4-2d", "te.nvfp4-row-scaled", "vllm.ue8m0", "vllm.nvfp4", "aiter.even",
        "aiter.rceil", "triton.v2.up", "triton.v2.down", "flashinfer.nvfp4", "trtllm.nvfp4",
        "torchao.nvfp4", "ggml.mxfp4", "ggml.nvfp4"}) {
    INFO(name);
    const mx::variant_entry& entry = *mx::variant_named(name);
    const mx::block_format& f = entry.about.formats.front();
    const mx::blocked_shape shape{.rows = f.rows > 1 ? 2048U : 256U,
                                  .length = 17 * static_cast<std::uint64_t>(f.columns)};
    const floats x = telling_numbers(shape.elements(), static_cast<std::uint64_t>(f.columns));
    const mx::blocked_sizes sizes = mx::sizes_of(f, shape, mx::code_packing::unpacked);
    const float amax = f.has_tensor_scale() ? 3.7F : 0.0F;
    const std::vector<mx::variant_tensor_scale> above(sizes.tensor_scales, {amax, 1.0F});
    const blocks_by_core expected(entry, f, x, shape, amax);
    test::on_all_instruction_sets([&] {
      bytes codes(sizes.code_bytes), scales(sizes.blocks);
      mx::quantize_by_variant(entry, f, x.data(), shape,
                              {codes.data(), scales.data(), above.data()}, some_bits);
      CHECK(scales == expected.scales);
      CHECK(codes == expected.codes);
    });
  }
}

TEST_CASE("a_chosen_scale_of_a_tensor_is_that_of_its_amax") {
  const mx::variant_entry& entry = *mx::variant_named("te.nvfp4");
  const mx::nvfp4_variant& v = nvfp4_of(entry);
  floats x = ramp(100003);
  for (const std::uint32_t last :
       {0x42F00000U, 0xC3000001U, 0x7F800000U, 0x7FC00000U, 0xFFC00001U}) {
    x.back() = mx::float_of(last);
    mx::variant_tensor_scale chosen;
    mx::choose_variant_scales(entry, mx::block_formats::nvfp4, x.data(), {.length = x.size()},
                              &chosen);
    const float amax = mx::amax_of(v, x.data(), static_cast<std::int64_t>(x.size()));
    CHECK(mx::bits_of(chosen.amax) == mx::bits_of(amax));
    CHECK(mx::bits_of(chosen.scale) == mx::bits_of(mx::decoding_factor(v, mx::tensor_of(v, amax))));
  }
}

TEST_CASE("values_from_a_table_are_those_of_each_block") {
  constexpr std::uint64_t blocks = 8192, few = 1024;  // of so few none is looked up
  for (const mx::variant_entry& entry : mx::variant_table) {
    if (!mx::is_decoder(entry)) continue;
    const mx::block_format& f = entry.about.formats.front();
    if (f.rows > 1) continue;
    const auto columns = static_cast<std::uint64_t>(f.columns);
    bytes codes(blocks * columns), scales(blocks);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] = static_cast<std::uint8_t>((i * 37 + i / columns) % (1U << f.element.width()));
    }
    for (std::size_t b = 0; b < blocks; ++b) scales[b] = static_cast<std::uint8_t>(b * 5);
    const std::vector<mx::variant_tensor_scale> above(blocks, {3.7F, 1.0F});
    floats all(codes.size()), each(codes.size());
    const auto decode = [&](std::uint64_t first, std::uint64_t count, floats& out) {
      mx::dequantize_by_variant(
          entry, f, {codes.data() + first * columns, scales.data() + first, above.data()},
          {.length = count * columns}, out.data() + first * columns);
    };
    decode(0, blocks, all);
    for (std::uint64_t b = 0; b < blocks; b += few) decode(b, few, each);
    INFO(std::string(entry.about.name));
    CHECK(std::memcmp(all.data(), each.data(), all.size() * sizeof(float)) == 0);
  }
}
