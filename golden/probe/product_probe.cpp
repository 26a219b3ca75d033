// SPDX-License-Identifier: Apache-2.0
// golden/probe/product_probe.cpp: words from the lowest to the highest exponent of a sum, and
// selection.
#include "golden/probe/product_probe.h"

#include <algorithm>

#include "golden/probe/partition.h"
#include "mx/dot/dot.h"
#include "mx/number/philox.h"

namespace golden::probe {
namespace {

constexpr std::size_t most_words = 32;

/// Exponents of the largest terms: dense within the range of element formats without scales.
std::vector<int> highest_exponents(const product_request& r) {
  std::vector<int> all{0};
  for (int e = 1; e <= 32; ++e) all.insert(all.end(), {e, -e});
  for (const int e : {40, 64, 100, 110, 116, 120, 122, 124, 125, 126, 127}) {
    all.insert(all.end(), {e, -e});
  }
  for (const int e : {-128, -130, -132, -134, -136, -138, -140, -144, -149}) all.push_back(e);
  const int emax = r.result.emax();
  std::erase_if(all, [emax](int e) { return e > emax; });
  return all;
}

/// C with many bits: either its last bits overlap the terms of a word, or it is anywhere around
/// them.
packs::wide_word with_rich_addend(const product_request& r, packs::wide_word w, int highest,
                                  std::uint32_t number) {
  const mx::format& f = r.result;
  const auto drawn = mx::philox(13, {{number, 0, 0, 0}});
  const int off = number % 2 == 0 ? static_cast<int>(drawn.word[0] % 61) - 30
                                  : f.fraction_bits - 2 + static_cast<int>(drawn.word[0] % 5);
  const int exponent = std::clamp(highest + off, f.emin() - f.fraction_bits, f.emax() - 1);
  const std::uint64_t hidden = std::uint64_t{1} << f.fraction_bits;
  const mx::unpacked c = mx::unpacked::finite(
      drawn.word[1] % 2 == 0, hidden | (drawn.word[2] & (hidden - 1)), exponent - f.fraction_bits);
  w.c = mx::encode(f, c, mx::rounding::toward_zero, mx::overflow::saturate);
  w.sentence += "; and C with many bits";
  return w;
}

std::vector<packs::wide_word> words_for(const product_request& r) {
  std::vector<packs::wide_word> words;
  std::uint32_t drawn = 0;
  const validator::product_formats& f = r.formats;
  for (const int highest : highest_exponents(r)) {
    packs::word_family family{"probe", f.a, f.scale.value_or(mx::formats::e8m0),
                              f.block, r.k, highest};
    family.element_b = f.b;
    family.addend = r.result;
    for (packs::wide_word& w : packs::wide_words(family)) {
      const std::uint32_t number = drawn++;
      words.push_back(with_rich_addend(r, w, highest, number));
      words.push_back(w);
      if (w.c == 0) continue;
      w.c = 0;
      w.sentence += "; and no C";
      words.push_back(std::move(w));
    }
  }
  return words;
}

/// Codes in a model's form: TF32 occupies the upper bits of an FP32 pattern.
std::vector<std::uint32_t> read_by(const mx::dot_model& m, std::vector<std::uint32_t> codes) {
  for (std::uint32_t& code : codes) code <<= m.unread_bits;
  return codes;
}

/// The first model with the arithmetic of another, often itself.
std::size_t first_like(const std::vector<validator::product_model>& models, std::size_t other) {
  std::size_t first = 0;
  while (!(models[first].model == models[other].model)) ++first;
  return first;
}

/// The first model of each distinct arithmetic.
std::vector<std::size_t> first_of_each(const std::vector<validator::product_model>& models) {
  std::vector<std::size_t> all = first_numbers(models.size());
  std::erase_if(all, [&](std::size_t k) { return first_like(models, k) != k; });
  return all;
}

/// Groups of first models, extended by all models of the same arithmetic.
std::vector<std::vector<std::size_t>> with_namesakes(
    std::vector<std::vector<std::size_t>> groups,
    const std::vector<validator::product_model>& models) {
  for (std::vector<std::size_t>& group : groups) {
    const std::vector<std::size_t> firsts = group;
    group = first_numbers(models.size());
    std::erase_if(group, [&](std::size_t k) {
      return std::find(firsts.begin(), firsts.end(), first_like(models, k)) == firsts.end();
    });
  }
  return groups;
}

std::string bytes_of(std::uint32_t word) {
  return {reinterpret_cast<const char*>(&word), sizeof word};
}

}  // namespace

std::vector<validator::product_model> models_for(const product_request& request) {
  std::vector<validator::product_model> models = validator::models_taking(request.formats);
  std::erase_if(models, [&](const validator::product_model& m) {
    return !(m.model.sum.result == request.result);
  });
  return models;
}

std::uint32_t result_of(const mx::dot_model& model, const packs::wide_word& word) {
  const std::vector<std::uint32_t> a = read_by(model, word.a), b = read_by(model, word.b);
  const bool scaled = model.block > 0;
  return mx::dot(model, a.data(), b.data(), static_cast<int>(a.size()), word.c,
                 scaled ? word.scale_a.data() : nullptr, scaled ? word.scale_b.data() : nullptr);
}

product_probe make_product_probe(const product_request& request) {
  product_probe probe{{}, 0, models_for(request), {}};
  const std::vector<packs::wide_word> pool = words_for(request);
  std::vector<std::size_t> candidates = first_numbers(pool.size());
  const shown_once<std::size_t> shown([&](std::size_t word, std::size_t model) {
    return bytes_of(result_of(probe.models[model].model, pool[word]));
  });
  partition groups(first_of_each(probe.models));
  std::vector<std::size_t> taken =
      without_needless(splitting(candidates, pool.size(), groups, shown), groups, shown);
  if (taken.empty()) taken.push_back(0);  // all models give the same bits
  probe.groups = with_namesakes(groups.all(), probe.models);
  probe.needed = taken.size();
  const auto beside = [&candidates](const std::vector<std::size_t>& known) {
    std::erase_if(candidates, [&](std::size_t w) {
      return std::find(known.begin(), known.end(), w) != known.end();
    });
    return candidates;
  };
  const std::vector<std::size_t> more = further(taken, most_words, groups, beside, shown);
  taken.insert(taken.end(), more.begin(), more.end());
  for (const std::size_t w : taken) probe.words.push_back(pool[w]);
  return probe;
}

}  // namespace golden::probe
