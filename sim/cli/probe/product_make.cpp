// SPDX-License-Identifier: Apache-2.0
// sim/cli/probe/product_make.cpp: words of dot products as matrices: word i is row i of A, column i
// of B and the element (i, i) of C. Elements off the diagonal are evidence too.
#include "golden/io/counted.h"
#include "sim/cli/probe/probe_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "golden/io/tensor_file.h"
#include "golden/probe/product_probe.h"
#include "golden/vectors/packs/pack_bytes.h"
#include "sim/cli/products/code_view.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
namespace packs = golden::packs;
using golden::probe::product_probe;
using golden::probe::product_request;

/// The format of one operand.
///   blocks  where there are scales
struct probed_operand {
  std::string name;
  mx::format element;
  std::optional<mx::block_format> blocks;
};

probed_operand operand_spelled(const std::string& name) {
  try {
    return {name, mx::number_format_spelled(name), {}};
  } catch (const std::invalid_argument&) {
    probe_options blocks;
    blocks.format = name;
    const mx::recipe r = probed_recipe(blocks, name);
    return {mx::format_word(r), r.format().element, r.format()};
  }
}

void expect_multiplied(const probed_operand& f) {
  const bool whole = f.element == mx::formats::int8 || f.element == mx::formats::binary32;
  const bool tiles = f.blocks && (f.blocks->rows > 1 || f.blocks->scale.width() > 8);
  if (!whole && !tiles) return;
  throw usage_error(
      "--format {}: a probe of products takes f16 bf16 tf32, elements of at most 8 bits, and their "
      "blocks of one row with scales of one byte",
      f.name);
}

product_request request_of(const product_probe_options& o, const probed_operand& a,
                           const probed_operand& b) {
  const bool same =
      a.blocks.has_value() == b.blocks.has_value() &&
      (!a.blocks || (a.blocks->scale == b.blocks->scale && a.blocks->columns == b.blocks->columns));
  if (!same) {
    throw usage_error(
        "--b-format {}: A is {}; both have scales of one format and block, or neither", b.name,
        a.name);
  }
  product_request r{{a.element, b.element, {}, 0}, mx::formats::binary32, o.k};
  if (o.result == "f16") r.result = mx::formats::binary16;
  if (o.result != "f16" && o.result != "f32") {
    throw usage_error("--result: expected f32 or f16, not {}", io::printable(o.result));
  }
  if (!a.blocks) return r;
  r.formats.scale = a.blocks->scale;
  r.formats.block = a.blocks->columns;
  if (o.k % (4 * a.blocks->columns) == 0) return r;
  throw usage_error("--k {}: expected whole blocks of {}, four of them or a multiple", o.k,
                    a.blocks->columns);
}

/// The word that a row of A and a column of B hold.
struct word_places {
  std::uint64_t m, n, words;
};

word_places places_of(const product_probe_options& o, const product_probe& p) {
  const auto all = static_cast<std::uint64_t>(p.words.size());
  if (o.shape.empty()) return {all, all, all};
  const two_extents e = extents_of("--shape", o.shape);
  const std::uint64_t words = std::min({e.first, e.second, all});
  if (words >= p.needed) return {e.first, e.second, words};
  throw usage_error("--shape {}: the probe needs at least {} rows and columns of D", o.shape,
                    p.needed);
}

using word_list = std::vector<std::uint32_t>;

/// Codes of one part of the words, line by line.
word_list lines_of(const product_probe& p, std::uint64_t lines, std::uint64_t words,
                   word_list packs::wide_word::*part, int shift) {
  word_list all;
  for (std::uint64_t i = 0; i < lines; ++i) {
    for (const std::uint32_t code : p.words[i % words].*part) all.push_back(code << shift);
  }
  return all;
}

void save(const std::string& path, const std::vector<packs::pack_array>& arrays,
          const io::metadata& notes) {
  std::vector<io::tensor> tensors;
  for (const packs::pack_array& a : arrays) {
    tensors.push_back({a.name, a.type, a.shape, {a.bytes.data(), a.bytes.size()}, path});
  }
  io::save(path, tensors, notes);
}

/// Blocks along K, as `quantize` writes them: (lines, K).
void save_blocks(const std::string& path, const probed_operand& f, std::uint64_t lines,
                 const word_list& codes, const word_list& scales) {
  const std::uint64_t k = codes.size() / lines;
  const std::vector<std::uint8_t> bytes(codes.begin(), codes.end());
  save(path,
       {packs::code_array("codes", f.element, lines, k, bytes),
        packs::word_array("scales", io::dtype::u8, {lines, scales.size() / lines}, scales)},
       {{"format", f.name},
        {"packing", "packed"},
        {"layout", "linear"},
        {"block", std::to_string(f.blocks->columns)},
        {"shape", io::shape_text({lines, k})},
        {"axis", "1"}});
}

/// Elements without scales; of B as (K, N).
void save_plain(const std::string& path, const std::string& name, const probed_operand& f,
                std::uint64_t lines, word_list codes) {
  const std::uint64_t k = codes.size() / lines;
  std::vector<std::uint64_t> shape{lines, k};
  if (name == "b") {
    word_list columns(codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) columns[i % k * lines + i / k] = codes[i];
    codes = std::move(columns);
    shape = {k, lines};
  }
  save(path, {packs::word_array(name, type_of(f.element), shape, codes)}, {{"probe", "1"}});
}

/// C of the words on the diagonal, and of their repetitions; else +0.
word_list addends_of(const product_probe& p, const word_places& places) {
  word_list c;
  for (std::uint64_t i = 0; i < places.m; ++i) {
    for (std::uint64_t j = 0; j < places.n; ++j) {
      const bool same = i % places.words == j % places.words;
      c.push_back(same ? p.words[i % places.words].c : 0);
    }
  }
  return c;
}

void save_operands(const std::string& folder, const product_request& r, const product_probe& p,
                   const word_places& at, const probed_operand& a, const probed_operand& b) {
  using word = packs::wide_word;
  const auto shift = [](const probed_operand& f) {
    return f.element == mx::formats::tf32 ? 13 : 0;
  };
  const std::string path_a = folder + "/a.safetensors", path_b = folder + "/b.safetensors";
  word_list codes_a = lines_of(p, at.m, at.words, &word::a, shift(a));
  word_list codes_b = lines_of(p, at.n, at.words, &word::b, shift(b));
  if (a.blocks) {
    save_blocks(path_a, a, at.m, codes_a, lines_of(p, at.m, at.words, &word::scale_a, 0));
    save_blocks(path_b, b, at.n, codes_b, lines_of(p, at.n, at.words, &word::scale_b, 0));
  } else {
    save_plain(path_a, "a", a, at.m, std::move(codes_a));
    save_plain(path_b, "b", b, at.n, std::move(codes_b));
  }
  const bool narrow = r.result == mx::formats::binary16;
  save(folder + "/c.safetensors",
       {packs::word_array("c", narrow ? io::dtype::f16 : io::dtype::f32, {at.m, at.n},
                          addends_of(p, at))},
       {{"probe", "1"}});
}

std::vector<std::vector<std::string>> names_of_groups(const product_probe& p) {
  std::vector<std::vector<std::string>> all;
  for (const std::vector<std::size_t>& group : p.groups) {
    if (group.size() < 2) continue;
    all.emplace_back();
    for (const std::size_t k : group) all.back().emplace_back(p.models[k].entry->name);
  }
  return all;
}

void print_operands(const std::string& folder, const product_probe& p, const word_places& at, int k,
                    output form) {
  const auto equal = names_of_groups(p);
  if (form == output::json) {
    return print_json({{"output", folder},
                       {"m", at.m},
                       {"n", at.n},
                       {"k", k},
                       {"words", at.words},
                       {"needed", p.needed},
                       {"models", p.models.size()},
                       {"outputs", p.groups.size()},
                       {"equal", equal}});
  }
  fmt::print("{}: a.safetensors, b.safetensors, c.safetensors; M = {}, N = {}, K = {}\n", folder,
             at.m, at.n, k);
  fmt::print("{} on the diagonal; {} models give {} different outputs\n",
             io::counted(at.words, "word"), p.models.size(), p.groups.size());
  if (!equal.empty()) fmt::print("the same bits here, and on every word tried:\n");
  for (const auto& group : equal) {
    fmt::print("  {}\n", wrapped(fmt::format("{}", fmt::join(group, " = ")), 4, 2));
  }
}

}  // namespace

int make_product_operands(const std::string& folder, const product_probe_options& o, output form) {
  const probed_operand a = operand_spelled(o.format.value_or("mxfp4"));
  const probed_operand b = o.b_format ? operand_spelled(*o.b_format) : a;
  expect_multiplied(a);
  expect_multiplied(b);
  const product_request request = request_of(o, a, b);
  if (models_for(request).empty()) {
    throw usage_error("--format {} --b-format {} --result {}: no known model takes them", a.name,
                      b.name, o.result);
  }
  const product_probe made = make_product_probe(request);
  const word_places places = places_of(o, made);
  std::error_code wrong;
  std::filesystem::create_directory(folder, wrong);
  if (!std::filesystem::is_directory(folder, wrong)) {
    throw usage_error("{}: cannot be written: not a folder, and no folder can be created there",
                      folder);
  }
  save_operands(folder, request, made, places, a, b);
  print_operands(folder, made, places, o.k, form);
  return exit_status::done;
}

}  // namespace sim::cli
