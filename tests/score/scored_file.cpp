// SPDX-License-Identifier: Apache-2.0
// tests/score/scored_file.cpp: files by the names that `mxprism quantize` documents, formats as in
// golden/reference.
#include "scored_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "golden/io/widen.h"

namespace score {
namespace {

namespace gf = golden::formats;

const golden::number_format& element_of(const std::string& format) {
  if (format == "mxfp4" || format == "nvfp4") return gf::e2m1();
  if (format == "mxfp8-e4m3") return gf::e4m3();
  if (format == "mxfp8-e5m2") return gf::e5m2();
  if (format == "mxint8") return gf::int8();
  throw std::invalid_argument("no test of the format " + format);
}

}  // namespace

std::vector<float> matrix::row(std::size_t r) const {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(r * columns);
  return {first, first + static_cast<std::ptrdiff_t>(columns)};
}

matrix matrix::transposed() const {
  matrix turned{columns, rows, std::vector<float>(values.size())};
  for (std::size_t i = 0; i < values.size(); ++i) {
    turned.values[i % columns * rows + i / columns] = values[i];
  }
  return turned;
}

matrix matrix_of(const golden::io::tensor& t) {
  if (t.shape.size() != 2) throw std::invalid_argument(t.name + " is no matrix");
  return {t.shape[0], t.shape[1], golden::io::to_float32(t)};
}

declared declared_by(const std::string& format, const std::string& rule) {
  declared d;
  d.rules.element = &element_of(format);
  d.rules.rule = rule == "rceil" ? golden::scale_rule::rceil : golden::scale_rule::floor;
  if (format != "nvfp4") return d;
  d.rules.scale = &gf::ue4m3();
  d.rules.rule = golden::scale_rule::ideal;
  d.block = 16;
  d.is_scaled = true;
  return d;
}

float tensor_scale_of(const declared& d, const matrix& x) {
  return d.is_scaled ? golden::tensor_scale(x.values, *d.rules.element, 448) : 1.0F;
}

golden::quantized_block block_of(const declared& d, const std::vector<float>& row, std::size_t b,
                                 float tensor_scale) {
  std::vector<float> block(d.block, 0.0F);
  const std::size_t end = std::min(row.size(), (b + 1) * d.block);
  std::copy(row.begin() + static_cast<std::ptrdiff_t>(b * d.block),
            row.begin() + static_cast<std::ptrdiff_t>(end), block.begin());
  return golden::quantize_block(block, d.rules, golden::value_of(tensor_scale).magnitude);
}

golden::io::byte_view array_of(const golden::io::tensor_file& out, const std::string& name,
                               const char* array, std::size_t bytes) {
  const golden::io::tensor* t = out.find(name + "." + array);
  if (t == nullptr) t = out.find(array);
  if (t == nullptr) throw wrong_output(name + ": no " + array);
  if (t->bytes.size() == bytes) return t->bytes;
  throw wrong_output(t->name + " has " + std::to_string(t->bytes.size()) + " bytes, expected " +
                     std::to_string(bytes));
}

std::vector<std::uint32_t> patterns_of(golden::io::byte_view bytes) {
  std::vector<std::uint32_t> patterns(bytes.size() / sizeof(std::uint32_t));
  if (!patterns.empty()) {
    std::memcpy(patterns.data(), bytes.data(), patterns.size() * sizeof(std::uint32_t));
  }
  return patterns;
}

int verdict_of(void (*test)(const std::vector<std::string>& words), int argc, char** argv) {
  try {
    test({argv + 1, argv + argc});
    return 0;
  } catch (const wrong_output& wrong) {
    std::fprintf(stderr, "wrong: %s\n", wrong.what());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}

}  // namespace score
