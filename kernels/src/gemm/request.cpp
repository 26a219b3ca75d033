// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/request.cpp: validates sizes, formats, pointers and workspace of products.
#include "gemm/request.h"

#include "gemm/choice.h"
#include "gemm/native_choice.h"
#include "gemm/wgmma_choice.h"
#include "requests.h"

namespace mx::kernels {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 62;  // reachable by addresses of lines

status checked_sizes(const gemm_request& r) {
  if (r.shape.m < 0) return {launch_error::shape, "m"};
  if (r.shape.n < 0) return {launch_error::shape, "n"};
  if (r.shape.k < 0) return {launch_error::shape, "k"};
  const int block = r.plan.model.block;
  if (block > 0 && r.shape.k % block != 0) return {launch_error::shape, "k", block};
  if (r.shape.k > most_k) return {launch_error::size, "k", most_k};
  return first_error(
      {checked_stride("c_stride", r.c == nullptr ? 0 : r.c_stride, r.shape.m, r.shape.n),
       checked_stride("d_stride", r.d_stride, r.shape.m, r.shape.n),
       product_below("m * n", r.shape.m, r.shape.n), product_below("m * k", r.shape.m, r.shape.k),
       product_below("n * k", r.shape.n, r.shape.k)});
}

int bits_of_storage(code_storage storage) {
  constexpr int bits[] = {4, 8, 16, 32};
  return bits[static_cast<int>(storage)];
}

status checked_formats(const gemm_request& r) {
  const dot_model& m = r.plan.model;
  if (refusal_of(r.plan) != gemm_refusal::none || !is_sound(m)) {
    return {launch_error::format, "this plan"};
  }
  const bool wide = m.a.width() + m.unread_bits > bits_of_storage(r.a.storage) ||
                    m.b.width() + m.unread_bits > bits_of_storage(r.b.storage);
  if (wide) return {launch_error::format, "this storage of codes"};
  if (m.block > 0 && m.scale.width() > 8)
    return {launch_error::format, "a scale wider than a byte"};
  const bool fast = r.kernel == gemm_kernel::dp4a || r.kernel == gemm_kernel::mma;
  if (fast && !has_fast_steps(r)) return {launch_error::format, "this plan by dp4a or mma"};
  if (takes_warpgroups(r.kernel) && !serves_wgmma(r)) {
    return {launch_error::format, "this plan by wgmma"};
  }
  if (r.kernel == gemm_kernel::native && native_kind_of(r) == native_kind::none) {
    return {launch_error::format, "this plan by native"};
  }
  if (is_fma(r.kernel) && !serves_fma(r)) {
    return {launch_error::format, "this plan by fma"};
  }
  return {};
}

/// Bytes from the first code of a line to the last.
std::int64_t bytes_of_line(const gemm_request& r, const gemm_operand& of) {
  return (r.shape.k * bits_of_storage(of.storage) + 7) / 8;
}
std::int64_t scale_bytes(const gemm_request& r, std::int64_t lines) {
  return r.plan.model.block > 0 ? lines * (r.shape.k / r.plan.model.block) : 0;
}

struct operand_names {
  const char *codes, *scales, *line_bytes;
};

status checked_operand(const gemm_request& r, const gemm_operand& of, std::int64_t lines,
                       const operand_names& names) {
  if (r.shape.k == 0) return {};
  const int code = of.storage == code_storage::pairs ? 1 : bits_of_storage(of.storage) / 8;
  const status codes = usable(names.codes, of.codes, code);
  if (!codes.is_done()) return codes;
  if (of.line_bytes < bytes_of_line(r, of)) {
    return {launch_error::too_small, names.line_bytes, bytes_of_line(r, of)};
  }
  if (of.line_bytes > most_bytes / lines) {
    return {launch_error::size, names.line_bytes, most_bytes / lines};
  }
  if (of.line_bytes % code != 0) return {launch_error::shape, names.line_bytes, code};
  return r.plan.model.block > 0 ? usable(names.scales, of.scales, 1) : status{};
}

extent codes_of(const gemm_request& r, const gemm_operand& of, std::int64_t lines,
                const char* name) {
  return {name, of.codes, r.shape.k == 0 ? 0 : (lines - 1) * of.line_bytes + bytes_of_line(r, of)};
}

status checked_workspace(const gemm_request& r) {
  if (!takes_workspace(chosen_kernel(r))) return {};
  const status there = usable("workspace", r.workspace, 16);
  if (!there.is_done()) return there;
  const std::int64_t needed = gemm_workspace_bytes(r);
  if (r.workspace_bytes < needed) return {launch_error::too_small, "workspace", needed};
  return {};
}

/// Kernels whose B can be prepared by itself.
bool prepares_b(gemm_kernel kernel) {
  return kernel == gemm_kernel::mma || takes_warpgroups(kernel);
}

status checked_prepared(const gemm_request& r) {
  const prepared_b& b = r.prepared;
  if (b.memory == nullptr) return {};
  const bool is_for_this = prepares_b(b.kernel) && b.kernel == chosen_kernel(r) &&
                           b.model == r.plan.model && b.n == r.shape.n && b.k == r.shape.k;
  return is_for_this ? status{}
                     : status{launch_error::format, "B prepared for another kernel, model, n or k"};
}

status checked_overlaps(const gemm_request& r) {
  const bool works = takes_workspace(chosen_kernel(r));
  const extent d = result_of(r);
  const extent workspace{"workspace", works ? r.workspace : nullptr, r.workspace_bytes};
  const std::vector<extent> in = inputs_of(r);
  return disjoint({d, workspace}, {in[0], in[1], in[2], in[3], in[4], in[5]});
}

status checked_reciprocals(const corrected_gemm_request& r) {
  const std::int64_t blocks = (r.shape.k + r.span - 1) / r.span;
  const std::int64_t rows = r.shape.m * blocks * 4, columns = r.shape.n * blocks * 4;
  return first_error({usable("a_reciprocals", r.a_reciprocals, 4),
                      usable("b_reciprocals", r.b_reciprocals, 4),
                      disjoint({{"d", r.d, r.shape.m * r.shape.n * 4}},
                               {{"a_reciprocals", r.a_reciprocals, rows},
                                {"b_reciprocals", r.b_reciprocals, columns}})});
}

}  // namespace

extent result_of(const gemm_request& r) {
  const std::int64_t elements = span_of(r.shape.m, r.shape.n, r.d_stride);
  return {"d", r.d, elements * (r.plan.output.width() / 8)};
}

std::vector<extent> inputs_of(const gemm_request& r) {
  const gemm_shape& s = r.shape;
  const int output = r.plan.output.width() / 8, result = r.plan.model.sum.result.width() / 8;
  const bool in_place =
      r.c == r.d && output == result && stride_of(r.c_stride, s.n) == stride_of(r.d_stride, s.n);
  return {codes_of(r, r.a, s.m, "a.codes"),
          codes_of(r, r.b, s.n, "b.codes"),
          {"a.scales", r.a.scales, scale_bytes(r, s.m)},
          {"b.scales", r.b.scales, scale_bytes(r, s.n)},
          {"c", in_place ? nullptr : r.c, span_of(s.m, s.n, r.c_stride) * result},
          {"prepared.memory", r.prepared.memory, prepared_b_bytes(r)}};
}

std::int64_t prepared_b_bytes(const gemm_request& r) {
  const gemm_request made = preparing(r, nullptr);
  const bool fits = checked_sizes(made).is_done() && checked_formats(made).is_done();
  if (!fits || !has_fast_steps(made) || !prepares_b(made.kernel)) return 0;
  return takes_warpgroups(made.kernel) ? bytes_of_pieces(made, wgmma_arguments_of(made).b)
                                       : bytes_of_panels(made, mma_arguments_of(made).b);
}

gemm_request preparing(const gemm_request& r, void* memory) {
  gemm_request made = r;
  made.c_stride = made.d_stride = 0;
  if (made.kernel == gemm_kernel::best) made.kernel = gemm_kernel::mma;
  made.shape.m = 0;
  made.a = made.b;
  made.prepared = {memory, made.kernel, r.plan.model, r.shape.n, r.shape.k};
  return made;
}

status checked_preparation(const gemm_request& r, std::int64_t bytes) {
  const status early = first_error({checked_sizes(r), checked_formats(r)});
  if (!early.is_done()) return early;
  if (!prepares_b(r.kernel)) return {launch_error::format, "a prepared B for this kernel"};
  if (r.shape.n == 0) return {};
  const std::int64_t needed = prepared_b_bytes(r);
  const status sound =
      first_error({checked_operand(r, r.b, r.shape.n, {"b.codes", "b.scales", "b.line_bytes"}),
                   usable("memory", r.prepared.memory, 16),
                   bytes < needed ? status{launch_error::too_small, "memory", needed} : status{}});
  if (!sound.is_done()) return sound;
  return disjoint({{"memory", r.prepared.memory, needed}},
                  {codes_of(r, r.b, r.shape.n, "b.codes"),
                   {"b.scales", r.b.scales, scale_bytes(r, r.shape.n)}});
}

std::int64_t gemm_workspace_bytes(const gemm_request& r) {
  const bool fits = checked_sizes(r).is_done() && checked_formats(r).is_done();
  if (!fits || r.shape.m == 0 || r.shape.n == 0) return 0;
  if (r.kernel == gemm_kernel::native) return native_workspace_bytes(r);
  if (!has_fast_steps(r)) return 0;
  if (takes_warpgroups(r.kernel)) return wgmma_workspace_bytes(r);
  if (r.kernel != gemm_kernel::best && r.kernel != gemm_kernel::mma) return 0;
  return mma_workspace_bytes(r);
}

status checked(const gemm_request& r) {
  const status early = first_error({checked_sizes(r), checked_formats(r)});
  if (!early.is_done() || r.shape.m == 0 || r.shape.n == 0) return early;
  const int result = r.plan.model.sum.result.width() / 8;
  return first_error({checked_operand(r, r.a, r.shape.m, {"a.codes", "a.scales", "a.line_bytes"}),
                      checked_operand(r, r.b, r.shape.n, {"b.codes", "b.scales", "b.line_bytes"}),
                      r.c == nullptr ? status{} : usable("c", r.c, result),
                      usable("d", r.d, r.plan.output.width() / 8),
                      r.steps == nullptr ? status{} : usable("steps", r.steps, 8),
                      checked_prepared(r), checked_workspace(r), checked_overlaps(r)});
}

status checked(const corrected_gemm_request& r) {
  if (r.span < 1) return {launch_error::too_small, "span", 1};
  const gemm_kernel kernel = chosen_kernel(r);
  if (kernel != gemm_kernel::core && !(is_fma(kernel) && serves_fma(r))) {
    return {launch_error::format, "this correction by this kernel"};
  }
  const status plain = checked(plain_product(r, r.a));
  const bool empty = r.shape.m == 0 || r.shape.n == 0 || r.shape.k == 0;
  if (!plain.is_done() || empty) return plain;
  if (r.correction == gemm_correction::macro_epilogue) return checked_reciprocals(r);
  const status rest = checked(plain_product(r, r.rest));
  return rest.is_done() ? rest : status{rest.error, "rest", rest.needed};
}

}  // namespace mx::kernels
