// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_candidates.cpp: the models that `gemm` accepts for A and B under the same
// options, and what is read beside them.
#include "sim/cli/verify/product_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "golden/io/tensor.h"
#include "mx/spelling.h"
#include "sim/cli/verify/operand_readings.h"

namespace sim::cli {
namespace {

/// Calls work(model) for every named model.
template <class Work>
void for_each_model(const Work& work) {
  for (const mx::named_model& entry : mx::model_table) work(entry);
  for (const mx::named_model& entry : mx::mixed_model_table) work(entry);
}

bool takes_addend(const product_files& files, const read_candidate& one) {
  const bool narrow = one.plan.model.sum.result == mx::formats::binary16;
  return !files.has_c() || (narrow ? files.c.c16 : files.c.c32);
}

std::span<const std::uint32_t> view_of(const std::optional<std::vector<std::uint32_t>>& c) {
  return c ? std::span<const std::uint32_t>(*c) : std::span<const std::uint32_t>();
}

/// Index of the declared candidate among all.
std::optional<std::size_t> index_of(const std::vector<read_candidate>& candidates,
                                    const mx::named_model* entry) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].entry == entry) return i;
  }
  return {};
}

/// The candidate of --model; refusals are those of gemm.
read_candidate declared_candidate(candidate_maker& maker, const product_options& o,
                                  const verify_request& request, const product_files& in) {
  read_candidate declared = maker.candidate(model_chosen(*o.model), in.output);
  expect_used(request.rules, *declared.a, *declared.b);
  return declared;
}

matrix_place place_of(const read_candidate& one, const product_options& o) {
  return {one.a->lines, one.b->lines, o.plan.d_order};
}

/// Removes the candidates whose result type cannot represent C.
void expect_addend(product_files& files, const product_options& o) {
  std::erase_if(files.candidates,
                [&](const read_candidate& one) { return !takes_addend(files, one); });
  if (files.candidates.empty())
    throw golden::io::file_error(*o.c, "has the type of no model's result");
}

/// The first candidate with the same arithmetic on the same codes as one of them.
std::size_t first_same(const std::vector<read_candidate>& candidates, const read_candidate& one) {
  const auto same = [&](const read_candidate& other) {
    return other.a == one.a && other.b == one.b && other.plan.model == one.plan.model;
  };
  return static_cast<std::size_t>(std::ranges::find_if(candidates, same) - candidates.begin());
}

/// The declared candidate, or every arithmetic that reads A and B as the first candidate does.
std::vector<std::size_t> readers_in(const product_files& files) {
  if (files.declared) return {*files.declared};
  std::vector<std::size_t> readers;
  const read_candidate& first = files.candidates.front();
  for (std::size_t i = 0; i < files.candidates.size(); ++i) {
    const read_candidate& one = files.candidates[i];
    if (one.a == first.a && one.b == first.b && one.same_as == i) readers.push_back(i);
  }
  return readers;
}

mx::gemm_shape shape_of(const gemm_factor& a, const gemm_factor& b) {
  return {static_cast<std::int64_t>(a.lines), static_cast<std::int64_t>(b.lines),
          static_cast<std::int64_t>(a.padded)};
}

}  // namespace

candidate_maker::candidate_maker(const product_options& options, const verify_request& request)
    : options_(options),
      of_a_(request.rules),
      of_b_(request.rules),
      a_(golden::io::load(options.gemm.at(0))),
      b_(golden::io::load(options.gemm.at(1))) {
  if (options.b_format) of_b_.format = options.b_format;
}

candidate_maker::reading candidate_maker::reading_of(const mx::named_model& model,
                                                     factor_side side) {
  const mx::dot_model& m = model.model;
  if (model.operands == mx::operands::any) return {side, model.operands, {}, {}, 0, false};
  const mx::format& element = side == factor_side::a ? m.a : m.b;
  return {side, model.operands, element, m.scale, m.block, mx::has_siblings(model)};
}

gemm_factor candidate_maker::read_by(const mx::named_model& model, factor_side side,
                                     const rule_options& rules) const {
  if (side == factor_side::a) return factor_of(a_, {side, model, rules, options_.plan.a_order});
  return factor_of(b_, {side, model, rules, options_.plan.b_order});
}

const rule_options& candidate_maker::rules_of(factor_side side) const {
  return side == factor_side::a ? of_a_ : of_b_;
}

gemm_factor candidate_maker::read(const mx::named_model& model, factor_side side) const {
  return read_by(model, side, rules_of(side));
}

std::shared_ptr<const gemm_factor> candidate_maker::factor(const mx::named_model& model,
                                                           factor_side side) {
  const reading how = reading_of(model, side);
  for (const made& earlier : made_) {
    if (!(earlier.how == how)) continue;
    if (earlier.refusal) std::rethrow_exception(earlier.refusal);
    return earlier.known;
  }
  made_.push_back({how, &model, nullptr, nullptr});
  kept& last = kept_[static_cast<int>(side)];
  last = {};  // so that codes of two readings are never in memory at once
  try {
    last.loaded = std::make_shared<const gemm_factor>(read(model, side));
  } catch (...) {
    made_.back().refusal = std::current_exception();
    throw;
  }
  last.known = made_.back().known =
      std::make_shared<const gemm_factor>(gemm_factor{factor_facts{*last.loaded}, {}, {}});
  return last.known;
}

std::shared_ptr<const gemm_factor> candidate_maker::loaded(
    const std::shared_ptr<const gemm_factor>& known) {
  for (const made& earlier : made_) {
    if (earlier.known != known) continue;
    kept& last = kept_[static_cast<int>(earlier.how.side)];
    if (last.known == known) return last.loaded;
    last = {};
    last.loaded = std::make_shared<const gemm_factor>(read(*earlier.by, earlier.how.side));
    last.known = known;
    return last.loaded;
  }
  throw std::logic_error("a factor of another product");
}

void candidate_maker::plan(read_candidate& one, const mx::named_model& model,
                           const mx::format& output) const {
  plan_options plan = options_.plan;
  plan.out = number_format_name(output);
  one.plan = plan_of(model, plan, *one.a, *one.b);
  one.factors = factors_of(plan, *one.a, *one.b);
  one.entry = &model_told(model, one.plan.model);
}

read_candidate candidate_maker::candidate(const mx::named_model& model, const mx::format& output) {
  read_candidate one;
  one.a = factor(model, factor_side::a);
  one.b = factor(model, factor_side::b);
  expect_same_k(*one.a, *one.b);
  plan(one, model, output);
  return one;
}

std::vector<read_candidate> candidate_maker::beside(const read_candidate& declared,
                                                    const mx::format& output) const {
  const gemm_factor &a = *declared.a, &b = *declared.b;
  std::vector<read_candidate> candidates;
  for (const auto& model :
       golden::validator::models_taking({a.element, b.element, a.scale, a.block})) {
    read_candidate one;
    one.a = declared.a, one.b = declared.b;
    try {
      plan(one, *model.entry, output);
      candidates.push_back(std::move(one));
    } catch (const usage_error&) {
      continue;  // a plan of FP32 sums with a model whose result is FP16
    }
  }
  return candidates;
}

std::vector<read_candidate> candidate_maker::all(const mx::format& output) {
  std::vector<read_candidate> candidates;
  for_each_model([&](const mx::named_model& entry) {
    try {
      read_candidate one = candidate(entry, output);
      if (one.entry != &entry) return;  // its pair of formats has a separate entry
      candidates.push_back(std::move(one));
    } catch (const usage_error&) {
      return;
    } catch (const golden::io::file_error&) {
      return;
    }
  });
  return candidates;
}

loaded_operands read_candidate::operands() const { return {maker->loaded(a), maker->loaded(b)}; }

golden::validator::product_operands loaded_operands::view() const {
  return {shape_of(*a, *b), a->operand(), b->operand()};
}

golden::validator::product_inputs product_files::inputs() const {
  golden::validator::product_inputs same{kernel_out,
                                         golden::io::printable(kernel_out),
                                         candidates.front().a->k,
                                         d,
                                         view_of(c.c32),
                                         view_of(c.c16),
                                         {},
                                         declared};
  for (const read_candidate& one : candidates) {
    const auto operands = [&one] {
      const auto codes = std::make_shared<const loaded_operands>(one.operands());
      return golden::validator::held_operands{codes->view(), codes};
    };
    same.candidates.push_back(
        {one.entry, shape_of(*one.a, *one.b), operands, one.plan, one.factors, one.same_as});
  }
  same.readings = operand_readings(candidates[declared.value_or(0)]);
  same.readers = readers_in(*this);
  return same;
}

product_files product_files_of(const product_options& o, const verify_request& request) {
  product_files files;
  files.kernel_out = request.kernel_out;
  const golden::io::tensor_file file = golden::io::load(request.kernel_out);
  files.output = output_of(tensor_in(file, "d"), o.plan.out);
  const auto shared = std::make_shared<candidate_maker>(o, request);
  candidate_maker& maker = *shared;
  std::optional<read_candidate> declared;
  if (o.model) declared = declared_candidate(maker, o, request, files);
  files.candidates = declared ? maker.beside(*declared, files.output) : maker.all(files.output);
  if (files.candidates.empty()) {
    // Definitions accept all operands that gemm accepts: their refusal is the reason.
    static_cast<void>(maker.candidate(model_chosen("exact.rne"), files.output));
  }
  files.place = place_of(declared ? *declared : files.candidates.front(), o);
  files.d = matrix_in(file, "d", files.output, files.place);
  if (o.c) files.c = wide_addends_in(*o.c, files.place);
  expect_addend(files, o);
  for (read_candidate& one : files.candidates) {
    one.same_as = first_same(files.candidates, one);
    one.maker = shared;
  }
  if (!declared) return files;
  files.declared = index_of(files.candidates, declared->entry);
  if (files.declared) return files;
  throw golden::io::file_error(
      *o.c, fmt::format("is no C of {}, whose result is {}", declared->entry->name,
                        number_format_name(declared->plan.model.sum.result)));
}

}  // namespace sim::cli
