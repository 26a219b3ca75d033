// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_file.cpp: finds the tensors of a file of dot-product-adds, determines their
// formats, and checks that they fit.
#include "sim/cli/products/dot_file.h"

#include <fmt/format.h>

#include "mx/dot/bulk_dot.h"
#include "mx/spelling.h"
#include "sim/cli/terminal/input_tensor.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

void expect_axes(const io::tensor& t, const std::vector<std::uint64_t>& shape, const char* what) {
  if (t.shape == shape) return;
  refuse_tensor(t, "has the shape {}; expected {}, {}", io::shape_text(t.shape),
                io::shape_text(shape), what);
}

void expect_matrix(const io::tensor& t) {
  if (t.shape.size() != 2) {
    refuse_tensor(t, "has the shape {}; expected [V, K]: a vector of K codes per word",
                  io::shape_text(t.shape));
  }
  if (t.shape[1] > mx::longest_k) refuse_tensor(t, "has vectors longer than 2^30; split them");
}

/// Refuses options and metadata of scales that do not exist: they would silently have no effect.
void expect_unscaled(const word_source& words) {
  if (words.options.scale_format || words.options.block) {
    const std::string why =
        words.is_of_model() ? fmt::format("{} has no scales", words.model.name)
                            : fmt::format("{} has neither scale_a nor scale_b", words.file.path());
    throw usage_error("{}: {}", words.options.scale_format ? "--scale-format" : "--block", why);
  }
  const auto recorded = words.file.metadata().find("scale");
  if (recorded == words.file.metadata().end() || recorded->second == "none") return;
  refuse_file(words.file, "its metadata `scale` is {}, but {}", io::printable(recorded->second),
              words.is_of_model() ? std::string(words.model.name) + " has no scales"
                                  : "scale_a and scale_b are missing");
}

/// The tensors of scales: both, or neither.
struct scale_tensors {
  const io::tensor *a = nullptr, *b = nullptr;
};

scale_tensors scales_in(const word_source& words) {
  const scale_tensors s{words.file.find("scale_a"), words.file.find("scale_b")};
  const io::tensor* any = s.a != nullptr ? s.a : s.b;
  const bool has_scales = words.is_of_model() && words.model.model.block > 0;
  if (words.is_of_model() && !has_scales && any != nullptr) {
    refuse_tensor(*any, "is present, but {} has no scales; leave it out", words.model.name);
  }
  if (has_scales || any != nullptr) return {&words.file.at("scale_a"), &words.file.at("scale_b")};
  expect_unscaled(words);
  return s;
}

void expect_scales(const io::tensor& t, const dot_file& w) {
  const std::string name = scale_format_name(w.model.scale);
  expect_axes(t, {w.vectors, w.scales}, "one scale per block");
  expect_codes_of(t, w.model.scale, name);
  // The upper bit of a UE4M3 byte is ignored, as on devices.
  if (w.model.scale.width() > 8) expect_narrow(t, w.vectors * w.scales, w.model.scale, name);
}

void expect_elements(const io::tensor& t, const mx::format& f, const dot_file& w) {
  const std::string name = number_format_name(f);
  expect_codes_of(t, f, name);
  expect_narrow(t, w.vectors * w.k, f, name);
}

/// The type of the results: that of C, unless it has a format of its own.
io::dtype result_type(io::dtype of_c, const mx::accumulation& how) {
  if (how.c_format == mx::c_format::of_result) return of_c;
  return of_c == io::dtype::u16 ? io::dtype::u32 : io::dtype::f32;
}

void expect_numbers(const io::tensor& t, const mx::format& f, const dot_file& w) {
  expect_axes(t, {w.vectors}, "one number per word");
  expect_codes_of(t, f, number_format_name(f));
}

}  // namespace

void add_word_options(CLI::App& command, word_options& options) {
  add_value(command, "--a-format", options.a_format, "NAME",
            "Format of a, if neither the model's name nor the metadata `a_format` give it: f16 "
            "bf16 tf32 f32 e4m3 e2m1 ...");
  add_value(command, "--b-format", options.b_format, "NAME", "Format of b");
  add_value(command, "--scale-format", options.scale_format, "NAME",
            "Format of scale_a and scale_b (metadata `scale`): e8m0 ue4m3 f32 ...");
  add_value(command, "--block", options.block, "N",
            "Elements per scale (metadata `block`), if the model takes any")
      ->check(CLI::Range(1, 1 << 30));
}

void dot_word::read(const dot_file& words, std::uint64_t vector) {
  a.resize(words.k), b.resize(words.k);
  words.a.copy(vector * words.k, words.k, a.data());
  words.b.copy(vector * words.k, words.k, b.data());
  scale_a.resize(words.scales), scale_b.resize(words.scales);
  if (words.scales > 0) {
    words.scale_a.copy(vector * words.scales, words.scales, scale_a.data());
    words.scale_b.copy(vector * words.scales, words.scales, scale_b.data());
  }
  c = words.c[vector];
}

dot_file words_of(const io::tensor_file& file, const mx::named_model& model,
                  const word_options& options) {
  const io::tensor &a = file.at("a"), &b = file.at("b"), &c = file.at("c");
  const io::tensor* d = file.find("d");
  expect_matrix(a);
  expect_axes(b, a.shape, "like a");
  dot_file w;
  w.vectors = a.shape[0], w.k = a.shape[1];
  const mx::dot_model& own = model.model;
  const word_source words{file, model, options};
  const scale_tensors scales = scales_in(words);
  mx::product_formats formats{words.element_format(a, own.a, options.a_format),
                              words.element_format(b, own.b, options.b_format),
                              {},
                              0};
  if (scales.a != nullptr) {
    formats.scale = words.scale_format(*scales.a);
    formats.block = words.block_size(*scales.a, w.k);
    const auto block = static_cast<std::uint64_t>(formats.block);
    w.scales = w.k / block + (w.k % block != 0 ? 1 : 0);
  }
  w.model = model_of_operands(model, formats);
  expect_elements(a, w.model.a, w);
  expect_elements(b, w.model.b, w);
  expect_numbers(c, format_of_c(w.model.sum), w);
  w.a = code_view(a), w.b = code_view(b), w.c = code_view(c);
  w.d_type = result_type(c.type, w.model.sum);
  if (scales.a != nullptr) {
    expect_scales(*scales.a, w);
    expect_scales(*scales.b, w);
    w.scale_a = code_view(*scales.a), w.scale_b = code_view(*scales.b);
  }
  if (d != nullptr) {
    expect_numbers(*d, w.model.sum.result, w);
    w.d = code_view(*d);
  }
  return w;
}

}  // namespace sim::cli
