// SPDX-License-Identifier: Apache-2.0
// kernels/verify/refusals.cpp: valid requests, each with one fault. Their pointers are
// never dereferenced.
#include "refusals.h"

#include "launch.h"
#include "mx/dot/models.h"
#include "mx/kernels/corrected_gemm.h"
#include "mx/kernels/decompose.h"
#include "mx/kernels/grouped_gemm.h"
#include "mx/kernels/rotate.h"
#include "mx/kernels/values.h"

namespace mx::kernels {
namespace {

/// Address n of memory aligned to 256.
unsigned char* at(std::size_t n) {
  alignas(256) static unsigned char memory[1 << 16];
  return memory + n;
}
template <class T>
T* at(std::size_t n) {
  return reinterpret_cast<T*>(at(n));
}

/// A launcher, its name, and a valid request for it.
template <class Request>
struct launcher {
  std::string name;
  status (*launch)(const Request&, stream);
  Request sound;
};

launcher<quantize_request> quantizer() {
  quantize_request r;
  r.shape = {32, 32};
  r.x = at(0);                    // 4096 bytes
  r.rows = {at(4096), at(5000)};  // 512 and 32
  r.columns = {at(6000), at(7000)};
  return {"quantize", quantize, r};
}

launcher<dequantize_request> dequantizer() {
  dequantize_request r;
  r.shape = {32, 32};
  r.codes = at(4096), r.scales = at(5000), r.out = at(0);
  return {"dequantize", dequantize, r};
}

launcher<fake_quantize_request> fake_quantizer() {
  fake_quantize_request r;
  r.shape = {32, 32};
  r.x = at(0), r.out = at(4096);
  return {"fake_quantize", fake_quantize, r};
}

launcher<rotate_quantize_request> rotator() {
  rotate_quantize_request r{quantizer().sound};
  r.to.how.corrections.rotation = {16};
  r.to.columns = {};
  return {"rotate_quantize", rotate_quantize, r};
}

launcher<decompose_request> decomposer() {
  decompose_request r;
  r.shape = {32, 32};
  r.x = at(0), r.shares = at<error_energy>(8192);
  return {"decompose", decompose, r};
}

launcher<gemm_request> product() {
  gemm_request r;
  r.plan.model = model_named("blackwell.mxf4")->model;
  r.shape = {8, 4, 64};
  r.a = {at(0), code_storage::pairs, 32, at(256)};
  r.b = {at(512), code_storage::pairs, 32, at(768)};
  r.c = at(1024), r.d = at(1280);
  r.workspace = at(4096);
  r.workspace_bytes = gemm_workspace_bytes(r);
  return {"gemm", gemm, r};
}

launcher<corrected_gemm_request> corrected() {
  const gemm_request plain = product().sound;
  corrected_gemm_request r;
  r.shape = plain.shape;
  r.a = plain.a, r.b = plain.b, r.rest = plain.a;
  r.span = 32;
  r.d = at<float>(1280);
  return {"gemm_corrected", gemm_corrected, r};
}

launcher<gemm_batched_request> batch() {
  gemm_batched_request r;
  r.first = product().sound;
  r.first.workspace = nullptr, r.first.workspace_bytes = 0;
  r.first.c = nullptr;
  r.count = 3, r.d_step = 32;
  return {"gemm_batched", gemm_batched, r};
}

launcher<gemm_grouped_request> groups() {
  gemm_grouped_request r;
  r.plan = product().sound.plan;
  return {"gemm_grouped", gemm_grouped, r};
}

launcher<value_product_request> values() {
  return {"multiply", multiply, {2, 4, 3, at<float>(0), 3, at<float>(64), 4, at<float>(256), 4}};
}

launcher<value_leaves_request> leaves() {
  return {"add_leaves", add_leaves, {at<value_leaf>(0), 1, 0, 2, 4, 2, 4, at<float*>(64)}};
}

launcher<product_leaves_request> leaves_of_products() {
  product_leaves_request r{product().sound.plan, at<float>(0), at<float>(512), 1, 0, 2, 4,
                           at<float*>(64)};
  return {"add_products", add_products, r};
}

template <class Request>
recipe& recipe_in(Request& r) {
  return r.how;
}
recipe& recipe_in(rotate_quantize_request& r) { return r.to.how; }

/// Valid requests with one change each, and the launcher's status for them.
class refusal_list {
 public:
  template <class Request, class Change>
  void add(const launcher<Request>& by, const char* what, launch_error expected,
           const Change& change) {
    Request r = by.sound;
    change(r);
    all_.push_back({by.name + ", " + what, expected, by.launch(r, nullptr)});
  }
  /// A change of the recipe.
  template <class Request, class Change>
  void add(const launcher<Request>& by, const char* what, recipe_part part, const Change& change) {
    add(by, what, launch_error::format, [&change](Request& r) { change(recipe_in(r)); });
    all_.back().part = part;
  }
  /// The same for every launcher that has one.
  template <class Change>
  void add_to_all(const char* what, recipe_part part, const Change& change) {
    add(quantizer(), what, part, change);
    add(dequantizer(), what, part, change);
    add(fake_quantizer(), what, part, change);
    add(decomposer(), what, part, change);
    add(rotator(), what, part, change);
  }
  void launch_answer(const char* what, launch_error expected, cudaError_t error) {
    all_.push_back({what, expected, answer_of(error, "a kernel")});
  }
  [[nodiscard]] const std::vector<refusal>& all() const { return all_; }

 private:
  std::vector<refusal> all_;
};

using enum launch_error;

void add_quantizers(refusal_list& list) {
  list.add(quantizer(), "null x", null_pointer, [](auto& r) { r.x = nullptr; });
  list.add(quantizer(), "no result", null_pointer, [](auto& r) { r.rows = r.columns = {}; });
  list.add(quantizer(), "null scales", null_pointer, [](auto& r) { r.rows.scales = nullptr; });
  list.add(quantizer(), "x at an odd address", misaligned, [](auto& r) { r.x = at(2); });
  list.add(quantizer(), "codes over x", overlapping, [](auto& r) { r.rows.codes = at(4095); });
  list.add(quantizer(), "scales over codes", overlapping,
           [](auto& r) { r.rows.scales = at(4607); });
  list.add(quantizer(), "negative rows", shape, [](auto& r) { r.shape.rows = -1; });
  list.add(quantizer(), "2^40 elements", size, [](auto& r) { r.shape = {1 << 20, 1 << 20}; });
  list.add(quantizer(), "x_stride below a row", too_small, [](auto& r) { r.x_stride = 31; });
  list.add(quantizer(), "codes in a gap of x", overlapping, [](auto& r) { r.x_stride = 34; });
  list.add(quantizer(), "no rows", none, [](auto& r) { r.shape.rows = 0; });
  list.add(rotator(), "half a rotation", shape,
           [](auto& r) { r.to.how.corrections.rotation.size = 64; });
}

void add_others(refusal_list& list) {
  list.add(dequantizer(), "null codes", null_pointer, [](auto& r) { r.codes = nullptr; });
  list.add(dequantizer(), "out at an odd address", misaligned, [](auto& r) { r.out = at(2); });
  list.add(dequantizer(), "out over codes", overlapping, [](auto& r) { r.out = at(1024); });
  list.add(dequantizer(), "out_stride below a row", too_small, [](auto& r) { r.out_stride = 31; });
  list.add(decomposer(), "x_stride below a row", too_small, [](auto& r) { r.x_stride = 31; });
  list.add(fake_quantizer(), "out beside x", overlapping, [](auto& r) { r.out = at(4); });
  list.add(fake_quantizer(), "no columns", none, [](auto& r) { r.shape.columns = 0; });
  list.add(decomposer(), "null shares", null_pointer, [](auto& r) { r.shares = nullptr; });
  list.add(decomposer(), "shares over x", overlapping,
           [](auto& r) { r.shares = at<error_energy>(4088); });
  list.add(decomposer(), "negative columns", shape, [](auto& r) { r.shape.columns = -1; });
}

void add_recipes(refusal_list& list) {
  using part = recipe_part;
  list.add_to_all("a preset", part::preset, [](recipe& how) { how.preset = 0; });
  list.add_to_all("a gain", part::corrections,
                  [](recipe& how) { how.corrections.gain = pre_gain::three_quarters; });
  list.add_to_all("two passes", part::passes, [](recipe& how) { how.passes = passes::twice; });
  list.add_to_all("exact scales", part::exact_scale,
                  [](recipe& how) { how.rules.format.precision = scale_precision::exact; });
  list.add_to_all("tensor scales of rows", part::row_scales,
                  [](recipe& how) { how.rules.format.tensor = tensor_scaling::per_row; });
  list.add_to_all("blocks of 512", part::block,
                  [](recipe& how) { how.rules.format.columns = 512; });
  list.add(quantizer(), "a rotation", part::corrections,
           [](recipe& how) { how.corrections.rotation = {16}; });
  list.add(quantizer(), "the high bits first", part::code_order,
           [](recipe& how) { how.codes.nibbles = nibble_order::high_first; });
  list.add(quantizer(), "a layout of wide scales", part::layout, [](recipe& how) {
    how.rules = {block_formats::fp8_1x128, scale_rule::ideal};
    how.layout = scale_layout::blocked_128x4;
  });
  list.add(quantizer(), "a rule of other elements", part::rules, [](recipe& how) {
    how.rules = {block_formats::mxfp8_e4m3, scale_rule::static_four};
  });
  list.add(rotator(), "a rotation of 24", part::rotation,
           [](recipe& how) { how.corrections.rotation = {24}; });
}

void add_products(refusal_list& list) {
  list.add(product(), "null d", null_pointer, [](auto& r) { r.d = nullptr; });
  list.add(product(), "c at an odd address", misaligned, [](auto& r) { r.c = at(1026); });
  list.add(product(), "d over b", overlapping, [](auto& r) { r.d = at(512); });
  list.add(product(), "k of one block and a half", shape, [](auto& r) { r.shape.k = 48; });
  list.add(product(), "negative m", shape, [](auto& r) { r.shape.m = -1; });
  list.add(product(), "more than 2^31 elements", size,
           [](auto& r) { r.shape.m = (1 << 16) + 1, r.shape.n = 1 << 15; });
  list.add(product(), "half codes", format, [](auto& r) { r.plan.model.a = formats::e4m3; });
  list.add(product(), "a byte of workspace short", too_small, [](auto& r) { --r.workspace_bytes; });
  list.add(product(), "short lines", too_small, [](auto& r) { r.a.line_bytes = 31; });
  list.add(product(), "c_stride below a row", too_small, [](auto& r) { r.c_stride = 3; });
  list.add(product(), "d_stride below a row", too_small, [](auto& r) { r.d_stride = 3; });
  list.add(product(), "no columns", none, [](auto& r) { r.shape.n = 0; });
  list.add(corrected(), "span 0", too_small, [](auto& r) { r.span = 0; });
  list.add(corrected(), "null rest", null_pointer, [](auto& r) { r.rest.codes = nullptr; });
  list.add(corrected(), "no factors", null_pointer,
           [](auto& r) { r.correction = gemm_correction::macro_epilogue; });
}

void add_several_products(refusal_list& list) {
  list.add(batch(), "results that meet", too_small, [](auto& r) { r.d_step = 31; });
  list.add(batch(), "a_step below 0", too_small, [](auto& r) { r.a_step = -1; });
  list.add(batch(), "null d", null_pointer, [](auto& r) { r.first.d = nullptr; });
  list.add(batch(), "2^20 and a product", size, [](auto& r) { r.count = (1 << 20) + 1; });
  list.add(batch(), "no products", none, [](auto& r) { r.count = 0; });
  list.add(groups(), "null groups", null_pointer, [](auto& r) { r.count = 1; });
  list.add(groups(), "negative count", shape, [](auto& r) { r.count = -1; });
}

void add_values(refusal_list& list) {
  list.add(values(), "null a", null_pointer, [](auto& r) { r.a = nullptr; });
  list.add(values(), "a_stride below a line", too_small, [](auto& r) { r.a_stride = 2; });
  list.add(values(), "c over b", overlapping, [](auto& r) { r.c = at<float>(64); });
  list.add(values(), "negative k", shape, [](auto& r) { r.k = -1; });
  list.add(values(), "no rows", none, [](auto& r) { r.rows = 0; });
  list.add(leaves(), "null levels", null_pointer, [](auto& r) { r.levels = nullptr; });
  list.add(leaves(), "negative count", shape, [](auto& r) { r.count = -1; });
  list.add(leaves(), "right_stride below a line", too_small, [](auto& r) { r.right_stride = 3; });
  list.add(leaves_of_products(), "null levels", null_pointer, [](auto& r) { r.levels = nullptr; });
  list.add(leaves_of_products(), "an alpha of the plan", format,
           [](auto& r) { r.plan.alpha = 0.5F; });
  list.add(leaves_of_products(), "more than 2^31 elements", size,
           [](auto& r) { r.count = (1 << 28) + 1; });
  list.add(leaves_of_products(), "no leaves", none, [](auto& r) { r.count = 0; });
}

/// CUDA's errors are made up, since no device here lacks code or fails.
void add_launches(refusal_list& list) {
  list.launch_answer("launch, done", none, cudaSuccess);
  list.launch_answer("launch, no code for this device", architecture,
                     cudaErrorNoKernelImageForDevice);
  list.launch_answer("launch, no such function", architecture, cudaErrorInvalidDeviceFunction);
  list.launch_answer("launch, PTX too new", architecture, cudaErrorUnsupportedPtxVersion);
  list.launch_answer("launch, failed", cuda, cudaErrorLaunchFailure);
}

}  // namespace

std::vector<refusal> refused_requests() {
  refusal_list list;
  add_quantizers(list);
  add_others(list);
  add_recipes(list);
  add_products(list);
  add_several_products(list);
  add_values(list);
  add_launches(list);
  return list.all();
}

std::vector<refusal> requests_without_a_device() {
  refusal_list list;
  const auto same = [](auto&) {};
  list.add(quantizer(), "sound", no_device, same);
  list.add(dequantizer(), "sound", no_device, same);
  list.add(fake_quantizer(), "sound", no_device, same);
  list.add(rotator(), "sound", no_device, same);
  list.add(decomposer(), "sound", no_device, same);
  list.add(product(), "sound", no_device, same);
  list.add(corrected(), "sound", no_device, same);
  list.add(batch(), "sound", no_device, same);
  list.add(values(), "sound", no_device, same);
  list.add(leaves(), "sound", no_device, same);
  list.add(leaves_of_products(), "sound", no_device, same);
  return list.all();
}

}  // namespace mx::kernels
