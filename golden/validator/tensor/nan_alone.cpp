// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/nan_alone.cpp: a first look at a few blocks, then all of them.
#include "nan_alone.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>

#include "compare.h"

namespace golden::validator {
namespace {

/// The kinds of differences seen so far.
struct seen_differences {
  bool others = false, beyond_sign = false;

  void add(const seen_differences& s) {
    others = others || s.others;
    beyond_sign = beyond_sign || s.beyond_sign;
  }
};

/// Whether all numbers of a block decode to NaN, whatever their codes.
bool is_all_nan(const prediction& p, std::uint64_t block, std::uint32_t scale) {
  const std::vector<float>& above = p.tensor_scales();
  const geometry& g = p.where();
  const std::size_t row = above.size() > 1 ? g.vector_of(g.place(block)) : 0;
  const bool nan_above = !above.empty() && mx::unpack(above[row]).kind == mx::kind::nan;
  return nan_above || mx::decode(p.kernel().format().scale, scale).kind == mx::kind::nan;
}

seen_differences differences_of(const prediction& p, std::uint64_t block) {
  predicted_block made;
  p.make(block, made);
  const found_block found = found_at(p, block);
  seen_differences seen;
  if (made.codes == found.codes) return seen;
  const mx::format& element = p.kernel().format().element;
  const bool all = is_all_nan(p, block, found.scale);
  const auto is_nan = [&](std::uint32_t code) {
    return all || mx::decode(element, code).kind == mx::kind::nan;
  };
  for (std::size_t k = 0; k < made.codes.size(); ++k) {
    const std::uint32_t differing = made.codes[k] ^ found.codes[k];
    if (differing == 0) continue;
    const bool both = is_nan(made.codes[k]) && is_nan(found.codes[k]);
    const bool sign = differing == element.sign_mask();
    const bool of_nan = k < made.given.size() && mx::unpack(made.given[k]).kind == mx::kind::nan;
    seen.add({!both && !(sign && of_nan), !sign});
  }
  return seen;
}

seen_differences differences_of_all(const prediction& p) {
  using range = tbb::blocked_range<std::uint64_t>;
  return tbb::parallel_reduce(
      range(0, p.where().blocks(), 256), seen_differences{},
      [&](const range& part, seen_differences seen) {
        for (std::uint64_t b = part.begin(); b < part.end() && !seen.others; ++b) {
          seen.add(differences_of(p, b));
        }
        return seen;
      },
      [](seen_differences a, const seen_differences& b) {
        a.add(b);
        return a;
      });
}

}  // namespace

nan_alone nan_alone_in(const prediction& p, std::span<const std::uint64_t> blocks) {
  if (blocks.empty() || p.is_of_whole()) return nan_alone::no;
  const auto has_others = [&](std::uint64_t b) { return differences_of(p, b).others; };
  if (std::any_of(blocks.begin(), blocks.end(), has_others)) return nan_alone::no;
  const seen_differences all = differences_of_all(p);
  if (all.others) return nan_alone::no;
  return all.beyond_sign ? nan_alone::codes : nan_alone::signs;
}

std::string_view word_of(nan_alone n) {
  constexpr std::array<std::string_view, 3> words{"", "nan_signs", "nan_codes"};
  return words[static_cast<std::size_t>(n)];
}

}  // namespace golden::validator
