// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/probe_options.cpp: parses the options and builds the probe request.
#include "sim/cli/probe/probe_options.h"

#include <fmt/format.h>

#include <stdexcept>

#include "golden/io/file.h"
#include "sim/cli/terminal/named_option.h"
#include "sim/study/number_in.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

constexpr std::uint64_t longest_extent = 1 << 16;

mx::number_type input_type(const std::string& dtype) {
  const mx::format f = numbers_named("--dtype", dtype);
  if (f == mx::formats::binary32) return mx::number_type::fp32;
  return f == mx::formats::binary16 ? mx::number_type::fp16 : mx::number_type::bf16;
}

io::dtype dtype_of(mx::number_type type) {
  constexpr io::dtype types[] = {io::dtype::f32, io::dtype::f16, io::dtype::bf16};
  return types[static_cast<int>(type)];
}

}  // namespace

void add_probe_options(CLI::App& command, probe_options& options) {
  add_value(command, "--format", options.format, "NAME",
            "Elements, scales, blocks, as `quantize` takes them (default mxfp4)");
  add_value(command, "--dtype", options.dtype, "NAME",
            "Type of the input: f32 f16 bf16 (default f32)");
  add_value(command, "--shape", options.shape, "R,C",
            "Rows and columns of every tensor of the input, for kernels that require multiples, "
            "such as 128,256; the blocks that distinguish lie among ordinary ones");
}

mx::recipe probed_recipe(const probe_options& options, const std::string& otherwise) {
  mx::recipe_words named;
  named.format = options.format.value_or(otherwise);
  const mx::recipe r = recipe_of(named);
  const auto refuse = [&](const char* why) {
    throw usage_error("--format {}: {}", mx::format_word(r), why);
  };
  if (!r.is_plain()) refuse("a probe takes formats without corrections; leave the + out");
  if (r.format().precision == mx::scale_precision::exact) {
    refuse("a probe takes stored scales; use one such as e8m0");
  }
  if (r.format().tensor == mx::tensor_scaling::per_row) {
    refuse("a probe has one scale for a tensor; use `tensor`, and `read` tries rows too");
  }
  return r;
}

two_extents extents_of(const char* option, const std::string& text) {
  const std::size_t comma = text.find(',');
  const auto read = [&](const std::string& part) -> std::uint64_t {
    const std::uint64_t n = decimal_in<std::uint64_t>(part).value_or(0);
    return n <= longest_extent ? n : 0;
  };
  two_extents e;
  if (comma != std::string::npos) e = {read(text.substr(0, comma)), read(text.substr(comma + 1))};
  if (e.first != 0 && e.second != 0) return e;
  throw usage_error("{}: expected two numbers from 1 to {} such as 128,256, not {}", option,
                    longest_extent, io::printable(text));
}

golden::probe::probe_request request_of(const probe_options& options, const mx::recipe& r) {
  golden::probe::probe_request request{r.format(), input_type(options.dtype), 0, 0};
  if (options.shape.empty()) return request;
  const two_extents shape = extents_of("--shape", options.shape);
  request.rows = shape.first;
  request.columns = shape.second;
  return request;
}

golden::probe::probe requested_probe(const golden::probe::probe_request& request,
                                     golden::probe::probe_part part) {
  try {
    return make_probe(request, part);
  } catch (const std::invalid_argument& wrong) {
    throw usage_error("--shape: {}", wrong.what());
  }
}

io::tensor tensor_of(const golden::probe::probe_tensor& t, mx::number_type type,
                     const std::string& source) {
  return {t.name, dtype_of(type), t.shape, {t.bytes.data(), t.bytes.size()}, source};
}

}  // namespace sim::cli
