// SPDX-License-Identifier: Apache-2.0
// tests/train/step_products_test.cpp: the codes of a step's products are the operands that the step
// itself computes with, transposed so that lines run along k.
#include "sim/train/step_products.h"

#include <filesystem>

#include "catch.h"
#include "golden/io/tensor_file.h"
#include "mx/tensor/blocks.h"
#include "tiny_study.h"

namespace {

using namespace sim;

/// The numbers of lines of codes.
std::vector<float> numbers_of(const coded_lines& lines, std::uint64_t k) {
  const std::uint64_t count = lines.codes.size() * 2 / k;
  std::vector<float> numbers(count * k);
  mx::dequantize_tensor(mx::block_formats::mxfp4, {lines.codes.data(), lines.scales.data()},
                        {.rows = count, .length = k}, numbers.data());
  return numbers;
}

/// X and dY of one linear after the step's backward pass, and the starts of sequences.
struct seen_operands {
  std::vector<float> x, dy;
  int in = 0, out = 0;
  std::vector<int> first_row;
};

seen_operands operands_seen(const setting& s, training_state state, linear l) {
  seen_operands seen;
  gradient_computer gradient(s);
  const auto copy = [](const operand_view& m, std::vector<float>& to) {
    for (int row = 0; row < m.rows; ++row) {
      to.insert(to.end(), m.data + row * m.stride, m.data + row * m.stride + m.columns);
    }
  };
  gradient.watch([&](const decoder& d, int layer) {
    if (layer != 0) return;
    const auto x = d.input_of({0, l}), dy = d.output_gradient_of({0, l});
    seen.in = x.columns;
    seen.out = dy.columns;
    const int before = static_cast<int>(seen.x.size()) / x.columns;
    for (int i = 0; i < std::ssize(d.batch()); ++i)
      seen.first_row.push_back(before + d.first_row(i));
    copy(x, seen.x);
    copy(dy, seen.dy);
  });
  (void)grpo_step(s, s.constants.arms[1], gradient, state);
  seen.first_row.push_back(static_cast<int>(seen.x.size()) / seen.in);
  return seen;
}

/// Whether lines of length k, padded, are rows of the matrix in the arm's format.
bool are_rows(const std::vector<float>& lines, std::uint64_t k, const std::vector<float>& matrix,
              int columns, const mx::operand& f) {
  const int rows = static_cast<int>(matrix.size()) / columns;
  std::vector<float> wanted(matrix.size());
  mx::fake_quantize(f, mx::operand_rows{rows, columns, matrix.data(), columns},
                    {wanted.data(), columns});
  bool same = lines.size() == static_cast<std::size_t>(rows) * k;
  for (std::size_t i = 0; same && i < lines.size(); ++i) {
    const std::size_t row = i / k, column = i % k;
    const bool padding = column >= static_cast<std::size_t>(columns);
    same = lines[i] == (padding ? 0 : wanted[row * static_cast<std::size_t>(columns) + column]);
  }
  return same;
}

/// Whether a sequence's lines, padded, are columns of its rows in the arm's format.
bool are_columns(const float* lines, std::uint64_t k, const float* matrix, int rows, int columns,
                 const mx::operand& f) {
  std::vector<float> wanted(static_cast<std::size_t>(rows * columns));
  mx::fake_quantize(f, mx::operand_columns{rows, columns, matrix, columns},
                    {wanted.data(), columns});
  bool same = true;
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row < static_cast<int>(k); ++row) {
      const float seen =
          lines[static_cast<std::size_t>(column) * k + static_cast<std::size_t>(row)];
      same = same &&
             seen == (row < rows ? wanted[static_cast<std::size_t>(row * columns + column)] : 0);
    }
  }
  return same;
}

const coded_products& named(const std::vector<coded_products>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &coded_products::name);
  REQUIRE(found != all.end());
  return *found;
}

struct tiny_step {
  setting s{test::tiny_study()};
  training_state state;
  mx::operand format = test::mxfp4();

  tiny_step() { state.weights = initial_weights(s.table, 1); }
};

TEST_CASE("codes_of_a_step_are_the_operands_that_it_computes_with") {
  const tiny_step of;
  const std::vector<coded_products> all = step_products(of.s, of.s.constants.arms[1], of.state, 0);
  CHECK(all.size() == 21);
  for (const linear l : {linear::k, linear::up, linear::down}) {
    const std::string name = name_of(l);
    const seen_operands seen = operands_seen(of.s, of.state, l);
    const auto &forward = named(all, "forward." + name), &dgrad = named(all, "dgrad." + name),
               &wgrad = named(all, "wgrad." + name);
    INFO(name);
    CHECK(are_rows(numbers_of(forward.a, forward.k), forward.k, seen.x, seen.in, of.format));
    CHECK(are_rows(numbers_of(dgrad.a, dgrad.k), dgrad.k, seen.dy, seen.out, of.format));
    const parameter& p = of.s.table.layer(0).of(l);
    const float* w = of.state.weights.data() + p.offset;
    CHECK(are_rows(numbers_of(forward.b, forward.k), forward.k, {w, w + p.count()}, p.columns,
                   of.format));
    const std::vector<float> transposed = numbers_of(dgrad.b, dgrad.k);
    CHECK(are_columns(transposed.data(), dgrad.k, w, p.rows, p.columns, of.format));
    const std::vector<float> a = numbers_of(wgrad.a, wgrad.k), b = numbers_of(wgrad.b, wgrad.k);
    REQUIRE(wgrad.count + 1 == seen.first_row.size());
    for (std::size_t i = 0; i < wgrad.count; ++i) {
      const int first = seen.first_row[i], rows = seen.first_row[i + 1] - first;
      CHECK(are_columns(a.data() + i * wgrad.m * wgrad.k, wgrad.k,
                        seen.dy.data() + first * seen.out, rows, seen.out, of.format));
      CHECK(are_columns(b.data() + i * wgrad.n * wgrad.k, wgrad.k, seen.x.data() + first * seen.in,
                        rows, seen.in, of.format));
    }
  }
}

TEST_CASE("an_arm_that_is_not_plain_has_no_codes_of_products") {
  const tiny_step of;
  for (const std::size_t arm : {0U, 2U, 3U, 4U}) {
    CHECK_THROWS_AS(step_products(of.s, of.s.constants.arms[arm], of.state, 0),
                    std::invalid_argument);
  }
  arm noisy = of.s.constants.arms[1];
  noisy.noise = rollout_noise::adaptive;
  CHECK_THROWS_AS(step_products(of.s, noisy, of.state, 0), std::invalid_argument);
}

TEST_CASE("a_step_of_several_updates_has_no_codes_of_products") {
  tiny_step of;
  of.s.constants.grpo.minibatches = 2;
  CHECK_THROWS_AS(step_products(of.s, of.s.constants.arms[1], of.state, 0), std::invalid_argument);
}

TEST_CASE("products_are_saved_with_their_shapes") {
  const auto path = std::filesystem::temp_directory_path() / "mx_step_products_test.safetensors";
  save_products(path, {{"wgrad.q",
                        2,
                        1,
                        3,
                        64,
                        {std::vector<std::uint8_t>(64, 1), {1, 2, 3, 4}},
                        {std::vector<std::uint8_t>(192, 2), std::vector<std::uint8_t>(12, 5)}}});
  const golden::io::tensor_file file = golden::io::load(path.string());
  CHECK(file.at("wgrad.q.a").shape == std::vector<std::uint64_t>{2, 1, 32});
  CHECK(file.at("wgrad.q.b").shape == std::vector<std::uint64_t>{2, 3, 32});
  CHECK(file.at("wgrad.q.scale_a").shape == std::vector<std::uint64_t>{2, 1, 2});
  CHECK(file.at("wgrad.q.scale_b").bytes.size() == 12);
  std::filesystem::remove(path);
}

}  // namespace
