// SPDX-License-Identifier: Apache-2.0
// sim/sweep/swept_input.cpp: see swept_input.h.
#include "sim/sweep/swept_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/io/widen.h"
#include "mx/tensor/parallel.h"
#include "sim/policy/normal_numbers.h"
#include "sim/study/sha256.h"
#include "sim/sweep/swept_policy.h"

namespace sim {
namespace {

/// Elements that are drawn at once: they have a random stream of their own.
constexpr std::size_t drawn_at_once = std::size_t{1} << 18;

/// Factors of a law's numbers come from streams of their own, by this counter word.
enum class drawn_word : std::uint32_t { first = 1, second, third, fourth, student };

void normal(const sweep_input& of, drawn_word word, std::size_t piece, float* out,
            std::size_t count) {
  fill_normal(of.seed, static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(piece), 1, out,
              static_cast<std::ptrdiff_t>(count));
}

/// z1 z2 + z3 z4, z normal, has Laplace's law of scale 1.
void laplace(const sweep_input& of, std::size_t piece, float* out, std::size_t count) {
  std::vector<float> other(count), left(count);
  normal(of, drawn_word::first, piece, left.data(), count);
  normal(of, drawn_word::second, piece, other.data(), count);
  for (std::size_t i = 0; i < count; ++i) left[i] *= other[i];
  normal(of, drawn_word::third, piece, out, count);
  normal(of, drawn_word::fourth, piece, other.data(), count);
  for (std::size_t i = 0; i < count; ++i) out[i] = left[i] + out[i] * other[i];
}

void enlarge_channels(const sweep_input& of, std::size_t first, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t column = (first + i) % static_cast<std::size_t>(of.columns);
    if (column % static_cast<std::size_t>(of.columns_a_channel) == 0) out[i] *= of.factor;
  }
}

void draw(const sweep_input& of, std::size_t piece, float* out, std::size_t count) {
  if (of.law == input_law::laplace) return laplace(of, piece, out, count);
  if (of.law == input_law::student_t) {
    return fill_student_t(of.seed, static_cast<std::uint32_t>(drawn_word::student),
                          static_cast<std::uint32_t>(piece), of.degrees, 1, out,
                          static_cast<std::ptrdiff_t>(count));
  }
  normal(of, drawn_word::first, piece, out, count);
  if (of.law == input_law::outlier_channels) {
    enlarge_channels(of, piece * drawn_at_once, out, count);
  }
}

std::string law_text(const sweep_input& of) {
  return fmt::format("law {} {} {}x{} {} {} {} {}", static_cast<int>(of.law), of.seed, of.rows,
                     of.columns, of.degrees, of.columns_a_channel, of.factor, of.deviation);
}

}  // namespace

swept_input drawn_input(const sweep_input& of) {
  swept_input in;
  in.of = of;
  in.hash = sha256_of(law_text(of));
  in.drawn.resize(static_cast<std::size_t>(of.rows) * static_cast<std::size_t>(of.columns));
  const std::size_t pieces = (in.drawn.size() + drawn_at_once - 1) / drawn_at_once;
  mx::for_each_in_parallel(pieces, [&](std::size_t piece) {
    const std::size_t first = piece * drawn_at_once;
    const std::size_t count = std::min(drawn_at_once, in.drawn.size() - first);
    draw(of, piece, in.drawn.data() + first, count);
    for (std::size_t i = first; i < first + count; ++i) in.drawn[i] *= of.deviation;
  });
  in.tensors = {{of.name, static_cast<std::uint64_t>(of.rows),
                 static_cast<std::uint64_t>(of.columns), mx::number_type::fp32, in.drawn.data()}};
  return in;
}

swept_input stored_input(const sweep_input& of, std::vector<swept_tensor> tensors) {
  swept_input in;
  in.of = of;
  sha256 hash;
  for (const swept_tensor& t : tensors) {
    hash.add_text(fmt::format("{} {} {} {}", t.name, t.rows, t.columns, static_cast<int>(t.type)));
    hash.add(
        {static_cast<const std::uint8_t*>(t.numbers), t.rows * t.columns * mx::bytes_of(t.type)});
  }
  in.hash = hash.hexadecimal();
  in.tensors = std::move(tensors);
  return in;
}

swept_input policy_input(const sweep_study& s, const sweep_input& of,
                         const std::filesystem::path& kept) {
  swept_input in;
  in.of = of;
  in.policy = std::make_shared<swept_policy>(of, measures_on(s, of), kept);
  in.hash = in.policy->hash();
  return in;
}

std::vector<float> rows_of(const swept_tensor& t, std::uint64_t first, std::uint64_t rows) {
  constexpr std::array types{golden::io::dtype::f32, golden::io::dtype::f16,
                             golden::io::dtype::bf16};
  const std::uint64_t row_bytes = t.columns * mx::bytes_of(t.type);
  const auto* bytes = static_cast<const std::uint8_t*>(t.numbers) + first * row_bytes;
  return golden::io::to_float32({t.name,
                                 types[static_cast<std::size_t>(t.type)],
                                 {rows, t.columns},
                                 {bytes, rows * row_bytes},
                                 {}});
}

}  // namespace sim
