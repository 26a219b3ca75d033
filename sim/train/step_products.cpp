// SPDX-License-Identifier: Apache-2.0
// sim/train/step_products.cpp: the products of one layer in one GRPO step.
#include "sim/train/step_products.h"

#include <stdexcept>

#include "golden/io/tensor_file.h"
#include "mx/tensor/blocks.h"

namespace sim {
namespace {

constexpr int k_grain = 64;  // of a tensor core's step

/// Direction of an operand's lines in a matrix.
enum class lines : std::uint8_t { rows, columns };

/// A matrix's numbers, collected until all micro-batches are complete.
struct number_lines {
  std::vector<float> numbers;
  std::uint64_t k = 0;

  /// Appends the matrix's lines, each padded with zeros.
  void append(const operand_view& m, lines way) {
    const bool rows = way == lines::rows;
    const int count = rows ? m.rows : m.columns, length = rows ? m.columns : m.rows;
    const int padded = (length + k_grain - 1) / k_grain * k_grain;
    k = static_cast<std::uint64_t>(padded);
    for (std::ptrdiff_t line = 0; line < count; ++line) {
      for (std::ptrdiff_t i = 0; i < padded; ++i) {
        const std::ptrdiff_t at = rows ? line * m.stride + i : i * m.stride + line;
        numbers.push_back(i < length ? m.data[at] : 0.0F);
      }
    }
  }
  [[nodiscard]] std::uint64_t count() const { return numbers.size() / k; }
  [[nodiscard]] coded_lines coded(mx::scale_rule rule) const {
    const mx::blocked_shape shape{.rows = count(), .length = k};
    const mx::quantization q{mx::block_formats::mxfp4, rule};
    const auto sizes = mx::sizes_of(q.format, shape, mx::code_packing::packed);
    coded_lines made{std::vector<std::uint8_t>(sizes.code_bytes),
                     std::vector<std::uint8_t>(sizes.scale_bytes())};
    mx::quantize_tensor(q, mx::number_type::fp32, numbers.data(), shape,
                        {made.codes.data(), made.scales.data()});
    return made;
  }
};

struct number_product {
  number_lines a, b;
  std::uint64_t count = 1;
};

/// The products of one linear.
struct linear_products {
  number_product forward, dgrad, wgrad;
};

void take_weights(const parameter& p, const std::vector<float>& weights, linear_products& of) {
  const operand_view w{weights.data() + p.offset, p.rows, p.columns, p.columns};
  of.forward.b.append(w, lines::rows);
  of.dgrad.b.append(w, lines::columns);
  of.wgrad.count = 0;
}

void take_batch(const decoder& d, int sequences, int layer, linear l, linear_products& of) {
  const operand_view x = d.input_of(layer, l), dy = d.output_gradient_of(layer, l);
  of.forward.a.append(x, lines::rows);
  of.dgrad.a.append(dy, lines::rows);
  for (int i = 0; i < sequences; ++i) {
    const int first = d.first_row(i), last = d.first_row(i + 1);
    of.wgrad.a.append(dy.between(first, last), lines::columns);
    of.wgrad.b.append(x.between(first, last), lines::columns);
    ++of.wgrad.count;
  }
}

coded_products coded(const std::string& name, mx::scale_rule rule, const number_product& of) {
  return {name,   of.count,         of.a.count() / of.count, of.b.count() / of.count,
          of.a.k, of.a.coded(rule), of.b.coded(rule)};
}

}  // namespace

std::vector<coded_products> step_products(const setting& s, const arm& a, training_state state,
                                          int layer) {
  if (!is_plain_microscaled(a)) {
    throw std::invalid_argument("arm " + a.name + " is not MXFP4 alone in every pass");
  }
  if (s.constants.grpo.minibatches > 1) {
    throw std::invalid_argument("a step of several updates multiplies several weights; set "
                                "grpo.minibatches to 1");
  }
  std::array<linear_products, all_linears.size()> taken;
  const auto of = [&](linear l) -> linear_products& { return taken[static_cast<std::size_t>(l)]; };
  for (const linear l : all_linears) take_weights(s.table.layer(layer).of(l), state.weights, of(l));
  gradient_computer gradient(s);
  gradient.watch([&](const decoder& d, int sequences) {
    for (const linear l : all_linears) take_batch(d, sequences, layer, l, of(l));
  });
  (void)grpo_step(s, a, gradient, state);
  const mx::scale_rule rule = a.formats.forward.data.recipe.rules.rule;
  std::vector<coded_products> products;
  for (const linear l : all_linears) {
    const std::string name = name_of(l);
    products.push_back(coded("forward." + name, rule, of(l).forward));
    products.push_back(coded("dgrad." + name, rule, of(l).dgrad));
    products.push_back(coded("wgrad." + name, rule, of(l).wgrad));
  }
  return products;
}

void save_products(const std::filesystem::path& file, const std::vector<coded_products>& products) {
  std::vector<golden::io::tensor> tensors;
  const auto add = [&](const std::string& name, const coded_products& of, std::uint64_t lines,
                       std::uint64_t line_bytes, const std::vector<std::uint8_t>& bytes) {
    tensors.push_back({of.name + name,
                       golden::io::dtype::u8,
                       {of.count, lines, line_bytes},
                       {bytes.data(), bytes.size()},
                       ""});
  };
  for (const coded_products& of : products) {
    add(".a", of, of.m, of.k / 2, of.a.codes);
    add(".b", of, of.n, of.k / 2, of.b.codes);
    add(".scale_a", of, of.m, of.k / 32, of.a.scales);
    add(".scale_b", of, of.n, of.k / 32, of.b.scales);
  }
  golden::io::save(file.string(), tensors);
}

}  // namespace sim
