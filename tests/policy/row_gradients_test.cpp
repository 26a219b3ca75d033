// SPDX-License-Identifier: Apache-2.0
// tests/policy/row_gradients_test.cpp: forward and backward of the row functions against their
// definitions in binary64 and central differences of those.
#include <cmath>
#include <functional>
#include <random>
#include <type_traits>

#include "catch.h"
#include "finite_differences.h"
#include "sim/policy/attention_rows.h"
#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"

namespace {

using floats = std::vector<float>;
using test::doubles;
using test::widened;
constexpr double near = 2e-6;  // a few binary32 roundings, relative to the largest slope

floats random_floats(std::size_t count, unsigned seed, float size = 1) {
  std::mt19937 random(seed);
  floats x(count);
  for (float& v : x) v = size * (static_cast<float>(random() >> 8) * 0x1p-23F - 1);
  return x;
}

double inner(const doubles& a, const floats& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * double{b[i]};
  return sum;
}

double distance(const doubles& a, const floats& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::fabs(a[i] - double{b[i]}));
  return worst;
}

// Rows that are read and rows that are written do not compile in each other's place.
using norm_backward = decltype(sim::rms_norm_backward);
using floats_read = const float*;
static_assert(std::is_invocable_v<norm_backward, int, int, sim::normed_rows, floats_read,
                                  sim::readable_rows, sim::writable_rows>);
static_assert(!std::is_invocable_v<norm_backward, int, int, sim::normed_rows, floats_read,
                                   sim::writable_rows, sim::readable_rows>);
static_assert(!std::is_invocable_v<norm_backward, int, int, sim::readable_rows, floats_read,
                                   sim::normed_rows, sim::writable_rows>);

// ---- norm --------------------------------------------------------------------------------------

constexpr int width = 48, rows = 19;
constexpr float epsilon = 1e-2F;  // large enough to be seen

doubles norm_rows(const doubles& x, const doubles& weight) {
  doubles y(x.size());
  for (std::size_t row = 0; row < x.size() / width; ++row) {
    double squares = 0;
    for (std::size_t i = 0; i < width; ++i) squares += x[row * width + i] * x[row * width + i];
    const double r = 1 / std::sqrt(squares / width + double{epsilon});
    for (std::size_t i = 0; i < width; ++i) y[row * width + i] = x[row * width + i] * r * weight[i];
  }
  return y;
}

TEST_CASE("rms_norm_and_both_its_gradients_are_those_of_its_definition") {
  const floats x = random_floats(rows * width, 1), weight = random_floats(width, 2),
               dy = random_floats(rows * width, 3);
  floats y(rows * width), rms(rows), dx(rows * width), dweight(width);
  const sim::normed_rows of{{x.data(), width}, rms.data()};
  sim::rms_norm(rows, width, of.x, weight.data(), epsilon, {y.data(), width}, rms.data());
  sim::rms_norm_backward(rows, width, of, weight.data(), {dy.data(), width}, {dx.data(), width});
  sim::rms_norm_weight_gradient(rows, width, of, {dy.data(), width}, dweight.data());
  CHECK(distance(norm_rows(widened(x), widened(weight)), y) < near);
  const auto of_x = [&](const doubles& v) { return inner(norm_rows(v, widened(weight)), dy); };
  const auto of_weight = [&](const doubles& v) { return inner(norm_rows(widened(x), v), dy); };
  CHECK(test::gradient_error(of_x, widened(x), dx) < near);
  CHECK(test::gradient_error(of_weight, widened(weight), dweight) < near);
}

TEST_CASE("the_gradient_of_a_norm_may_replace_what_it_is_made_from") {
  const floats x = random_floats(width, 4), weight = random_floats(width, 5),
               dy = random_floats(width, 6);
  floats y(width), rms(1), apart(width), inside = dy;
  const sim::normed_rows of{{x.data(), width}, rms.data()};
  sim::rms_norm(1, width, of.x, weight.data(), epsilon, {y.data(), width}, rms.data());
  sim::rms_norm_backward(1, width, of, weight.data(), {dy.data(), width}, {apart.data(), width});
  sim::rms_norm_backward(1, width, of, weight.data(), {inside.data(), width},
                         {inside.data(), width});
  CHECK(inside == apart);
}

// ---- attention ---------------------------------------------------------------------------------

constexpr int head = 32, span = 16;
constexpr float score_scale = 0.25F;

/// query, then keys, then values, all row by row.
doubles attention(const doubles& all, int keys) {
  const double *query = all.data(), *key = query + head, *value = key + keys * head;
  doubles score(static_cast<std::size_t>(keys)), out(head);
  double sum = 0;
  for (int j = 0; j < keys; ++j) {
    double dot = 0;
    for (int c = 0; c < head; ++c) dot += query[c] * key[j * head + c];
    sum += score[static_cast<std::size_t>(j)] = std::exp(dot * double{score_scale});
  }
  for (int j = 0; j < keys; ++j) {
    for (int c = 0; c < head; ++c) {
      out[static_cast<std::size_t>(c)] +=
          score[static_cast<std::size_t>(j)] / sum * value[j * head + c];
    }
  }
  return out;
}

floats transposed(const float* matrix, int keys) {
  floats result(head * span);
  for (int j = 0; j < keys; ++j) {
    for (int c = 0; c < head; ++c)
      result[static_cast<std::size_t>(c * span + j)] = matrix[j * head + c];
  }
  return result;
}

TEST_CASE("attention_and_its_gradients_are_those_of_its_definition") {
  for (const int keys : {1, 5, 16}) {
    const auto count = static_cast<std::size_t>((1 + 2 * keys) * head);
    const floats all = random_floats(count, static_cast<unsigned>(keys), 1.5F),
                 dout = random_floats(head, 7);
    const float *query = all.data(), *key = query + head, *value = key + keys * head;
    floats probability(span), out(head), gradient(count);
    const sim::attention_shape shape{
        .width = head, .keys = keys, .span = span, .score_scale = score_scale};
    sim::attend(
        shape,
        {.query = query, .keys_transposed = transposed(key, keys).data(), .values = {value, head}},
        {.probability = probability.data(), .out = out.data()});
    float* dkeys = gradient.data() + head;
    sim::attend_backward(shape,
                         {.query = query,
                          .keys = {key, head},
                          .values_transposed = transposed(value, keys).data(),
                          .probability = probability.data(),
                          .dout = dout.data()},
                         {.dquery = gradient.data(),
                          .dkeys = {dkeys, head},
                          .dvalues = {dkeys + keys * head, head}});
    CHECK(distance(attention(widened(all), keys), out) < near);
    const auto f = [&](const doubles& v) { return inner(attention(v, keys), dout); };
    CHECK(test::gradient_error(f, widened(all), gradient) < near);
  }
}

TEST_CASE("gradients_of_keys_and_values_are_added_to_what_is_there") {
  const floats all = random_floats(5 * head, 8), dout = random_floats(head, 9);
  const float *query = all.data(), *key = query + head, *value = key + 2 * head;
  floats probability(span), out(head), dquery(head), dkeys(2 * head), dvalues(2 * head);
  const sim::attention_shape shape{
      .width = head, .keys = 2, .span = span, .score_scale = score_scale};
  sim::attend(
      shape,
      {.query = query, .keys_transposed = transposed(key, 2).data(), .values = {value, head}},
      {.probability = probability.data(), .out = out.data()});
  const auto backward = [&] {
    sim::attend_backward(shape,
                         {.query = query,
                          .keys = {key, head},
                          .values_transposed = transposed(value, 2).data(),
                          .probability = probability.data(),
                          .dout = dout.data()},
                         {.dquery = dquery.data(),
                          .dkeys = {dkeys.data(), head},
                          .dvalues = {dvalues.data(), head}});
  };
  backward();
  const floats once_query = dquery, once_keys = dkeys;
  backward();
  CHECK(dquery == once_query);
  for (std::size_t i = 0; i < dkeys.size(); ++i) {
    CHECK(std::fabs(dkeys[i] - 2 * once_keys[i]) < 1e-6F);
  }
}

// ---- gate and rotation -------------------------------------------------------------------------

TEST_CASE("the_gate_and_its_gradients_are_those_of_its_definition") {
  constexpr std::size_t count = 64;
  const floats all = random_floats(2 * count, 10, 6), dhidden = random_floats(count, 11);
  const auto gate = [&](const doubles& v) {
    doubles hidden(count);
    for (std::size_t i = 0; i < count; ++i) hidden[i] = v[i] / (1 + std::exp(-v[i])) * v[count + i];
    return hidden;
  };
  floats hidden(count), gradient(2 * count);
  sim::gated(count, all.data(), all.data() + count, hidden.data());
  sim::gated_backward(count, all.data(), all.data() + count, dhidden.data(), gradient.data(),
                      gradient.data() + count);
  CHECK(distance(gate(widened(all)), hidden) < 36 * near);
  CHECK(test::gradient_error([&](const doubles& v) { return inner(gate(v), dhidden); },
                             widened(all), gradient) < near);
}

TEST_CASE("the_gate_survives_large_numbers") {
  floats gate(16, 200.0F), up(16, 2.0F), hidden(16), dgate(16), dup(16), one(16, 1.0F);
  gate[1] = -200.0F;
  sim::gated(16, gate.data(), up.data(), hidden.data());
  sim::gated_backward(16, gate.data(), up.data(), one.data(), dgate.data(), dup.data());
  CHECK(hidden[0] == 400.0F);
  CHECK(hidden[1] == 0.0F);
  CHECK(dgate[0] == 2.0F);
  CHECK(dgate[1] == 0.0F);
  CHECK(dup[0] == 200.0F);
}

TEST_CASE("a_rotation_is_undone_by_its_inverse_and_keeps_inner_products") {
  const floats x = random_floats(32, 12), angle = random_floats(16, 13, 3);
  floats cosine(16), sine(16), y = x;
  for (std::size_t i = 0; i < 16; ++i) cosine[i] = std::cos(angle[i]), sine[i] = std::sin(angle[i]);
  sim::rotate(32, y.data(), cosine.data(), sine.data());
  for (std::size_t j = 0; j < 16; ++j) {
    CHECK(std::fabs(y[j] - (x[j] * cosine[j] - x[16 + j] * sine[j])) < 1e-6F);
    CHECK(std::fabs(y[16 + j] - (x[16 + j] * cosine[j] + x[j] * sine[j])) < 1e-6F);
  }
  sim::rotate_back(32, y.data(), cosine.data(), sine.data());
  for (std::size_t i = 0; i < 32; ++i) CHECK(std::fabs(y[i] - x[i]) < 1e-6F);
}

}  // namespace
