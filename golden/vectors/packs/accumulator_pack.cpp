// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/accumulator_pack.cpp: the same words under every model that accepts them,
// and the words that distinguish each pair of models.
#include <fmt/format.h>

#include <array>

#include "golden/vectors/packs/pack_bytes.h"
#include "golden/vectors/packs/wide_words.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"

namespace golden::packs {
namespace {

namespace formats = mx::formats;

constexpr std::array families{word_family{"mxfp4", formats::e2m1, formats::e8m0, 32, 128, 0},
                              word_family{"nvfp4", formats::e2m1, formats::ue4m3, 16, 128, 12},
                              word_family{"mxfp8-e4m3", formats::e4m3, formats::e8m0, 32, 128, 0},
                              word_family{"e4m3", formats::e4m3, formats::e8m0, 0, 64, 12},
                              word_family{"e5m2", formats::e5m2, formats::e8m0, 0, 64, 20},
                              word_family{"f16", formats::binary16, formats::e8m0, 0, 64, 10},
                              word_family{"bf16", formats::bfloat16, formats::e8m0, 0, 64, 0}};

/// A model for the family's formats, with its name and results.
struct family_model {
  std::string name;
  mx::dot_model model;
  std::vector<std::uint32_t> d;
};

bool takes(const mx::dot_model& m, const word_family& f) {
  const bool scales = f.block == 0 || m.scale == f.scale;
  return m.a == f.element && m.b == f.element && m.block == f.block && scales &&
         m.sum.result == formats::binary32;
}

std::vector<family_model> models_of(const word_family& f) {
  std::vector<family_model> models;
  for (const mx::named_model& entry : mx::model_table) {
    mx::dot_model m = entry.model;
    if (entry.operands == mx::operands::any) {
      m = mx::with_scales(mx::with_formats(m, f.element, f.element), f.scale, f.block);
      m.unread_bits = 0;
      if (!mx::is_sound(m)) continue;
    }
    if (takes(m, f)) models.push_back({std::string(entry.name), m, {}});
  }
  return models;
}

void compute(family_model& m, const std::vector<wide_word>& words, const word_family& f) {
  for (const wide_word& w : words) {
    m.d.push_back(mx::dot(m.model, w.a.data(), w.b.data(), f.k, w.c,
                          f.block > 0 ? w.scale_a.data() : nullptr,
                          f.block > 0 ? w.scale_b.data() : nullptr));
  }
}

std::vector<std::uint32_t> joined(const std::vector<wide_word>& words,
                                  std::vector<std::uint32_t> wide_word::*part) {
  std::vector<std::uint32_t> all;
  for (const wide_word& w : words) all.insert(all.end(), (w.*part).begin(), (w.*part).end());
  return all;
}

/// Operands of a family's words, in the form that `mxprism dot` reads.
pack_file inputs_of(const word_family& f, const std::vector<wide_word>& words) {
  const std::uint64_t count = words.size(), k = static_cast<std::uint64_t>(f.k);
  const auto scales = static_cast<std::uint64_t>(f.scales());
  const io::dtype type = f.element.width() > 8 ? io::dtype::u16 : io::dtype::u8;
  std::vector<std::uint32_t> c;
  for (const wide_word& w : words) c.push_back(w.c);
  pack_file file{"", f.name, {}, {}};
  const std::string name = f.element == formats::binary16   ? "f16"
                           : f.element == formats::bfloat16 ? "bf16"
                           : f.element == formats::e5m2     ? "e5m2"
                           : f.element == formats::e4m3     ? "e4m3"
                                                            : "e2m1";
  file.notes = {{"a_format", name}, {"b_format", name}};
  file.arrays = {word_array("a", type, {count, k}, joined(words, &wide_word::a)),
                 word_array("b", type, {count, k}, joined(words, &wide_word::b)),
                 word_array("c", io::dtype::u32, {count}, c)};
  if (f.block == 0) return file;
  file.notes["scale"] = f.scale == formats::ue4m3 ? "ue4m3" : "e8m0";
  file.notes["block"] = std::to_string(f.block);
  file.arrays.push_back(
      word_array("scale_a", io::dtype::u8, {count, scales}, joined(words, &wide_word::scale_a)));
  file.arrays.push_back(
      word_array("scale_b", io::dtype::u8, {count, scales}, joined(words, &wide_word::scale_b)));
  return file;
}

void add_input_memories(pack_contents& pack, const word_family& f,
                        const std::vector<wide_word>& words) {
  const std::string name = f.name;
  const auto k = static_cast<std::size_t>(f.k), scales = static_cast<std::size_t>(f.scales());
  std::vector<std::uint32_t> c;
  for (const wide_word& w : words) c.push_back(w.c);
  const int width = f.element.width();
  pack.memories.push_back(
      {name + ".a", name, "element codes of A", width, k, joined(words, &wide_word::a)});
  pack.memories.push_back(
      {name + ".b", name, "element codes of B", width, k, joined(words, &wide_word::b)});
  pack.memories.push_back({name + ".c", name, "FP32 addends", 32, 1, c});
  if (f.block == 0) return;
  pack.memories.push_back(
      {name + ".scale_a", name, "scale codes of A", 8, scales, joined(words, &wide_word::scale_a)});
  pack.memories.push_back(
      {name + ".scale_b", name, "scale codes of B", 8, scales, joined(words, &wide_word::scale_b)});
}

/// For every pair of models, the first word on which they differ.
void add_separations(pack_contents& pack, const word_family& f,
                     const std::vector<family_model>& models) {
  std::vector<std::string>& lines = pack.notes[std::string("apart.") + f.name];
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (std::size_t j = i + 1; j < models.size(); ++j) {
      const auto [at, other] =
          std::mismatch(models[i].d.begin(), models[i].d.end(), models[j].d.begin());
      const std::string place =
          at == models[i].d.end() ? "no word" : fmt::format("word {}", at - models[i].d.begin());
      lines.push_back(fmt::format("{} and {}: {}", models[i].name, models[j].name, place));
    }
  }
}

void add_family(pack_contents& pack, const word_family& f) {
  const std::vector<wide_word> words = wide_words(f);
  for (const wide_word& w : words) pack.rows[f.name].push_back(w.sentence);
  std::vector<family_model> models = models_of(f);
  const pack_file inputs = inputs_of(f, words);
  add_input_memories(pack, f, words);
  for (family_model& m : models) {
    compute(m, words, f);
    pack_file file = inputs;
    file.name = std::string(f.name) + "." + m.name;
    file.notes["model"] = m.name;
    file.arrays.push_back(word_array("d", io::dtype::u32, {words.size()}, m.d));
    pack.files.push_back(std::move(file));
    pack.memories.push_back({std::string(f.name) + "." + m.name + ".d", f.name,
                             "FP32 results under " + m.name, 32, 1, m.d});
  }
  add_separations(pack, f, models);
}

}  // namespace

pack_contents accumulator_pack() {
  pack_contents pack;
  for (const word_family& f : families) add_family(pack, f);
  return pack;
}

}  // namespace golden::packs
