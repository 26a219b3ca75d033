// SPDX-License-Identifier: Apache-2.0
// kernels/verify/refusals.cpp: valid requests, each with one fault. Their pointers are
// never dereferenced.
#include "refusals.h"

#include "launch.h"
#include "mx/dot/models.h"
#include "mx/kernels/corrected_gemm.h"
#include "mx/kernels/decompose.h"
#include "mx/kernels/rotate.h"

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

quantize_request sound_quantize() {
  quantize_request r;
  r.shape = {32, 32};
  r.x = at(0);                    // 4096 bytes
  r.rows = {at(4096), at(5000)};  // 512 and 32
  r.columns = {at(6000), at(7000)};
  return r;
}

dequantize_request sound_dequantize() {
  dequantize_request r;
  r.shape = {32, 32};
  r.codes = at(4096), r.scales = at(5000), r.out = at(0);
  return r;
}

fake_quantize_request sound_fake_quantize() {
  fake_quantize_request r;
  r.shape = {32, 32};
  r.x = at(0), r.out = at(4096);
  return r;
}

rotate_quantize_request sound_rotate() {
  rotate_quantize_request r{sound_quantize()};
  r.to.how.corrections.rotation = {16};
  r.to.columns = {};
  return r;
}

decompose_request sound_decompose() {
  decompose_request r;
  r.shape = {32, 32};
  r.x = at(0), r.shares = at<error_energy>(8192);
  return r;
}

gemm_request sound_gemm() {
  gemm_request r;
  r.plan.model = model_named("blackwell.mxf4")->model;
  r.shape = {8, 4, 64};
  r.a = {at(0), code_storage::pairs, 32, at(256)};
  r.b = {at(512), code_storage::pairs, 32, at(768)};
  r.c = at(1024), r.d = at(1280);
  r.workspace = at(4096);
  r.workspace_bytes = gemm_workspace_bytes(r);
  return r;
}

corrected_gemm_request sound_corrected() {
  const gemm_request plain = sound_gemm();
  corrected_gemm_request r;
  r.shape = plain.shape;
  r.a = plain.a, r.b = plain.b, r.rest = plain.a;
  r.span = 32;
  r.d = at<float>(1280);
  return r;
}

/// Valid requests with one change each, and the launcher's status for them.
class refusal_list {
 public:
  template <class Change>
  void quantizer(const char* what, launch_error expected, const Change& change) {
    add("quantize, ", what, expected, changed(sound_quantize(), change), quantize);
  }
  template <class Change>
  void dequantizer(const char* what, launch_error expected, const Change& change) {
    add("dequantize, ", what, expected, changed(sound_dequantize(), change), dequantize);
  }
  template <class Change>
  void fake_quantizer(const char* what, launch_error expected, const Change& change) {
    add("fake_quantize, ", what, expected, changed(sound_fake_quantize(), change), fake_quantize);
  }
  template <class Change>
  void rotator(const char* what, launch_error expected, const Change& change) {
    add("rotate_quantize, ", what, expected, changed(sound_rotate(), change), rotate_quantize);
  }
  template <class Change>
  void decomposer(const char* what, launch_error expected, const Change& change) {
    add("decompose, ", what, expected, changed(sound_decompose(), change), decompose);
  }
  template <class Change>
  void product(const char* what, launch_error expected, const Change& change) {
    add("gemm, ", what, expected, changed(sound_gemm(), change), gemm);
  }
  template <class Change>
  void corrected(const char* what, launch_error expected, const Change& change) {
    add("gemm_corrected, ", what, expected, changed(sound_corrected(), change), gemm_corrected);
  }
  /// A change of the recipe, for every launcher that has one.
  template <class Change>
  void recipe_of_all(const char* what, recipe_part part, const Change& change) {
    const auto in_request = [&change](auto& r) { change(r.how); };
    const std::size_t first = all_.size();
    quantizer(what, launch_error::format, in_request);
    dequantizer(what, launch_error::format, in_request);
    fake_quantizer(what, launch_error::format, in_request);
    decomposer(what, launch_error::format, in_request);
    rotator(what, launch_error::format,
            [&change](rotate_quantize_request& r) { change(r.to.how); });
    for (std::size_t i = first; i < all_.size(); ++i) all_[i].part = part;
  }
  template <class Change>
  void recipe_of_quantizer(const char* what, recipe_part part, const Change& change) {
    quantizer(what, launch_error::format, [&change](quantize_request& r) { change(r.how); });
    all_.back().part = part;
  }
  template <class Change>
  void recipe_of_rotator(const char* what, recipe_part part, const Change& change) {
    rotator(what, launch_error::format,
            [&change](rotate_quantize_request& r) { change(r.to.how); });
    all_.back().part = part;
  }
  void launch_answer(const char* what, launch_error expected, cudaError_t error) {
    all_.push_back({what, expected, answer_of(error, "a kernel")});
  }
  [[nodiscard]] const std::vector<refusal>& all() const { return all_; }

 private:
  template <class Request, class Change>
  static Request changed(Request r, const Change& change) {
    change(r);
    return r;
  }
  template <class Request>
  void add(const std::string& launcher, const char* what, launch_error expected, const Request& r,
           status (*launch)(const Request&, stream)) {
    all_.push_back({launcher + what, expected, launch(r, nullptr)});
  }

  std::vector<refusal> all_;
};

using enum launch_error;

void add_quantizers(refusal_list& list) {
  using request = quantize_request;
  list.quantizer("null x", null_pointer, [](request& r) { r.x = nullptr; });
  list.quantizer("no result", null_pointer, [](request& r) { r.rows = r.columns = {}; });
  list.quantizer("null scales", null_pointer, [](request& r) { r.rows.scales = nullptr; });
  list.quantizer("x at an odd address", misaligned, [](request& r) { r.x = at(2); });
  list.quantizer("codes over x", overlapping, [](request& r) { r.rows.codes = at(4095); });
  list.quantizer("scales over codes", overlapping, [](request& r) { r.rows.scales = at(4607); });
  list.quantizer("negative rows", shape, [](request& r) { r.shape.rows = -1; });
  list.quantizer("2^40 elements", size, [](request& r) { r.shape = {1 << 20, 1 << 20}; });
  list.quantizer("no rows", none, [](request& r) { r.shape.rows = 0; });
  list.rotator("half a rotation", shape,
               [](rotate_quantize_request& r) { r.to.how.corrections.rotation.size = 64; });
}

void add_others(refusal_list& list) {
  list.dequantizer("null codes", null_pointer, [](dequantize_request& r) { r.codes = nullptr; });
  list.dequantizer("out at an odd address", misaligned,
                   [](dequantize_request& r) { r.out = at(2); });
  list.dequantizer("out over codes", overlapping, [](dequantize_request& r) { r.out = at(1024); });
  list.fake_quantizer("out beside x", overlapping, [](fake_quantize_request& r) { r.out = at(4); });
  list.fake_quantizer("no columns", none, [](fake_quantize_request& r) { r.shape.columns = 0; });
  list.decomposer("null shares", null_pointer, [](decompose_request& r) { r.shares = nullptr; });
  list.decomposer("shares over x", overlapping,
                  [](decompose_request& r) { r.shares = at<error_energy>(4088); });
  list.decomposer("negative columns", shape, [](decompose_request& r) { r.shape.columns = -1; });
}

void add_recipes(refusal_list& list) {
  using part = recipe_part;
  list.recipe_of_all("a preset", part::preset, [](recipe& how) { how.preset = 0; });
  list.recipe_of_all("a gain", part::corrections,
                     [](recipe& how) { how.corrections.gain = pre_gain::three_quarters; });
  list.recipe_of_all("two passes", part::passes, [](recipe& how) { how.passes = passes::twice; });
  list.recipe_of_all("exact scales", part::exact_scale,
                     [](recipe& how) { how.rules.format.precision = scale_precision::exact; });
  list.recipe_of_all("tensor scales of rows", part::row_scales,
                     [](recipe& how) { how.rules.format.tensor = tensor_scaling::per_row; });
  list.recipe_of_all("blocks of 512", part::block,
                     [](recipe& how) { how.rules.format.columns = 512; });
  list.recipe_of_quantizer("a rotation", part::corrections,
                           [](recipe& how) { how.corrections.rotation = {16}; });
  list.recipe_of_quantizer("the high bits first", part::code_order,
                           [](recipe& how) { how.codes.nibbles = nibble_order::high_first; });
  list.recipe_of_quantizer("a layout of wide scales", part::layout, [](recipe& how) {
    how.rules = {block_formats::fp8_1x128, scale_rule::ideal};
    how.layout = scale_layout::blocked_128x4;
  });
  list.recipe_of_quantizer("a rule of other elements", part::rules, [](recipe& how) {
    how.rules = {block_formats::mxfp8_e4m3, scale_rule::static_four};
  });
  list.recipe_of_rotator("a rotation of 24", part::rotation,
                         [](recipe& how) { how.corrections.rotation = {24}; });
}

void add_products(refusal_list& list) {
  using request = gemm_request;
  list.product("null d", null_pointer, [](request& r) { r.d = nullptr; });
  list.product("c at an odd address", misaligned, [](request& r) { r.c = at(1026); });
  list.product("d over b", overlapping, [](request& r) { r.d = at(512); });
  list.product("k of one block and a half", shape, [](request& r) { r.shape.k = 48; });
  list.product("negative m", shape, [](request& r) { r.shape.m = -1; });
  list.product("more than 2^31 elements", size,
               [](request& r) { r.shape.m = (1 << 16) + 1, r.shape.n = 1 << 15; });
  list.product("half codes", format, [](request& r) { r.plan.model.a = formats::e4m3; });
  list.product("a byte of workspace short", too_small, [](request& r) { --r.workspace_bytes; });
  list.product("short lines", too_small, [](request& r) { r.a.line_bytes = 31; });
  list.product("no columns", none, [](request& r) { r.shape.n = 0; });
  using corrected = corrected_gemm_request;
  list.corrected("span 0", too_small, [](corrected& r) { r.span = 0; });
  list.corrected("null rest", null_pointer, [](corrected& r) { r.rest.codes = nullptr; });
  list.corrected("no factors", null_pointer,
                 [](corrected& r) { r.correction = gemm_correction::macro_epilogue; });
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
  add_launches(list);
  return list.all();
}

std::vector<refusal> requests_without_a_device() {
  refusal_list list;
  const auto same = [](auto&) {};
  list.quantizer("sound", no_device, same);
  list.dequantizer("sound", no_device, same);
  list.fake_quantizer("sound", no_device, same);
  list.rotator("sound", no_device, same);
  list.decomposer("sound", no_device, same);
  list.product("sound", no_device, same);
  list.corrected("sound", no_device, same);
  return list.all();
}

}  // namespace mx::kernels
