// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_inputs.cpp: the files of a product: a kernel's input and its output.
#include "sim/cli/verify/product_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/spelling.h"
#include "sim/cli/verify/product_candidates.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

/// The format of D: that of its type; --out specifies it for U16, and must not contradict.
mx::format output_of(const io::tensor& d, const std::optional<std::string>& out) {
  std::string own;
  if (d.type == io::dtype::f32 || d.type == io::dtype::u32) own = "f32";
  if (d.type == io::dtype::f16) own = "f16";
  if (d.type == io::dtype::bf16) own = "bf16";
  if (d.type == io::dtype::u16 && (out == "f16" || out == "bf16")) own = *out;
  if (own.empty()) {
    throw io::file_error(d.source, d.name,
                         fmt::format("is {}; expected F32, F16 or BF16, or their bits as U32 or, "
                                     "with --out f16 or bf16, U16",
                                     io::name_of(d.type)));
  }
  if (out && *out != own) {
    throw io::file_error(d.source, d.name,
                         fmt::format("is {}; --out says {}", io::name_of(d.type), *out));
  }
  return mx::number_format_spelled(own);
}

/// C in the bits of FP32 and FP16 results, where its type converts exactly.
void read_addends(const std::string& path, product_inputs& inputs) {
  const io::tensor_file file = io::load(path);
  std::exception_ptr refusal;
  const auto read = [&](const mx::format& f, std::optional<std::vector<std::uint32_t>>& c) {
    try {
      c = matrix_in(file, "c", f, inputs.place);
    } catch (const io::file_error&) {
      refusal = std::current_exception();
    }
  };
  read(mx::formats::binary16, inputs.c16);
  read(mx::formats::binary32, inputs.c32);
  if (!inputs.has_c()) std::rethrow_exception(refusal);
}

bool takes_addend(const product_inputs& inputs, const product_candidate& one) {
  const bool narrow = one.plan.model.sum.result == mx::formats::binary16;
  return !inputs.has_c() || (narrow ? inputs.c16 : inputs.c32);
}

std::span<const std::uint32_t> view_of(const std::optional<std::vector<std::uint32_t>>& c) {
  return c ? std::span<const std::uint32_t>(*c) : std::span<const std::uint32_t>();
}

/// Index of the declared candidate among all.
std::optional<std::size_t> index_of(const std::vector<product_candidate>& candidates,
                                    const mx::named_model* entry) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].entry == entry) return i;
  }
  return {};
}

/// The candidate of --model; refusals are those of gemm.
product_candidate declared_candidate(candidate_maker& maker, const product_options& o,
                                     const product_request& request, const product_inputs& in) {
  product_candidate declared = maker.candidate(model_chosen(*o.model), in.output);
  expect_used(request.rules, *declared.a, *declared.b);
  return declared;
}

matrix_place place_of(const product_candidate& one, const product_options& o) {
  return {one.a->lines, one.b->lines, o.plan.d_order};
}

/// Removes the candidates whose result type cannot represent C.
void expect_addend(product_inputs& inputs, const product_options& o) {
  std::erase_if(inputs.candidates,
                [&](const product_candidate& one) { return !takes_addend(inputs, one); });
  if (inputs.candidates.empty()) throw io::file_error(*o.c, "has the type of no model's result");
}

/// The first candidate with the same arithmetic on the same codes as one of them.
std::size_t first_same(const std::vector<product_candidate>& candidates,
                       const product_candidate& one) {
  const auto same = [&](const product_candidate& other) {
    return other.a == one.a && other.b == one.b && other.plan.model == one.plan.model;
  };
  return static_cast<std::size_t>(std::find_if(candidates.begin(), candidates.end(), same) -
                                  candidates.begin());
}

mx::gemm_shape shape_of(const gemm_factor& a, const gemm_factor& b) {
  return {static_cast<std::int64_t>(a.lines), static_cast<std::int64_t>(b.lines),
          static_cast<std::int64_t>(a.padded)};
}

}  // namespace

loaded_operands product_candidate::operands() const { return {maker->loaded(a), maker->loaded(b)}; }

golden::validator::product_operands loaded_operands::view() const {
  return {shape_of(*a, *b), a->operand(), b->operand()};
}

golden::validator::product_inputs product_inputs::judged() const {
  golden::validator::product_inputs same{d, view_of(c32), view_of(c16), {}, declared};
  for (const product_candidate& one : candidates) {
    const auto operands = [&one] {
      const auto codes = std::make_shared<const loaded_operands>(one.operands());
      return golden::validator::held_operands{codes->view(), codes};
    };
    same.candidates.push_back(
        {one.entry, shape_of(*one.a, *one.b), operands, one.plan, one.same_as});
  }
  return same;
}

product_inputs inputs_of(const product_options& o, const product_request& request) {
  product_inputs inputs;
  inputs.kernel_out = request.kernel_out;
  const io::tensor_file file = io::load(request.kernel_out);
  inputs.output = output_of(tensor_in(file, "d"), o.plan.out);
  const auto shared = std::make_shared<candidate_maker>(o, request);
  candidate_maker& maker = *shared;
  std::optional<product_candidate> declared;
  if (o.model) declared = declared_candidate(maker, o, request, inputs);
  inputs.candidates = declared ? maker.beside(*declared, inputs.output) : maker.all(inputs.output);
  if (inputs.candidates.empty()) {
    // Definitions accept all operands that gemm accepts: their refusal is the reason.
    static_cast<void>(maker.candidate(model_chosen("exact.rne"), inputs.output));
  }
  inputs.place = place_of(declared ? *declared : inputs.candidates.front(), o);
  inputs.d = matrix_in(file, "d", inputs.output, inputs.place);
  if (o.c) read_addends(*o.c, inputs);
  expect_addend(inputs, o);
  for (product_candidate& one : inputs.candidates) {
    one.same_as = first_same(inputs.candidates, one);
    one.maker = shared;
  }
  if (!declared) return inputs;
  inputs.declared = index_of(inputs.candidates, declared->entry);
  if (inputs.declared) return inputs;
  throw io::file_error(*o.c, fmt::format("is no C of {}, whose result is {}", declared->entry->name,
                                         number_format_name(declared->plan.model.sum.result)));
}

}  // namespace sim::cli
