// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/operand_whole_test.cpp: mx/tensor/operand.h. Codes, whole matrices, and lines
// as parts of a whole tensor; valid operands.
#include <cstring>
#include <random>
#include <stdexcept>

#include "catch.h"
#include "instruction_sets.h"
#include "mx/tensor/bulk.h"
#include "mx/tensor/coded_tensor.h"
#include "operand_list.h"
#include "tensor_bytes.h"

namespace {

using mx::operand_refusal;
using test::on_all_instruction_sets;
using tests::differences;
using tests::floats;
using tests::matrix_of;
using tests::named_operand;
using tests::operand_of;
using tests::shape;
using tests::values;
using bytes = std::vector<std::uint8_t>;

/// The recipe with codes one a byte.
mx::recipe unpacked(mx::recipe r) {
  r.codes = {mx::code_packing::unpacked};
  return r;
}

/// A tensor under a recipe, codes one a byte and scales in linear order.
struct whole_tensor {
  mx::recipe r;
  mx::coded_shape s;
  tests::tensor_bytes coded;

  whole_tensor(const mx::recipe& of, const mx::tensor_axes& t, const floats& x)
      : r(unpacked(of)), s(mx::coded_shape_of(r, t)), coded(r, s) {
    mx::quantize_tensor(r, s, mx::number_type::fp32, x.data(), nullptr, coded.places());
  }
  [[nodiscard]] floats values() const {
    floats x(s.blocks.elements());
    mx::dequantize_tensor(r, s, coded.constant(), x.data());
    return x;
  }
};

/// Recipes with lines of their own that can be stored.
std::vector<named_operand> stored_operands() {
  std::vector<named_operand> all;
  for (const named_operand& one : tests::all_operands()) {
    const bool recipe = one.f.is_coded() && one.f.toggle == mx::toggle::none;
    if (recipe && one.f.recipe.format().precision == mx::scale_precision::stored) {
      all.push_back(one);
    }
  }
  return all;
}

bool has_tensor_scale(const mx::operand& f) { return f.recipe.format().has_tensor_scale(); }

// A tensor [sequence, token, feature]: blocks along features, then along the tokens of a sequence.
constexpr int sequences = 3, tokens = 11, features = 70;

TEST_CASE("rows_one_by_one_equal_the_whole_tensor") {
  const floats x = matrix_of(values::normal, sequences * tokens, features);
  for (const auto& [name, f] : stored_operands()) {
    if (has_tensor_scale(f)) continue;
    const floats whole = whole_tensor(f.recipe, {{sequences, tokens, features}, 2}, x).values();
    on_all_instruction_sets([&, &name = name, &f = f] {
      INFO(name);
      floats y(x.size());
      for (int row = 0; row < sequences * tokens; ++row) {
        const std::uint64_t first =
            static_cast<std::uint64_t>(row) * tests::blocks_a_line(f, features);
        mx::fake_quantize(f, mx::operand_rows{1, features, x.data() + row * features, 0, &first},
                          {y.data() + row * features, 0});
      }
      CHECK(differences(y, whole) == 0);
    });
  }
}

TEST_CASE("columns_of_each_sequence_equal_the_whole_tensor") {
  const floats x = matrix_of(values::normal, sequences * tokens, features);
  for (const auto& [name, f] : stored_operands()) {
    if (has_tensor_scale(f)) continue;
    const floats whole = whole_tensor(f.recipe, {{sequences, tokens, features}, 1}, x).values();
    on_all_instruction_sets([&, &name = name, &f = f] {
      INFO(name);
      floats y(x.size());
      const std::uint64_t blocks = tests::blocks_a_line(f, tokens) * features;
      for (int sequence = 0; sequence < sequences; ++sequence) {
        const std::ptrdiff_t at = sequence * tokens * features;
        mx::fake_quantize(f,
                          mx::operand_columns{tokens, features, x.data() + at, features,
                                              static_cast<std::uint64_t>(sequence) * blocks},
                          {y.data() + at, features});
      }
      CHECK(differences(y, whole) == 0);
    });
  }
}

/// Operands that need the whole matrix, and others.
std::vector<named_operand> matrix_operands() {
  std::vector<named_operand> all = stored_operands();
  for (const auto& [name, format] : {std::pair{"nvfp4_2d", mx::block_formats::nvfp4_2d},
                                     std::pair{"fp8_128x128", mx::block_formats::fp8_128x128}}) {
    all.push_back({name, operand_of({format, mx::scale_rule::ideal})});
    all.push_back({name, operand_of(tests::drawn({format, mx::scale_rule::ideal}, 8))});
  }
  for (const auto& [name, format] : tests::line_formats()) {
    mx::operand twice = operand_of(tests::drawn({format, tests::usual_rule(format)}, 8));
    twice.recipe.passes = mx::passes::twice;
    if (format.precision == mx::scale_precision::stored) all.push_back({"twice " + name, twice});
  }
  return all;
}

TEST_CASE("a_matrix_equals_the_tensor_of_its_recipe") {
  const shape s{40, 150};
  const floats x = matrix_of(values::normal, s.rows, s.columns);
  for (const auto& [name, f] : matrix_operands()) {
    for (const int axis : {0, 1}) {
      const bool tiles = f.recipe.format().rows > 1;
      const shape t = tiles && axis == 0 ? shape{s.columns, s.rows} : s;
      const mx::tensor_axes axes{
          {static_cast<std::uint64_t>(t.rows), static_cast<std::uint64_t>(t.columns)},
          tiles ? 1U : static_cast<std::size_t>(axis)};
      const bool turned = t.rows != s.rows;
      floats whole = whole_tensor(f.recipe, axes, turned ? tests::transposed(s, x) : x).values();
      if (turned) whole = tests::transposed(t, whole);
      INFO(name << ", axis " << axis);
      const floats found = tests::with_strides(
          s, x, 0, 4, [&, &f = f](const float* in, int, float* out, int stride) {
            mx::fake_quantize(f, mx::operand_matrix{s.rows, s.columns, axis, in}, {out, stride});
          });
      CHECK(differences(found, whole) == 0);
    }
  }
}

TEST_CASE("square_tiles_to_nearest_are_the_same_along_both_axes") {
  const shape s{40, 150};
  const floats x = matrix_of(values::normal, s.rows, s.columns);
  mx::block_format exact{mx::formats::e4m3, mx::formats::e8m0, 32, 32, mx::scale_precision::exact};
  for (const mx::block_format& format :
       {mx::block_formats::nvfp4_2d, mx::block_formats::fp8_128x128, exact}) {
    const mx::operand f = operand_of({format, mx::scale_rule::ideal});
    floats across(x.size()), along(x.size());
    mx::fake_quantize(f, mx::operand_matrix{s.rows, s.columns, 0, x.data()},
                      {across.data(), s.columns});
    mx::fake_quantize(f, mx::operand_matrix{s.rows, s.columns, 1, x.data()},
                      {along.data(), s.columns});
    CHECK(differences(across, along) == 0);
    CHECK(differences(across, x) > 0);
  }
}

TEST_CASE("tiles_under_an_exact_scale_map_their_largest_element_to_the_formats_largest") {
  mx::block_format format{mx::formats::e2m1, mx::formats::e8m0, 2, 2, mx::scale_precision::exact};
  const mx::operand f = operand_of({format, mx::scale_rule::ideal});
  const floats x{1.0F, 7.0F, 3.0F, 0.5F, -5.0F, -0.0F};  // 2 x 3: tiles {1, 7, .5, -5}, {3, -0}
  floats y(6);
  mx::fake_quantize(f, mx::operand_matrix{2, 3, 1, x.data()}, {y.data(), 3});
  CHECK(y[1] == 7.0F);
  CHECK(y[2] == 3.0F);
  CHECK(mx::bits_of(y[5]) == 0x80000000U);
  CHECK(y[4] == mx::to_binary32(mx::quotient(mx::unpack(-28.0F), mx::unpack(6.0F))));  // -4 * 7 / 6
}

TEST_CASE("two_passes_under_exact_scales_are_two_operands") {
  const shape s{40, 70};
  const floats x = matrix_of(values::normal, s.rows, s.columns);
  mx::operand twice = operand_of(tests::drawn({tests::exact_blocks, mx::scale_rule::ideal}, 8));
  mx::operand once = twice, nearest = operand_of({tests::exact_blocks, mx::scale_rule::ideal});
  twice.recipe.passes = mx::passes::twice;
  floats found(x.size()), expected(x.size());
  mx::fake_quantize(twice, mx::operand_matrix{s.rows, s.columns, 1, x.data()},
                    {found.data(), s.columns});
  mx::fake_quantize(nearest, mx::operand_columns{s.rows, s.columns, x.data(), s.columns},
                    {expected.data(), s.columns});
  mx::fake_quantize(once, mx::operand_rows{s.rows, s.columns, expected.data(), s.columns},
                    {expected.data(), s.columns});
  CHECK(differences(found, expected) == 0);
}

/// Codes of lines, and their decoded values.
struct made_codes {
  bytes codes, scales;
  floats tensor_scales;

  made_codes(const mx::operand& f, int lines, int count)
      : codes(tests::blocks_a_line(f, count) * static_cast<std::size_t>(lines) *
              static_cast<std::size_t>(f.recipe.format().columns)),
        scales(tests::blocks_a_line(f, count) * static_cast<std::size_t>(lines)),
        tensor_scales(static_cast<std::size_t>(lines), 1.0F) {}

  [[nodiscard]] mx::operand_codes arrays() {
    return {codes.data(), scales.data(), tensor_scales.data()};
  }
  /// Value i of a line under its tensor scale.
  [[nodiscard]] float value(const mx::operand& f, int line, int count, int i, float above) const {
    const auto columns = static_cast<std::size_t>(f.recipe.format().columns);
    const std::size_t blocks = tests::blocks_a_line(f, count);
    const std::size_t at =
        static_cast<std::size_t>(line) * blocks * columns + static_cast<std::size_t>(i);
    const mx::unpacked tensor =
        f.recipe.format().has_tensor_scale() ? mx::unpack(above) : mx::no_tensor_scale;
    return mx::dequantize_element(f.recipe.format(), codes[at], scales[at / columns], tensor);
  }
};

std::vector<named_operand> coded_operands() {
  std::vector<named_operand> all;
  for (const named_operand& one : stored_operands()) {
    const bool in_byte = one.f.recipe.format().scale.width() <= 8;
    if (one.f.recipe.is_plain() && in_byte) all.push_back(one);
  }
  return all;
}

TEST_CASE("codes_of_rows_decode_to_their_values") {
  const shape s{5, 70};
  for (const values kind : {values::normal, values::any_pattern, values::subnormal}) {
    const floats x = matrix_of(kind, s.rows, s.columns);
    for (const auto& [name, f] : coded_operands()) {
      on_all_instruction_sets([&, &name = name, &f = f] {
        INFO(name << ", values " << static_cast<int>(kind));
        made_codes made(f, s.rows, s.columns);
        mx::quantize(f, mx::operand_rows{s.rows, s.columns, x.data(), s.columns}, made.arrays());
        floats expected(x.size()), found;
        mx::fake_quantize(f, mx::operand_rows{s.rows, s.columns, x.data(), s.columns},
                          {expected.data(), s.columns});
        for (int row = 0; row < s.rows; ++row) {
          const float above = made.tensor_scales[static_cast<std::size_t>(row)];
          for (int i = 0; i < s.columns; ++i) {
            found.push_back(made.value(f, row, s.columns, i, above));
          }
        }
        CHECK(differences(found, expected) == 0);
      });
    }
  }
}

TEST_CASE("codes_of_rows_do_not_depend_on_how_many_rows_there_are") {
  const mx::operand f{mx::operand_numbers::coded,
                      {{mx::block_formats::nvfp4, mx::scale_rule::ideal}}};
  // Several rows with scales of their own in one batch of blocks.
  constexpr int rows = 64, count = 128, blocks = count / 16;
  std::mt19937 random(17);
  floats x;
  for (int i = 0; i < rows * count; ++i) {
    const float one = static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-31F;
    x.push_back(one * static_cast<float>(1 << i / count % 7));
  }
  struct coded_row {
    bytes codes, scales;
    floats tensor_scales;
    explicit coded_row(std::size_t lines)
        : codes(lines * count), scales(lines * blocks), tensor_scales(lines) {}
    [[nodiscard]] mx::operand_codes out() {
      return {codes.data(), scales.data(), tensor_scales.data()};
    }
  };
  on_all_instruction_sets([&] {
    coded_row all(rows);
    mx::quantize(f, mx::operand_rows{rows, count, x.data(), count}, all.out());
    for (int row = 0; row < rows; ++row) {
      coded_row one(1);
      mx::quantize(f, mx::operand_rows{1, count, x.data() + row * count, count}, one.out());
      INFO("row " << row);
      CHECK(std::equal(one.codes.begin(), one.codes.end(), all.codes.begin() + row * count));
      CHECK(std::equal(one.scales.begin(), one.scales.end(), all.scales.begin() + row * blocks));
      CHECK(one.tensor_scales[0] == all.tensor_scales[static_cast<std::size_t>(row)]);
    }
  });
}

TEST_CASE("blocks_of_zeros_among_others_have_the_codes_and_scales_of_the_core") {
  const shape s{6, 192};
  floats x = matrix_of(values::normal, s.rows, s.columns);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 192 < 64 || i / 192 == 3) x[i] = i % 5 == 0 ? -0.0F : 0.0F;
    if (i / 192 == 4) x[i] *= 0x1p20F;
  }
  for (const auto& [name, f] : coded_operands()) {
    const int columns = f.recipe.format().columns;
    if (f.recipe.format().rows > 1 || 192 % columns != 0) continue;
    if (f.recipe.rules.rounding == mx::rounding::stochastic) continue;
    on_all_instruction_sets([&, &name = name, &f = f] {
      INFO(name);
      made_codes made(f, s.rows, s.columns);
      mx::quantize(f, mx::operand_rows{s.rows, s.columns, x.data(), s.columns}, made.arrays());
      std::vector<std::uint8_t> codes(static_cast<std::size_t>(columns));
      for (int block = 0; block < s.rows * 192 / columns; ++block) {
        const float above = made.tensor_scales[static_cast<std::size_t>(block * columns / 192)];
        const mx::chosen_scale scale = quantize_block(
            f.recipe.rules, x.data() + block * columns,
            f.recipe.format().has_tensor_scale() ? mx::unpack(above) : mx::no_tensor_scale, 0,
            codes.data());
        REQUIRE(made.scales[static_cast<std::size_t>(block)] == scale.code);
        REQUIRE(std::equal(codes.begin(), codes.end(), made.codes.begin() + block * columns));
      }
    });
  }
}

TEST_CASE("a_matrix_of_zeros_but_for_its_last_elements_is_quantized") {
  const shape s{3, 100};
  floats x(300, -0.0F);
  x[298] = 3.3F;
  x[299] = 1.7F;
  for (const auto& [name, f] : coded_operands()) {
    floats rows(300, 7.0F), columns(300, 7.0F);
    mx::fake_quantize(f, mx::operand_rows{s.rows, s.columns, x.data(), s.columns},
                      {rows.data(), s.columns});
    mx::fake_quantize(f, mx::operand_columns{s.columns, s.rows, x.data(), s.rows},
                      {columns.data(), s.rows});
    INFO(name);
    const float zero = f.recipe.format().element.has_negative_zero() ? -0.0F : 0.0F;
    for (const floats* found : {&rows, &columns}) {
      CHECK(mx::bits_of(found->front()) == mx::bits_of(zero));
      CHECK((*found)[298] != 0);
      CHECK(((*found)[298] != x[298] || (*found)[299] != x[299]));
    }
  }
}

TEST_CASE("codes_of_columns_decode_to_their_values_line_after_line") {
  const shape s{37, 21};
  for (const values kind : {values::normal, values::any_pattern, values::subnormal}) {
    const floats x = matrix_of(kind, s.rows, s.columns);
    for (const auto& [name, f] : coded_operands()) {
      on_all_instruction_sets([&, &name = name, &f = f] {
        INFO(name << ", values " << static_cast<int>(kind));
        made_codes made(f, s.columns, s.rows);
        mx::quantize(f, mx::operand_columns{s.rows, s.columns, x.data(), s.columns, 12},
                     made.arrays());
        floats expected(x.size()), found;
        mx::fake_quantize(f, mx::operand_columns{s.rows, s.columns, x.data(), s.columns, 12},
                          {expected.data(), s.columns});
        for (int i = 0; i < s.rows; ++i) {
          for (int column = 0; column < s.columns; ++column) {
            found.push_back(made.value(f, column, s.rows, i, made.tensor_scales[0]));
          }
        }
        CHECK(differences(found, expected) == 0);
      });
    }
  }
}

TEST_CASE("codes_of_a_matrix_are_those_of_its_recipe_line_after_line") {
  const shape s{40, 150};
  const floats x = matrix_of(values::normal, s.rows, s.columns);
  for (const auto& [name, f] : matrix_operands()) {
    const bool one_byte = f.recipe.format().scale.width() <= 8;
    if (!f.recipe.is_plain() || !one_byte) continue;
    for (const int axis : {0, 1}) {
      const bool turned = f.recipe.format().rows > 1 && axis == 0;
      const shape t = turned ? shape{s.columns, s.rows} : s;
      const mx::tensor_axes axes{
          {static_cast<std::uint64_t>(t.rows), static_cast<std::uint64_t>(t.columns)},
          turned ? 1U : static_cast<std::size_t>(axis)};
      const whole_tensor whole(f.recipe, axes, turned ? tests::transposed(s, x) : x);
      made_codes made(f, axis == 1 || turned ? t.rows : t.columns,
                      axis == 1 || turned ? t.columns : t.rows);
      mx::quantize(f, mx::operand_matrix{s.rows, s.columns, axis, x.data()}, made.arrays());
      const std::size_t lines = turned || axis == 1 ? 1 : static_cast<std::size_t>(s.columns);
      const auto in_lines = [lines](const bytes& stored) {
        bytes result(stored.size());
        for (std::size_t i = 0; i < stored.size(); ++i) {
          result[i % lines * (stored.size() / lines) + i / lines] = stored[i];
        }
        return result;
      };
      INFO(name << ", axis " << axis);
      CHECK(made.codes == in_lines(whole.coded.codes));
      const int rows = f.recipe.format().rows;
      const auto blocks = static_cast<std::ptrdiff_t>(whole.coded.scales.size()) /
                          ((rows == 1 ? 1 : (t.rows + rows - 1) / rows));
      bytes scales;  // those of a tile are repeated in each of its lines
      for (int line = 0; line < (rows == 1 ? 1 : t.rows); ++line) {
        const auto first = whole.coded.scales.begin() + line / rows * blocks;
        scales.insert(scales.end(), first, first + blocks);
      }
      CHECK(made.scales == in_lines(scales));
      for (std::size_t i = 0; i < whole.coded.above.size() / 4; ++i) {
        float scale = 0;
        std::memcpy(&scale, whole.coded.above.data() + 4 * i, 4);
        CHECK(made.tensor_scales[i] == scale);
      }
    }
  }
}

TEST_CASE("preset_codes_are_those_of_the_preset") {
  std::vector<named_operand> presets;
  tests::add_presets(presets);
  CHECK(presets.size() > 40);
  for (const shape& s : {shape{3, 64}, shape{1, 9000}}) {  // lines of one piece, and of several
    const floats x = matrix_of(values::normal, s.rows, s.columns);
    const std::vector<std::uint64_t> extents{static_cast<std::uint64_t>(s.rows),
                                             static_cast<std::uint64_t>(s.columns)};
    for (const auto& [name, f] : presets) {
      if (has_tensor_scale(f) && s.rows > 1) continue;  // each line has one of its own
      INFO(name);
      const whole_tensor whole(f.recipe, {extents, 1}, x);
      made_codes made(f, s.rows, s.columns);
      mx::quantize(f, mx::operand_rows{s.rows, s.columns, x.data(), s.columns}, made.arrays());
      CHECK(made.codes == whole.coded.codes);
      CHECK(made.scales == whole.coded.scales);
    }
  }
}

TEST_CASE("operands_that_make_no_sense_are_refused") {
  using mx::scale_rule;
  const mx::operand plain = operand_of({});
  CHECK(mx::refusal_of(plain) == operand_refusal::none);
  CHECK(mx::refusal_of(mx::operand{}) == operand_refusal::none);
  CHECK(mx::refusal_of(operand_of({mx::block_formats::mxfp4, scale_rule::four_over_six_mse})) ==
        operand_refusal::recipe);
  mx::operand f = plain;
  f.recipe.preset = static_cast<int>(mx::variant_table.size());
  CHECK(mx::refusal_of(f) == operand_refusal::preset);
  f.recipe.preset = static_cast<int>(mx::variant_named("te.nvfp4") - mx::variant_table.data());
  CHECK(mx::refusal_of(f) == operand_refusal::preset);  // it has no MXFP4
  f.recipe.rules.format = mx::block_formats::nvfp4;
  CHECK(mx::refusal_of(f) == operand_refusal::none);
  f.toggle = mx::toggle::injection;
  CHECK(mx::refusal_of(f) == operand_refusal::toggled);
  mx::operand fp32;
  fp32.toggle = mx::toggle::operation;
  CHECK(mx::refusal_of(fp32) == operand_refusal::toggled);

  const auto toggled = [](const mx::quantization& q) {
    return mx::refusal_of(
        tests::toggled(operand_of(q), mx::toggle::injection, mx::component::grid));
  };
  CHECK(toggled({}) == operand_refusal::none);
  CHECK(toggled({tests::blocks_of_five, scale_rule::mse}) == operand_refusal::none);
  CHECK(toggled({mx::block_formats::mxfp4, scale_rule::quest}) == operand_refusal::toggled);
  CHECK(toggled({mx::block_formats::mxfp8_e4m3}) == operand_refusal::toggled);
  CHECK(toggled({tests::exact_blocks, scale_rule::ideal}) == operand_refusal::toggled);
  CHECK(toggled({mx::block_formats::mxfp4, scale_rule::floor, mx::rounding::toward_zero}) ==
        operand_refusal::toggled);
  f = tests::toggled(plain, mx::toggle::injection, mx::component::grid);
  f.recipe.corrections.macro_block = 64;
  CHECK(mx::refusal_of(f) == operand_refusal::toggled);
}

TEST_CASE("lines_of_tiles_and_of_two_passes_and_codes_of_other_operands_are_refused") {
  floats x(64 * 64);
  bytes codes(64 * 64), scales(64 * 64);
  const mx::operand_codes out{codes.data(), scales.data(), x.data()};
  const auto rows = [&](const mx::operand& f) {
    mx::fake_quantize(f, mx::operand_rows{1, 32, x.data(), 32}, {x.data(), 32});
  };
  const auto columns = [&](const mx::operand& f) {
    mx::fake_quantize(f, mx::operand_columns{32, 1, x.data(), 1}, {x.data(), 1});
  };
  const auto coded = [&](const mx::operand& f) {
    mx::quantize(f, mx::operand_rows{1, 32, x.data(), 32}, out);
  };
  const auto matrix = [&](const mx::operand& f) {
    mx::fake_quantize(f, mx::operand_matrix{32, 32, 1, x.data()}, {x.data(), 32});
  };
  mx::operand twice = operand_of({});
  twice.recipe.passes = mx::passes::twice;
  for (const mx::operand& f :
       {twice, operand_of({mx::block_formats::nvfp4_2d, mx::scale_rule::ideal})}) {
    CHECK(mx::line_refusal_of(f) == operand_refusal::whole);
    CHECK_THROWS_AS(rows(f), std::invalid_argument);
    CHECK_THROWS_AS(columns(f), std::invalid_argument);
    CHECK_THROWS_AS(coded(f), std::invalid_argument);
    CHECK_NOTHROW(matrix(f));
  }
  const mx::operand wrong =
      operand_of({mx::block_formats::mxfp4, mx::scale_rule::four_over_six_mse});
  CHECK_THROWS_AS(rows(wrong), std::invalid_argument);
  CHECK_THROWS_AS(matrix(wrong), std::invalid_argument);
  CHECK_NOTHROW(coded(operand_of({})));
  CHECK_THROWS_AS(coded({}), std::invalid_argument);
  CHECK_THROWS_AS(coded(operand_of({mx::block_formats::fp8_1x128})), std::invalid_argument);
  CHECK_THROWS_AS(coded(operand_of({tests::exact_blocks, mx::scale_rule::ideal})),
                  std::invalid_argument);
  mx::corrections gain;
  gain.gain = mx::pre_gain::three_quarters;
  CHECK_THROWS_AS(coded(operand_of({}, gain)), std::invalid_argument);
  CHECK_THROWS_AS(coded(tests::toggled(operand_of({}), mx::toggle::injection, mx::component::all)),
                  std::invalid_argument);
}

}  // namespace
