// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/nan_alone.cpp: a first look at a few blocks, then all of them.
#include "nan_alone.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "compare.h"
#include "mx/tensor/parallel.h"

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

/// Formats of scales may leave the sign of a byte unused, so that it does not count in their codes.
seen_differences of_scale(const prediction& p, std::uint64_t block, std::uint32_t expected,
                          std::uint32_t found) {
  if (expected == found) return {};
  const mx::format& f = p.kernel().format().scale;
  const bool both =
      mx::decode(f, expected).kind == mx::kind::nan && mx::decode(f, found).kind == mx::kind::nan;
  const bool own = p.where().scale_source(block) == block;
  return {!both || !own, ((expected ^ found) & f.magnitude_mask()) != 0};
}

seen_differences of_tensor_scales(const prediction& p) {
  if (p.agrees_on_tensor_scales()) return {};
  const std::vector<float> expected = p.written_tensor_scales();
  const std::vector<float>& found = p.of().tensor_scales;
  if (expected.size() != found.size()) return {.others = true};
  seen_differences seen;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::uint32_t differing = mx::bits_of(expected[k]) ^ mx::bits_of(found[k]);
    const bool both = mx::fp32::is_nan(expected[k]) && mx::fp32::is_nan(found[k]);
    if (differing != 0) seen.add({!both, (differing & 0x7FFFFFFF) != 0});
  }
  return seen;
}

seen_differences differences_of(const prediction& p, std::uint64_t block) {
  predicted_block made;
  p.make(block, made);
  const found_block found = found_at(p, block);
  seen_differences seen = of_scale(p, block, made.scale, found.scale);
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
  std::atomic<bool> others{false};  // then the rest tells nothing
  return mx::joined_in_parallel(
      {0, p.where().blocks()}, 256, seen_differences{},
      [&](mx::index_range part) {
        seen_differences seen;
        for (std::uint64_t b = part.first; b < part.last && !others; ++b) {
          seen.add(differences_of(p, b));
          if (seen.others) others = true;
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
  if (p.is_of_whole()) return nan_alone::no;
  seen_differences all = of_tensor_scales(p);
  if (all.others) return nan_alone::no;
  const auto has_others = [&](std::uint64_t b) { return differences_of(p, b).others; };
  if (std::any_of(blocks.begin(), blocks.end(), has_others)) return nan_alone::no;
  if (!blocks.empty()) all.add(differences_of_all(p));
  if (all.others) return nan_alone::no;
  return all.beyond_sign ? nan_alone::codes : nan_alone::signs;
}

std::string_view word_of(nan_alone n) {
  constexpr std::array<std::string_view, 3> words{"", "nan_signs", "nan_codes"};
  return words[static_cast<std::size_t>(n)];
}

}  // namespace golden::validator
