// SPDX-License-Identifier: Apache-2.0
// tests/bindings/bindings_tensor_test.cpp: the C ABI gives the core's bits for every format, rule,
// order of storage, preset and correction.
#include <cstring>

#include "coded_by_library.h"
#include "mx/block/names.h"
#include "mx/presets/bulk_variants.h"
#include "mx/spelling.h"
#include "mx/tensor/blocks.h"
#include "mx/tensor/corrected.h"
#include "mx/tensor/energy.h"
#include "mx/tensor/storage.h"

namespace {

using library::bytes;
using library::floats;

std::vector<std::uint32_t> bits_of(const floats& x) {
  std::vector<std::uint32_t> bits;
  for (const float v : x) bits.push_back(mx::bits_of(v));
  return bits;
}

bytes bytes_of(const floats& x) {
  bytes result(x.size() * sizeof(float));
  if (!x.empty()) std::memcpy(result.data(), x.data(), result.size());
  return result;
}

/// The core's result for a tensor: codes, scales, tensor scales, values.
struct core_result {
  bytes codes, scales;
  floats above, values;
};

core_result by_core(const mx::quantization& q, const mx::blocked_shape& shape, const floats& x,
                    mx::code_packing packing) {
  const mx::blocked_sizes sizes = mx::sizes_of(q.format, shape, packing);
  core_result r{bytes(sizes.code_bytes), bytes(sizes.scale_bytes()), floats(sizes.tensor_scales),
                floats(x.size())};
  if (q.format.has_tensor_scale()) {
    mx::choose_tensor_scales(q.format, mx::number_type::fp32, x.data(), shape, r.above.data());
  }
  mx::quantize_tensor(q, mx::number_type::fp32, x.data(), shape,
                      {r.codes.data(), r.scales.data(), r.above.data(), packing});
  mx::dequantize_tensor(q.format, {r.codes.data(), r.scales.data(), r.above.data(), packing}, shape,
                        r.values.data());
  return r;
}

void expect_core(const std::string& name, const std::string& options, const mx::quantization& q,
                 const std::vector<std::uint64_t>& extents, int axis,
                 const mx::blocked_shape& shape) {
  INFO(name << " " << options);
  const floats x = library::numbers(shape.elements());
  const core_result core = by_core(q, shape, x, mx::code_packing::packed);
  const auto f = library::format(name, options);
  const library::there_and_back got = library::through(f.get(), extents, axis, x);
  REQUIRE(got.quantized == mx_status_ok);
  REQUIRE(got.dequantized == mx_status_ok);
  CHECK(got.codes.arrays[0] == core.codes);
  CHECK(got.codes.arrays[1] == core.scales);
  CHECK(got.codes.arrays[2] == bytes_of(core.above));
  CHECK(got.values == bits_of(core.values));
}

}  // namespace

TEST_CASE("every_named_format_has_the_bits_of_the_core") {
  for (const auto& entry : mx::block_format_table) {
    const std::string name(entry.name);
    const mx::quantization q{entry.value, mx::default_rule(entry.value)};
    const mx::blocked_shape tiles{.outer = 2, .rows = 5, .length = 70};
    const mx::blocked_shape rows{.outer = 10, .length = 70};
    expect_core(name, "", q, {2, 5, 70}, -1, entry.value.rows > 1 ? tiles : rows);
    if (entry.value.rows > 1) continue;
    expect_core(name, "", q, {2, 70, 5}, 1, {.outer = 2, .length = 70, .inner = 5});
  }
}

TEST_CASE("every_rule_and_rounding_has_the_bits_of_the_core") {
  const mx::blocked_shape shape{.outer = 3, .length = 50};
  for (const auto& rule : mx::scale_rule_table) {
    for (const auto& rounding : mx::rounding_table) {
      mx::quantization q{mx::format_spelled("e2m1:e8m3:16").format, rule.value, rounding.value};
      q.random = {0xFFFFFFFFFFFFFFFF, 7, mx::byte_map::te_soft};
      if (mx::refusal_of(q) != mx::refusal::none) continue;
      expect_core("e2m1:e8m3:16",
                  "scale-rule=" + std::string(rule.name) +
                      " rounding=" + std::string(rounding.name) +
                      " seed=18446744073709551615 random-bits=7 byte-map=te-soft",
                  q, {3, 50}, -1, shape);
    }
  }
}

TEST_CASE("stored_orders_are_those_of_the_core_and_come_back") {
  const mx::blocked_shape shape{.outer = 2 * 33, .length = 80};
  const floats x = library::numbers(shape.elements());
  const mx::quantization q{mx::block_formats::mxfp4};
  const core_result core = by_core(q, shape, x, mx::code_packing::unpacked);
  const struct {
    const char* name;
    mx::nibble_order order;
  } orders[] = {{"packed", mx::nibble_order::low_first},
                {"high-first", mx::nibble_order::high_first},
                {"split-half", mx::nibble_order::split_half}};
  for (const auto& order : orders) {
    for (const auto& layout : mx::scale_layout_table) {
      INFO(order.name << " " << std::string(layout.name));
      const auto f = library::format(
          "mxfp4", "packing=" + std::string(order.name) + " layout=" + std::string(layout.name));
      const auto got = library::through(f.get(), {2, 33, 80}, -1, x);
      bytes codes(66 * 48), scales(2 * mx::size(layout.value, 33, 3));
      mx::pack_codes(order.order, 32, core.codes.data(), 66, 96, 1, codes.data());
      mx::arrange_scales(layout.value, core.scales.data(), 2, 33, 3, scales.data());
      CHECK(got.codes.arrays[0] == codes);
      CHECK(got.codes.arrays[1] == scales);
      CHECK(got.values == bits_of(core.values));
    }
  }
  const auto unpacked = library::format("mxfp4", "packing=unpacked");
  CHECK(library::through(unpacked.get(), {2, 33, 80}, -1, x).codes.arrays[0] == core.codes);
}

TEST_CASE("six_bit_codes_without_gaps_are_those_of_the_core") {
  const mx::blocked_shape shape{.outer = 3, .length = 80};
  const floats x = library::numbers(shape.elements());
  const core_result core =
      by_core({mx::block_formats::mxfp6_e3m2}, shape, x, mx::code_packing::unpacked);
  const auto f = library::format("mxfp6-e3m2", "packing=dense");
  const auto got = library::through(f.get(), {3, 80}, -1, x);
  bytes codes(3 * 72);
  mx::pack_sixes(core.codes.data(), 3, 96, 1, codes.data());
  CHECK(got.codes.arrays[0] == codes);
  CHECK(got.values == bits_of(core.values));
  mx_format_facts facts{};
  facts.struct_size = sizeof facts;
  REQUIRE(mx_format_describe(f.get(), &facts, nullptr) == mx_status_ok);
  CHECK(facts.code_bits == 6);
  CHECK(facts.codes_a_byte == 0);
  CHECK(facts.product_ready == 0);
}

TEST_CASE("odd_blocks_share_their_last_byte_with_nobody") {
  const mx::spelled_format odd = mx::format_spelled("e2m1:e8m0:5");
  expect_core("e2m1:e8m0:5", "", {odd.format}, {3, 14}, -1, {.outer = 3, .length = 14});
}

TEST_CASE("scales_of_tiles_are_arranged_by_rows_of_tiles") {
  const mx::blocked_shape shape{.outer = 2, .rows = 40, .length = 70};
  const floats x = library::numbers(shape.elements());
  const core_result core = by_core({mx::block_formats::nvfp4_2d, mx::scale_rule::ideal}, shape, x,
                                   mx::code_packing::packed);
  const auto f = library::format("nvfp4-2d", "layout=8x4");
  bytes scales(2 * mx::size(mx::scale_layout::blocked_8x4, 3, 5));
  mx::arrange_scales(mx::scale_layout::blocked_8x4, core.scales.data(), 2, 3, 5, scales.data());
  const auto got = library::through(f.get(), {2, 40, 70}, -1, x);
  CHECK(got.codes.arrays[0] == core.codes);
  CHECK(got.codes.arrays[1] == scales);
  CHECK(got.values == bits_of(core.values));
}

TEST_CASE("every_preset_has_the_bits_of_the_core") {
  const mx::blocked_shape shape{.outer = 3, .length = 50};
  const floats x = library::numbers(shape.elements());
  for (const mx::variant_entry& entry : mx::variant_table) {
    const mx::block_format& f = entry.about.formats.front();
    if (!mx::is_quantizer(entry) || f.rows > 1) continue;
    INFO(std::string(entry.about.name));
    const mx::blocked_sizes sizes = mx::sizes_of(f, shape, mx::code_packing::unpacked);
    std::vector<mx::variant_tensor_scale> above(sizes.tensor_scales);
    bytes codes(sizes.code_bytes), scales(sizes.scale_bytes());
    floats values(x.size());
    mx::choose_variant_scales(entry, f, x.data(), shape, above.data());
    mx::quantize_by_variant(entry, f, x.data(), shape, {codes.data(), scales.data(), above.data()});
    mx::dequantize_by_variant(entry, f, {codes.data(), scales.data(), above.data()}, shape,
                              values.data());
    const auto handle = library::format(
        mx::spelling_of(f), "variant=" + std::string(entry.about.name) + " packing=unpacked");
    const auto got = library::through(handle.get(), {3, 50}, -1, x);
    CHECK(got.codes.arrays[0] == codes);
    CHECK(got.codes.arrays[1] == scales);
    CHECK(got.values == bits_of(values));
    floats tensor_scales, amax;
    for (const auto& s : above) tensor_scales.push_back(s.scale), amax.push_back(s.amax);
    CHECK(got.codes.arrays[2] == bytes_of(tensor_scales));
    CHECK(got.codes.arrays[3] == bytes_of(amax));
  }
}

TEST_CASE("corrected_formats_have_the_values_of_the_core") {
  const mx::blocked_shape shape{.outer = 3, .length = 150, .inner = 2};
  const floats x = library::numbers(shape.elements());
  for (const char* name : {"mxfp4+mbs=128,8", "mxfp4+mbs=64,12", "mxfp4+of=0.5", "nvfp4+gain=16/17",
                           "mxfp4+mbs=64,9+of=0.5,dead:0.1", "mxfp4+rotate=64,random:7"}) {
    INFO(name);
    const mx::spelled_format spelled = mx::format_spelled(name);
    const mx::quantization q{spelled.format, mx::default_rule(spelled.format)};
    floats values(x.size());
    const mx::corrected_tensor made =
        mx::quantize_corrected(q, spelled.corrections, mx::number_type::fp32, x.data(), shape,
                               mx::code_packing::packed, values.data());
    const auto f = library::format(name);
    const auto got = library::through(f.get(), {3, 150, 2}, 1, x);
    REQUIRE(got.quantized == mx_status_ok);
    CHECK(got.codes.arrays[0] == made.first.codes);
    CHECK(got.codes.arrays[5] == made.residual.codes);
    CHECK(got.values == bits_of(values));
  }
}

TEST_CASE("a_second_pass_follows_one_along_the_other_axis") {
  const floats x = library::numbers(40 * 50);
  const mx::quantization q{mx::block_formats::mxfp4, mx::scale_rule::floor};
  const auto f = library::format("mxfp4+double");
  const mx::blocked_shape along{.outer = 40, .length = 50}, across{.length = 40, .inner = 50};
  const floats once = by_core(q, across, x, mx::code_packing::packed).values;
  const auto got = library::through(f.get(), {40, 50}, -1, x);
  CHECK(got.codes.arrays[0] == by_core(q, along, once, mx::code_packing::packed).codes);
  const floats other = by_core(q, along, x, mx::code_packing::packed).values;
  const auto turned = library::through(f.get(), {40, 50}, 0, x);
  CHECK(turned.codes.arrays[0] == by_core(q, across, other, mx::code_packing::packed).codes);
  CHECK(library::through(f.get(), {2000}, 0, x).quantized == mx_status_unsupported);
  CHECK(library::through(f.get(), {2, 20, 50}, 0, x).quantized == mx_status_unsupported);
}

TEST_CASE("energies_are_those_of_the_core") {
  const mx::blocked_shape shape{.outer = 4, .length = 100};
  const floats x = library::numbers(shape.elements());
  const std::uint64_t extents[] = {4, 100};
  const mx_shape same{extents, 2, -1};
  const mx_numbers numbers{x.data(), x.size() * sizeof(float), mx_number_fp32};
  for (const char* name : {"mxfp4", "nvfp4", "mxfp8-e5m2"}) {
    const mx::quantization q{mx::format_spelled(name).format, mx::scale_rule::rceil};
    floats above(1);
    mx::choose_tensor_scales(q.format, mx::number_type::fp32, x.data(), shape, above.data());
    const mx::error_energy core =
        mx::decompose_tensor(q, mx::number_type::fp32, x.data(), shape, above.data());
    const auto f = library::format(name, "scale-rule=rceil");
    mx_energy e{};
    e.struct_size = sizeof e;
    REQUIRE(mx_tensor_decompose(f.get(), &same, &numbers, nullptr, &e, nullptr) == mx_status_ok);
    const mx::energy_sums sums{e.total,      e.scale,         e.deadzone,       e.grid,
                               e.clip,       e.scale_dead,    e.scale_deadzone, e.scale_grid,
                               e.scale_clip, e.deadzone_grid, e.deadzone_clip,  e.grid_clip,
                               e.x_squared,  e.x_quantized};
    CHECK(sums == core.sums);
    CHECK((e.elements == 400 && e.identity_violations == 0));
    CHECK(e.blocks == static_cast<std::uint64_t>(core.blocks));
    CHECK(e.dead == static_cast<std::uint64_t>(core.dead));
    CHECK(e.dead_actual == static_cast<std::uint64_t>(core.dead_actual));
  }
}
