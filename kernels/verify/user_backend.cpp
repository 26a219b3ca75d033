// SPDX-License-Identifier: Apache-2.0
// kernels/verify/user_backend.cpp: cases as requests of a user's library.
#include "user_backend.h"

#include <cstdlib>
#include <cstring>

#include "case_list.h"
#include "format_names.h"
#include "packed_lines.h"
#include "user_arrays.h"

namespace mx::kernels {
namespace {

using bytes = std::vector<std::uint8_t>;

/// Whether the library computed; false if it declined.
///   errors  std::runtime_error: another number
bool is_computed(mx_user_status answer, const char* symbol) {
  if (answer == mx_user_done) return true;
  if (answer == mx_user_unsupported) return false;
  throw std::runtime_error(std::string(symbol) + " returned " + std::to_string(answer));
}

std::int32_t type_of(number_type type) {
  if (type == number_type::fp32) return mx_user_fp32;
  return type == number_type::fp16 ? mx_user_fp16 : mx_user_bf16;
}

std::int32_t storage_of(code_storage storage) {
  switch (storage) {
    case code_storage::pairs:
      return mx_user_pairs;
    case code_storage::bytes:
      return mx_user_bytes;
    case code_storage::halves:
      return mx_user_halves;
    case code_storage::words:
      break;
  }
  return mx_user_words;
}

bytes bytes_of_scale(const kernel_case& one, const case_input& input) {
  if (!one.how.format.has_tensor_scale()) return {};
  bytes made(sizeof(float));
  std::memcpy(made.data(), &input.tensor_scale, made.size());
  return made;
}

/// The scales as the core leaves them: bytes that a layout only pads are as before the call.
void restore_padding(const kernel_case& one, const bytes& before, bytes& scales) {
  if (one.layout == scale_layout::linear) return;
  const bool along_rows = one.results == wanted::rows;
  const coded_size size =
      size_of(one.how.format, one.layout, along_rows ? one.shape.rows : one.shape.columns,
              along_rows ? one.shape.columns : one.shape.rows);
  const auto lines = static_cast<std::uint64_t>(size.lines_of_blocks);
  const auto blocks = static_cast<std::uint64_t>(size.blocks_a_line);
  bytes kept = before;
  for (std::uint64_t i = 0; i < lines * blocks; ++i) {
    const std::uint64_t at = offset(one.layout, lines, blocks, i / blocks, i % blocks);
    kept[at] = scales[at];
  }
  scales = std::move(kept);
}

/// One library and its memory.
struct user_kernels {
  user_library library;
  user_memory memory;

  [[nodiscard]] std::optional<std::vector<named_bytes>> matrix(const kernel_case& one,
                                                               const case_input& input) const {
    if (one.what == operation::quantize) return quantized(one, input);
    if (one.what == operation::dequantize) return dequantized(one, input);
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::vector<named_bytes>> quantized(const kernel_case& one,
                                                                  const case_input& input) const;
  [[nodiscard]] std::optional<std::vector<named_bytes>> dequantized(const kernel_case& one,
                                                                    const case_input& input) const;
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> product(const product_case& one,
                                                                  const product_input& input) const;
};

/// Results under their names.
std::vector<named_bytes> renamed(const std::vector<named_bytes>& names,
                                 std::vector<bytes> results) {
  std::vector<named_bytes> made;
  for (std::size_t k = 0; k < names.size(); ++k) made.push_back({names[k].name, results[k]});
  return made;
}

std::optional<std::vector<named_bytes>> user_kernels::quantized(const kernel_case& one,
                                                                const case_input& input) const {
  const std::string format = name_in(block_format_table, one.how.format);
  const std::string rule = name_in(scale_rule_table, one.how.rule);
  const std::string rounds = name_in(rounding_table, one.how.rounding);
  const std::string layout = name_in(scale_layout_table, one.layout);
  const std::vector<named_bytes> empty = empty_results(one);
  mx_user_quantize_request request = {};
  request.format = format.c_str(), request.scale_rule = rule.c_str();
  request.rounding = rounds.c_str(), request.layout = layout.c_str();
  request.seed = one.how.random.seed, request.random_bits = one.how.random.bits;
  request.type = type_of(one.type);
  request.lines = one.results == wanted::rows ? mx_user_rows : mx_user_columns;
  request.rows = one.shape.rows, request.columns = one.shape.columns;
  request.workspace_bytes = library.quantize_workspace(&request);
  user_arrays arrays(memory);
  request.x = arrays.input("x", input.x);
  request.tensor_scale =
      static_cast<const float*>(arrays.input("tensor_scale", bytes_of_scale(one, input)));
  request.codes = arrays.result("codes", empty[0].bytes);
  request.scales = arrays.result("scales", empty[1].bytes);
  request.workspace = arrays.workspace(request.workspace_bytes);
  request.stream = memory.stream;
  if (!is_computed(library.quantize(&request), "mx_user_quantize")) return std::nullopt;
  memory.finish();
  std::vector<named_bytes> results = renamed(empty, arrays.fetched());
  restore_padding(one, empty[1].bytes, results[1].bytes);
  return results;
}

std::optional<std::vector<named_bytes>> user_kernels::dequantized(const kernel_case& one,
                                                                  const case_input& input) const {
  const std::string format = name_in(block_format_table, one.how.format);
  const std::string layout = name_in(scale_layout_table, one.layout);
  const std::vector<named_bytes> empty = empty_results(one);
  mx_user_dequantize_request request = {};
  request.format = format.c_str(), request.layout = layout.c_str();
  request.type = type_of(one.type);
  request.rows = one.shape.rows, request.columns = one.shape.columns;
  request.workspace_bytes = library.dequantize_workspace(&request);
  user_arrays arrays(memory);
  request.codes = arrays.input("codes", input.codes);
  request.scales = arrays.input("scales", input.scales);
  request.tensor_scale =
      static_cast<const float*>(arrays.input("tensor_scale", bytes_of_scale(one, input)));
  request.out = arrays.result("out", empty[0].bytes);
  request.workspace = arrays.workspace(request.workspace_bytes);
  request.stream = memory.stream;
  if (!is_computed(library.dequantize(&request), "mx_user_dequantize")) return std::nullopt;
  memory.finish();
  return renamed(empty, arrays.fetched());
}

/// Whether the structure of requests has every part of a plan.
bool is_told(const gemm_plan& p) {
  return p.split_k == 1 && p.alpha == 1.0F && p.c_entry == c_entry::first_step &&
         p.output == p.model.sum.result;
}

mx_user_factor factor_of(user_arrays& arrays, const std::string& name, const lines_of_codes& of) {
  return {arrays.input(name + ".codes", of.codes), storage_of(of.storage), of.line_bytes,
          static_cast<const std::uint8_t*>(arrays.input(name + ".scales", of.scales))};
}

std::optional<std::vector<std::uint32_t>> user_kernels::product(const product_case& one,
                                                                const product_input& input) const {
  const dot_model& m = one.plan.model;
  const std::string model = name_of_model(m);
  if (model.empty() || !is_told(one.plan)) return std::nullopt;
  const std::string a = name_of_format(m.a), b = name_of_format(m.b);
  const std::string scale = m.block > 0 ? name_of_scale(m.scale) : "";
  const int result_bytes = m.sum.result.width() / 8;
  mx_user_product_request request = {};
  request.model = model.c_str(), request.a_format = a.c_str(), request.b_format = b.c_str();
  request.scale_format = scale.c_str();
  request.block = m.block, request.promote = one.plan.promote;
  request.result_bits = m.sum.result.width();
  request.m = one.shape.m, request.n = one.shape.n, request.k = one.shape.k;
  request.a.storage = storage_of(input.a.storage), request.a.line_bytes = input.a.line_bytes;
  request.b.storage = storage_of(input.b.storage), request.b.line_bytes = input.b.line_bytes;
  request.workspace_bytes = library.product_workspace(&request);
  user_arrays arrays(memory);
  request.a = factor_of(arrays, "a", input.a), request.b = factor_of(arrays, "b", input.b);
  request.c = arrays.input("c", packed_numbers(input.c, result_bytes));
  const auto elements = static_cast<std::size_t>(one.shape.m * one.shape.n * result_bytes);
  request.d = arrays.result("d", bytes(elements, 0xEE));
  request.workspace = arrays.workspace(request.workspace_bytes);
  request.stream = memory.stream;
  if (!is_computed(library.product(&request), "mx_user_product")) return std::nullopt;
  memory.finish();
  return unpacked_numbers(arrays.fetched().front(), result_bytes);
}

}  // namespace

user_memory host_memory() {
  user_memory made;
  made.allocate = [](std::size_t bytes_wanted) -> void* {
    void* at = std::aligned_alloc(256, (bytes_wanted + 255) / 256 * 256);
    if (at == nullptr) throw std::runtime_error("the host has too little memory");
    return at;
  };
  made.release = [](void* at) { std::free(at); };
  made.fill = made.fetch = [](void* to, const void* from, std::size_t count) {
    std::memcpy(to, from, count);
  };
  made.finish = [] {};
  return made;
}

backend user_backend(const user_library& library, const user_memory& memory) {
  const user_kernels kernels{library, memory};
  return {[kernels](const kernel_case& one, const case_input& input) {
            return kernels.matrix(one, input);
          },
          [kernels](const product_case& one, const product_input& input) {
            return kernels.product(one, input);
          },
          [](const corrected_case&, const corrected_input&) { return std::nullopt; }};
}

}  // namespace mx::kernels
