// SPDX-License-Identifier: Apache-2.0
// tests/probe/product_probe_test.cpp: the words of a probe distinguish every two models of an input
// format that any committed word distinguishes, at any length.
#include "golden/probe/product_probe.h"

#include <cstdio>
#include <map>

#include "catch.h"
#include "core_replay.h"
#include "mx/spelling.h"

namespace golden::probe {
namespace {

struct request_case {
  const char* name;
  product_request request;
};

std::vector<request_case> cases() {
  using namespace mx::formats;
  const auto plain = [](const mx::format& a, const mx::format& b, const mx::format& result) {
    return product_request{{a, b, {}, 0}, result, 128};
  };
  const auto blocks = [](const mx::format& a, const mx::format& b, const mx::format& scale,
                         int block) {
    return product_request{{a, b, scale, block}, binary32, 128};
  };
  return {{"f16, f32", plain(binary16, binary16, binary32)},
          {"f16, f16", plain(binary16, binary16, binary16)},
          {"bf16, f32", plain(bfloat16, bfloat16, binary32)},
          {"tf32, f32", plain(tf32, tf32, binary32)},
          {"e4m3, f32", plain(e4m3, e4m3, binary32)},
          {"e4m3, f16", plain(e4m3, e4m3, binary16)},
          {"e5m2, f32", plain(e5m2, e5m2, binary32)},
          {"e5m2, f16", plain(e5m2, e5m2, binary16)},
          {"e4m3 by e5m2, f32", plain(e4m3, e5m2, binary32)},
          {"e2m1, f32", plain(e2m1, e2m1, binary32)},
          {"e4m3fnuz, f32", plain(e4m3fnuz, e4m3fnuz, binary32)},
          {"mxfp4", blocks(e2m1, e2m1, e8m0, 32)},
          {"mxfp8-e4m3", blocks(e4m3, e4m3, e8m0, 32)},
          {"mxfp8-e5m2 by mxfp6-e2m3", blocks(e5m2, e2m3, e8m0, 32)},
          {"nvfp4", blocks(e2m1, e2m1, ue4m3, 16)}};
}

/// Made once for all tests.
const std::vector<product_probe>& probes() {
  static const std::vector<product_probe> all = [] {
    std::vector<product_probe> made;
    for (const request_case& c : cases()) made.push_back(make_product_probe(c.request));
    return made;
  }();
  return all;
}

/// Elements of all steps and blocks.
constexpr std::size_t whole_steps = 32;

/// Committed words of these operands, made for any model.
std::vector<test::dot_word> committed_for(const product_request& r) {
  const validator::product_formats& f = r.formats;
  std::vector<test::dot_word> words;
  for (const test::word_file& file : test::committed_words()) {
    for (const test::word_section& s : file.sections) {
      const mx::dot_model m = test::core_model(file.model, s.operands);
      const bool scales = f.block == 0 || m.scale == *f.scale;
      if (!(m.a == f.a) || !(m.b == f.b) || m.block != f.block || !scales) continue;
      if (!(m.sum.result == r.result)) continue;
      words.insert(words.end(), s.words.begin(), s.words.end());
    }
  }
  return words;
}

/// The committed word that distinguishes two models, of whole steps if one exists; null if none
/// does.
const test::dot_word* telling_word(const std::vector<test::dot_word>& words, const mx::dot_model& x,
                                   const mx::dot_model& y) {
  const test::dot_word* cut = nullptr;
  for (const test::dot_word& w : words) {
    if (test::core_result(x, w) == test::core_result(y, w)) continue;
    if (w.a.size() % whole_steps == 0) return &w;
    cut = &w;
  }
  return cut;
}

/// Why two models of a group are not distinguished.
std::string reason_of(const mx::dot_model& x, const mx::dot_model& y, const test::dot_word* word) {
  if (x == y) return "one arithmetic";
  if (word == nullptr) return "no known operands";
  return "only where K ends within a step (" + word->label + ")";
}

TEST_CASE("models that committed words tell apart are told apart by the probe of their operands") {
  for (std::size_t at = 0; at < cases().size(); ++at) {
    const request_case c = cases()[at];
    const product_probe& p = probes()[at];
    const std::vector<test::dot_word> words = committed_for(c.request);
    std::printf("%s: %zu models, %zu outputs, %zu words needed of %zu; %zu committed words\n",
                c.name, p.models.size(), p.groups.size(), p.needed, p.words.size(), words.size());
    CHECK(p.words.size() <= 32);
    CHECK(p.needed <= p.words.size());
    for (const std::vector<std::size_t>& group : p.groups) {
      for (const std::size_t k : group) {
        if (k == group.front()) continue;
        const auto &x = p.models[group.front()], &y = p.models[k];
        const test::dot_word* word = telling_word(words, x.model, y.model);
        INFO(c.name << ": " << x.entry->name << " and " << y.entry->name
                    << (word == nullptr ? "" : ": " + word->label));
        CHECK((word == nullptr || word->a.size() % whole_steps != 0));
        const std::string why = reason_of(x.model, y.model, word);
        std::printf("   %s = %s: %s\n", std::string(x.entry->name).c_str(),
                    std::string(y.entry->name).c_str(), why.c_str());
      }
    }
  }
}

TEST_CASE("the words that are needed come first, and tell what all of them do") {
  for (std::size_t at = 0; at < cases().size(); ++at) {
    const product_probe& p = probes()[at];
    std::map<std::vector<std::uint32_t>, int> results;
    for (const validator::product_model& m : p.models) {
      std::vector<std::uint32_t> d;
      for (std::size_t k = 0; k < p.needed; ++k) d.push_back(result_of(m.model, p.words[k]));
      ++results[d];
    }
    INFO(cases()[at].name);
    CHECK(results.size() == p.groups.size());
  }
}

TEST_CASE("words have the length and the scales that were asked for") {
  using namespace mx::formats;
  const product_probe p = make_product_probe({{e2m1, e2m1, e8m0, 32}, binary32, 256});
  for (const packs::wide_word& w : p.words) {
    CHECK(w.a.size() == 256);
    CHECK(w.scale_b.size() == 8);
  }
}

}  // namespace
}  // namespace golden::probe
