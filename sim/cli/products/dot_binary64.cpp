// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_binary64.cpp: words of FP64 numbers, replayed as chains of fused
// multiply-adds.
#include "sim/cli/products/dot_binary64.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <vector>

#include "golden/io/counted.h"
#include "mx/dot/bulk_dot.h"
#include "sim/cli/formats/listed_formats.h"
#include "sim/cli/terminal/exact_text.h"
#include "sim/cli/terminal/input_tensor.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
using code = std::uint64_t;

/// The words of a file; d and results have one code a word.
struct words64 {
  std::uint64_t count = 0, k = 0;
  std::vector<code> a, b, c, d, results;
  std::vector<std::uint64_t> different;

  /// The sum after the first `taken` products of a word.
  [[nodiscard]] code sum(std::uint64_t word, std::uint64_t taken) const {
    return mx::binary64::dot(a.data() + word * k, b.data() + word * k, static_cast<int>(taken),
                             c[word]);
  }
};

std::vector<code> codes_in(const io::tensor& t, const std::vector<std::uint64_t>& shape) {
  if (t.type != io::dtype::f64 && t.type != io::dtype::u64) {
    refuse_tensor(t, "is {}; expected F64, or U64 with the bits of FP64 numbers",
                  io::name_of(t.type));
  }
  if (t.shape != shape) {
    refuse_tensor(t, "has the shape {}; expected {}", io::shape_text(t.shape),
                  io::shape_text(shape));
  }
  std::vector<code> codes(t.bytes.size() / sizeof(code));
  if (!codes.empty()) std::memcpy(codes.data(), t.bytes.data(), t.bytes.size());
  return codes;
}

void expect_no_scales(const io::tensor_file& file) {
  for (const char* name : {"scale_a", "scale_b"}) {
    if (const io::tensor* t = file.find(name)) {
      refuse_tensor(*t, "is present, but products of FP64 have no scales; leave it out");
    }
  }
}

words64 words_in(const io::tensor_file& file) {
  const io::tensor& a = file.at("a");
  if (a.shape.size() != 2 || a.shape[1] > mx::longest_k) {
    refuse_tensor(a, "has the shape {}; expected [V, K], K at most 2^30", io::shape_text(a.shape));
  }
  expect_no_scales(file);
  words64 w;
  w.count = a.shape[0], w.k = a.shape[1];
  w.a = codes_in(a, a.shape);
  w.b = codes_in(file.at("b"), a.shape);
  w.c = codes_in(file.at("c"), {w.count});
  if (const io::tensor* d = file.find("d")) w.d = codes_in(*d, {w.count});
  for (std::uint64_t i = 0; i < w.count; ++i) {
    w.results.push_back(w.sum(i, w.k));
    if (!w.d.empty() && w.d[i] != w.results[i]) w.different.push_back(i);
  }
  return w;
}

ordered_json number_json(code x) {
  return {{"bits", fmt::format("0x{:016X}", x)}, {"value", json_number(std::bit_cast<double>(x))}};
}

std::string number_text(code x) {
  return fmt::format("0x{:016X}  {}", x, std::bit_cast<double>(x));
}

ordered_json word_json(const words64& w, std::uint64_t i, std::uint64_t steps) {
  ordered_json json{{"index", i}, {"result", number_json(w.results[i])}};
  if (!w.d.empty()) json["expected"] = number_json(w.d[i]);
  json["c"] = number_json(w.c[i]);
  json["step_count"] = w.k;
  json["steps"] = ordered_json::array();
  for (std::uint64_t k = 0; k < std::min(w.k, steps); ++k) {
    json["steps"].push_back({{"k", k},
                             {"a", number_json(w.a[i * w.k + k])},
                             {"b", number_json(w.b[i * w.k + k])},
                             {"result", number_json(w.sum(i, k + 1))}});
  }
  return json;
}

std::string word_text(const words64& w, std::uint64_t i, std::uint64_t steps) {
  std::string text =
      fmt::format("word {}: the model gives\n  result    {}\n", i, number_text(w.results[i]));
  if (!w.d.empty()) {
    text += fmt::format("  file's d  {}  {}\n", number_text(w.d[i]),
                        w.d[i] == w.results[i] ? "the same" : "differs");
  }
  text += fmt::format("  c         {}\n", number_text(w.c[i]));
  for (std::uint64_t k = 0; k < std::min(w.k, steps); ++k) {
    text += fmt::format("  k = {}\n    a         {}\n    b         {}\n    sum       {}\n", k,
                        number_text(w.a[i * w.k + k]), number_text(w.b[i * w.k + k]),
                        number_text(w.sum(i, k + 1)));
  }
  if (w.k <= steps) return text;
  return text + fmt::format("  and {} more steps (--steps N shows more)\n", w.k - steps);
}

void print_object(const mx::binary64::named_model& model, const binary64_request& r,
                  const words64& w) {
  ordered_json json{{"model", model.name},
                    {"evidence", mx::name_of(model.rests_on)},
                    {"vectors", w.count},
                    {"mismatches", w.different.size()},
                    {"first", nullptr},
                    {"source", model.source},
                    {"doubts", model.doubts},
                    {"compared", !w.d.empty()},
                    {"k", w.k},
                    {"a_format", "f64"},
                    {"b_format", "f64"}};
  if (!w.different.empty()) json["first"] = word_json(w, w.different.front(), r.steps);
  if (r.explained) json["explained"] = word_json(w, *r.explained, r.steps);
  if (!r.out.empty()) json["output"] = r.out;
  print_json(json);
}

void print(const mx::binary64::named_model& model, const binary64_request& r, const words64& w) {
  if (r.form == output::json) return print_object(model, r, w);
  fmt::print("{}\n{}{}: {} of K = {}, a in f64, b in f64\n", model.name, evidence_lines(model),
             r.in, io::counted(w.count, "word"), w.k);
  if (w.d.empty()) {
    fmt::print("no d to compare with\n");
  } else {
    fmt::print("{} of {} differ from d\n", w.different.size(), w.count);
  }
  const bool differs = !w.different.empty();
  if (differs) {
    fmt::print("\nthe first difference\n{}", word_text(w, w.different.front(), r.steps));
  }
  if (r.explained && !(differs && *r.explained == w.different.front())) {
    fmt::print("\n{}", word_text(w, *r.explained, r.steps));
  }
  if (!r.out.empty()) fmt::print("{}\n", r.out);
}

void save_results(const mx::binary64::named_model& model, const binary64_request& r,
                  const words64& w) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(w.results.data());
  const io::tensor d{
      "d", io::dtype::f64, {w.count}, {bytes, w.results.size() * sizeof(code)}, r.out};
  io::save(
      r.out, {&d, 1},
      {{"model", std::string(model.name)}, {"evidence", std::string(mx::name_of(model.rests_on))}});
}

}  // namespace

int run_binary64_dot(const mx::binary64::named_model& model, const binary64_request& request) {
  if (!request.out.empty()) expect_writable(request.out, {".safetensors"});
  expect_no_input(request.out, {request.in});
  const io::tensor_file file = io::load(request.in);
  const words64 w = words_in(file);
  if (request.explained && *request.explained >= w.count) {
    throw usage_error("--explain {}: {} has {}, counted from 0", *request.explained, request.in,
                      io::counted(w.count, "word"));
  }
  if (!request.out.empty()) save_results(model, request, w);
  print(model, request, w);
  return w.different.empty() ? exit_status::done : exit_status::difference;
}

}  // namespace sim::cli
