// SPDX-License-Identifier: Apache-2.0
// kernels/verify/value_cases.cpp: see value_cases.h.
#include "value_cases.h"

#include <algorithm>
#include <cstdio>

#include "mx/dot/alpha.h"
#include "mx/dot/models.h"
#include "mx/number/bits.h"
#include "mx/number/philox.h"
#include "parallel_lines.h"

namespace mx::kernels {
namespace {

value_case product_of(std::int64_t rows, std::int64_t columns, std::int64_t k, std::int64_t gap) {
  const std::string shape =
      std::to_string(rows) + "x" + std::to_string(columns) + "x" + std::to_string(k);
  return {"multiply." + shape + ".gap" + std::to_string(gap),
          value_operation::multiply,
          rows,
          columns,
          k,
          gap};
}

std::string name_of_leaves(std::int64_t rows, std::int64_t columns, int first, int count) {
  return std::to_string(rows) + "x" + std::to_string(columns) + ".first" + std::to_string(first) +
         ".count" + std::to_string(count);
}

value_case leaves_of(std::int64_t rows, std::int64_t columns, int first, int count,
                     std::int64_t gap) {
  return {
      "add_leaves." + name_of_leaves(rows, columns, first, count) + ".gap" + std::to_string(gap),
      value_operation::add_leaves,
      rows,
      columns,
      0,
      gap,
      first,
      count};
}

value_case products_of(std::int64_t rows, std::int64_t columns, int first, int count) {
  return {"add_products." + name_of_leaves(rows, columns, first, count),
          value_operation::add_products,
          rows,
          columns,
          0,
          0,
          first,
          count};
}

/// Signed numbers over 24 powers of two, some zeros of both signs and subnormals.
std::vector<float> drawn_values(std::int64_t count, std::uint64_t seed) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t word = philox(seed, {{static_cast<std::uint32_t>(i), 0, 0, 11}}).word[0];
    const std::uint32_t exponent = word % 16 == 0 ? 0 : 115 + word % 25;
    const std::uint32_t bits = (word & 0x807FFFFF) | exponent << 23;
    made.push_back(float_of(word % 31 == 0 ? word & 0x80000000 : bits));
  }
  return made;
}

/// k of a leaf; of some none.
int k_of_leaf(int leaf) { return (leaf * 7 + 3) % 33; }

int levels_of(const value_case& one) {
  int levels = 0;
  while ((one.first + one.count) >> levels != 0) ++levels;
  return levels;
}

/// acc = RNE32(acc + left * right), k ascending, from +0.
///   ..step  elements between neighbours along k
float chain(const float* left, std::int64_t left_step, const float* right, std::int64_t right_step,
            std::int64_t k) {
  float sum = 0;
  for (std::int64_t i = 0; i < k; ++i) {
    sum = fused_multiply_add(left[i * left_step], right[i * right_step], sum);
  }
  return sum;
}

void multiply(const value_case& one, const value_input& input, std::vector<float>& c) {
  const std::int64_t a_stride = one.k + one.gap, stride = one.columns + one.gap;
  const value_input::factors& of = input.products[0];
  for_each_line(static_cast<std::size_t>(one.rows), [&](std::size_t line) {
    const auto row = static_cast<std::int64_t>(line);
    for (std::int64_t column = 0; column < one.columns; ++column) {
      c[static_cast<std::size_t>(row * stride + column)] =
          chain(of.left.data() + row * a_stride, 1, of.right.data() + column, stride, one.k);
    }
  });
}

/// Each leaf's product is carried into the levels, as a binary counter counts.
void add_leaves(const value_case& one, const value_input& input, std::vector<float>& levels) {
  const std::int64_t left_stride = one.rows + one.gap, right_stride = one.columns + one.gap;
  const auto size = static_cast<std::int64_t>(level_size(one));
  for_each_line(static_cast<std::size_t>(one.rows), [&](std::size_t line) {
    const auto row = static_cast<std::int64_t>(line);
    for (std::int64_t column = 0; column < one.columns; ++column) {
      float* level = levels.data() + row * one.columns + column;
      for (int leaf = 0; leaf < one.count; ++leaf) {
        const value_input::factors& of = input.products[static_cast<std::size_t>(leaf)];
        // A leaf counts as if rows of +0 were behind its k.
        float sum = 0.0F + chain(of.left.data() + row, left_stride, of.right.data() + column,
                                 right_stride, of.k);
        const int number = one.first + leaf;
        std::int64_t at = 0;
        for (; (number >> at & 1) != 0; ++at) sum = level[at * size] + sum;
        level[at * size] = sum;
      }
    }
  });
}

/// The same of products that are given, each under its alpha.
void add_products(const value_case& one, const value_input& input, std::vector<float>& levels) {
  const std::size_t size = level_size(one);
  const dot_model model = plan_of_leaves().model;
  for (int leaf = 0; leaf < one.count; ++leaf) {
    const value_input::factors& of = input.products[static_cast<std::size_t>(leaf)];
    for (std::size_t place = 0; place < size; ++place) {
      float sum = under_alpha(model, of.right.front(), of.left[place]);
      std::size_t at = place;
      for (int number = one.first + leaf; number % 2 != 0; number /= 2, at += size) {
        sum = add_fp32(model, levels[at], sum);
      }
      levels[at] = sum;
    }
  }
}

}  // namespace

gemm_plan plan_of_leaves() { return {model_named("blackwell.mxf4nvf4")->model}; }

std::vector<float> joined(const value_input& input,
                          std::vector<float> value_input::factors::*side) {
  std::vector<float> all;
  for (const value_input::factors& of : input.products) {
    all.insert(all.end(), (of.*side).begin(), (of.*side).end());
  }
  return all;
}

std::vector<value_case> value_table() {
  return {product_of(1, 1, 1, 0),     product_of(3, 5, 0, 0),      product_of(64, 64, 16, 0),
          product_of(65, 130, 33, 0), product_of(70, 96, 128, 5),  product_of(17, 200, 15, 4),
          leaves_of(1, 16, 0, 1, 0),  leaves_of(48, 128, 0, 8, 0), leaves_of(65, 80, 5, 6, 3),
          leaves_of(13, 48, 3, 1, 1), leaves_of(13, 47, 2, 33, 0), products_of(1, 1, 0, 1),
          products_of(48, 130, 0, 8), products_of(13, 47, 5, 6)};
}

std::vector<value_case> large_value_table() {
  return {product_of(512, 768, 2048, 0), product_of(129, 1000, 4099, 8),
          leaves_of(512, 512, 0, 16, 0), leaves_of(300, 700, 7, 9, 4),
          products_of(512, 512, 0, 16)};
}

std::size_t level_size(const value_case& one) {
  const std::int64_t gaps = one.what == value_operation::multiply ? one.rows * one.gap : 0;
  return static_cast<std::size_t>(one.rows * one.columns + gaps);
}

value_input input_of(const value_case& one) {
  value_input input;
  if (one.what == value_operation::multiply) {
    input.products.push_back({drawn_values(one.rows * (one.k + one.gap), 3),
                              drawn_values(one.k * (one.columns + one.gap), 4),
                              static_cast<int>(one.k)});
    input.results.assign(level_size(one), 77.0F);
    return input;
  }
  for (int leaf = 0; leaf < one.count; ++leaf) {
    const auto seed = 100 + static_cast<std::uint64_t>(leaf);
    if (one.what == value_operation::add_products) {
      input.products.push_back({drawn_values(one.rows * one.columns, seed),
                                leaf == 1 ? std::vector{1.0F} : drawn_values(1, seed + 1000), 0});
      continue;
    }
    const int k = k_of_leaf(leaf);
    input.products.push_back({drawn_values(k * (one.rows + one.gap), seed),
                              drawn_values(k * (one.columns + one.gap), seed + 1000), k});
  }
  input.results = drawn_values(static_cast<std::int64_t>(level_size(one)) * levels_of(one), 50);
  return input;
}

std::vector<std::uint32_t> values_of_core(const value_case& one, const value_input& input) {
  std::vector<float> results = input.results;
  switch (one.what) {
    case value_operation::multiply:
      multiply(one, input, results);
      break;
    case value_operation::add_leaves:
      add_leaves(one, input, results);
      break;
    case value_operation::add_products:
      add_products(one, input, results);
      break;
  }
  std::vector<std::uint32_t> bits;
  for (const float result : results) bits.push_back(bits_of(result));
  return bits;
}

std::string difference_between(const value_case& one, const std::vector<std::uint32_t>& expected,
                               const std::vector<std::uint32_t>& found) {
  const auto [right, wrong] = std::mismatch(expected.begin(), expected.end(), found.begin());
  if (right == expected.end()) return {};
  const bool is_product = one.what == value_operation::multiply;
  const auto place = static_cast<std::size_t>(right - expected.begin());
  const std::size_t within = place % level_size(one);
  const auto stride = static_cast<std::size_t>(one.columns + (is_product ? one.gap : 0));
  char text[128];
  std::snprintf(text, sizeof text, "row %zu, column %zu: 0x%08X instead of 0x%08X", within / stride,
                within % stride, *wrong, *right);
  if (is_product) return text;
  return "level " + std::to_string(place / level_size(one)) + ", " + text;
}

value_product_request request_of(const value_case& one, const float* a, const float* b, float* c) {
  const std::int64_t stride = one.columns + one.gap;
  return {one.rows, one.columns, one.k, a, one.k + one.gap, b, stride, c, stride};
}

value_leaves_request request_of(const value_case& one, const value_leaf* leaves,
                                float* const* levels) {
  return {leaves,
          one.count,
          one.first,
          one.rows,
          one.columns,
          one.rows + one.gap,
          one.columns + one.gap,
          levels};
}

product_leaves_request request_of(const value_case& one, const float* products, const float* alphas,
                                  float* const* levels) {
  return {plan_of_leaves(), products, alphas, one.count, one.first, one.rows, one.columns, levels};
}

}  // namespace mx::kernels
