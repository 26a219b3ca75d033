// SPDX-License-Identifier: Apache-2.0
// sim/train/step_products.cpp: the products of one layer in one GRPO step.
#include "sim/train/step_products.h"

#include <stdexcept>

#include "golden/io/tensor_file.h"
#include "mx/tensor/blocks.h"
#include "sim/policy/product_results.h"

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
  ///   longest  of all lines
  void append(const operand_view& m, lines way, int longest) {
    const bool rows = way == lines::rows;
    const int count = rows ? m.rows : m.columns, length = rows ? m.columns : m.rows;
    const int padded = (longest + k_grain - 1) / k_grain * k_grain;
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
  std::vector<float> d;
};

/// "gate", or "gate.3" of expert 3.
std::string name_of(const parameter_table& table, const product_place& at) {
  const bool expert = table.shape().has_experts() && is_of_experts(at.which);
  return sim::name_of(at.which) + (expert ? "." + std::to_string(at.expert) : "");
}

/// The products of one linear.
struct linear_products {
  number_product forward, dgrad, wgrad;
};

void take_weights(const parameter& p, const std::vector<float>& weights, linear_products& of) {
  const operand_view w{weights.data() + p.offset, p.rows, p.columns, p.columns};
  of.forward.b.append(w, lines::rows, w.columns);
  of.dgrad.b.append(w, lines::columns, w.rows);
  of.wgrad.count = 0;
}

/// Tokens of the longest sequences of one product of wgrad.
int most_tokens(const step_arithmetic& a) { return a.key.tokens * a.formats.wgrad.sequences; }

void take_operands(const decoder& d, const step_arithmetic& a, const product_place& at,
                   linear_products& of) {
  const decoder_operand x = d.input_of(at), dy = d.output_gradient_of(at);
  of.forward.a.append(x, lines::rows, x.columns);
  of.dgrad.a.append(dy, lines::rows, dy.columns);
  const std::vector<int> first = d.product_rows(a.formats.wgrad.sequences, at);
  for (std::size_t i = 0; i + 1 < first.size(); ++i) {
    of.wgrad.a.append(dy.between(first[i], first[i + 1]), lines::columns, most_tokens(a));
    of.wgrad.b.append(x.between(first[i], first[i + 1]), lines::columns, most_tokens(a));
    ++of.wgrad.count;
  }
}

void take_results(const computed_sequences& done, const step_arithmetic& a, const product_place& at,
                  linear_products& of) {
  const auto take = [&](pass p, number_product& to) {
    const std::vector<float> d = product_results(done, a, p, at);
    to.d.insert(to.d.end(), d.begin(), d.end());
  };
  take(pass::forward, of.forward);
  take(pass::dgrad, of.dgrad);
  take(pass::wgrad, of.wgrad);
}

coded_products coded(const std::string& name, mx::scale_rule rule, number_product& of) {
  coded_products result{name,   of.count,         of.a.count() / of.count, of.b.count() / of.count,
                        of.a.k, of.a.coded(rule), of.b.coded(rule)};
  result.a_numbers = std::move(of.a.numbers);
  result.b_numbers = std::move(of.b.numbers);
  result.d = std::move(of.d);
  return result;
}

/// Whether its operands are plain MXFP4; its models and the sequences of wgrad's products are its
/// own.
bool has_plain_operands(arm a) {
  a.formats = under_fma(a.formats);
  a.formats.wgrad.sequences = 1;
  return is_plain_microscaled(a);
}

}  // namespace

std::vector<coded_products> step_products(const setting& s, const arm& a, training_state state,
                                          int layer) {
  if (!has_plain_operands(a)) {
    throw std::invalid_argument("arm " + a.name + " is not MXFP4 alone in every pass");
  }
  if (s.constants.grpo.minibatches > 1) {
    throw std::invalid_argument(
        "a step of several updates multiplies several weights; set "
        "grpo.minibatches to 1");
  }
  const std::vector<product_place> linears = s.table.linears_of(layer);
  std::vector<linear_products> taken(linears.size());
  for (const product_place& at : linears) {
    take_weights(s.table.at(at), state.weights, taken[at.index()]);
  }
  const std::vector<float> weights = state.weights;
  const step_arithmetic formats = s.at_step(a.formats, stream::training_operands, state.step);
  gradient_computer gradient(s);
  gradient.watch([&](const decoder& d, int visited) {
    if (visited != layer) return;
    const computed_sequences done{s.table, weights, d};
    for (const product_place& at : linears) {
      take_operands(d, formats, at, taken[at.index()]);
      take_results(done, formats, at, taken[at.index()]);
    }
  });
  (void)grpo_step(s, a, gradient, state);
  const mx::scale_rule rule = a.formats.forward.data.recipe.rules.rule;
  std::vector<coded_products> products;
  for (const product_place& at : linears) {
    linear_products& of = taken[at.index()];
    if (of.forward.a.numbers.empty()) continue;  // an expert without tokens
    const std::string name = name_of(s.table, at);
    products.push_back(coded("forward." + name, rule, of.forward));
    products.push_back(coded("dgrad." + name, rule, of.dgrad));
    products.push_back(coded("wgrad." + name, rule, of.wgrad));
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

void save_results(const std::filesystem::path& file, const std::vector<coded_products>& products) {
  std::vector<golden::io::tensor> tensors;
  const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape,
                       const std::vector<float>& numbers) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
    tensors.push_back({name,
                       golden::io::dtype::f32,
                       std::move(shape),
                       {bytes, numbers.size() * sizeof(float)},
                       ""});
  };
  for (const coded_products& of : products) {
    add(of.name + ".a", {of.count, of.m, of.k}, of.a_numbers);
    add(of.name + ".b", {of.count, of.n, of.k}, of.b_numbers);
    add(of.name + ".d", {of.count, of.m, of.n}, of.d);
  }
  golden::io::save(file.string(), tensors);
}

}  // namespace sim
