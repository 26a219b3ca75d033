// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/compare.cpp: the differences of a kernel's bytes from a prediction.
#include "compare.h"

#include <algorithm>

#include "code_walk.h"
#include "differing_above.h"
#include "mx/tensor/parallel.h"

namespace golden::validator {
namespace {

/// Number of a block's elements within the tensor, without padding.
std::uint64_t elements_of(const geometry& g, const block_place& p) {
  const std::uint64_t rows = std::min(g.rows(), g.shape().rows - p.row);
  const std::uint64_t first = std::min(p.along * g.columns(), g.shape().length);
  return rows * std::min(g.columns(), g.shape().length - first);
}

/// The place of an element along every axis.
std::vector<std::uint64_t> index_of(const subject& s, std::uint64_t element) {
  std::vector<std::uint64_t> index(s.shape.size());
  for (std::size_t k = s.shape.size(); k-- > 0;) {
    index[k] = element % s.shape[k];
    element /= s.shape[k];
  }
  return index;
}

std::vector<std::uint32_t> bits_of_block(const geometry& g, const subject& s,
                                         const block_place& at) {
  std::vector<std::uint32_t> bits;
  for_codes(g, at, [&](std::uint64_t, std::uint64_t row, std::uint64_t position) {
    if (position < g.shape().length) bits.push_back(bits_at(s, g.value_at(at, row, position)));
  });
  return bits;
}

difference described(const prediction& p, const code_walk& w, std::uint64_t block) {
  predicted_block made;
  p.make(block, made);
  const found_block found = found_at(p, block);
  difference d;
  d.block = block;
  d.expected_scale = w.expected_scale(block);
  d.found_scale = found.scale;
  d.of_scale = d.expected_scale != d.found_scale;
  for (std::size_t k = made.codes.size(); k-- > 0;) {
    if (made.codes[k] != found.codes[k]) d.position = k, d.of_code = true;
  }
  d.expected_code = made.codes[d.position];
  d.found_code = found.codes[d.position];
  const geometry& g = p.where();
  const block_place at = g.place(block);
  const std::uint64_t position = at.along * g.columns() + d.position % g.columns();
  d.block_bits = bits_of_block(g, p.of(), at);
  if (position >= g.shape().length) return d;
  d.block = g.number_without_padding(at);
  d.element = g.value_at(at, d.position / g.columns(), position);
  d.index = index_of(p.of(), *d.element);
  d.value_bits = bits_at(p.of(), *d.element);
  return d;
}

enum class pass : std::uint8_t { first, residual };

differing kind_of(const difference& d, pass of) {
  if (of == pass::first) return d.of_code ? differing::code : differing::scale;
  return d.of_code ? differing::residual_code : differing::residual_scale;
}

/// Whether the file has no residual, or one of zeros.
bool lacks_residual(const subject& s) {
  const byte_span codes = s.residual.codes;
  return std::all_of(codes.begin(), codes.end(), [](std::uint8_t byte) { return byte == 0; });
}

/// Result of a run of consecutive blocks.
struct share {
  std::uint64_t blocks = 0, mismatches = 0, padding = 0, codes = 0, scales = 0, independent = 0;

  void add(const share& other) {
    blocks += other.blocks;
    mismatches += other.mismatches;
    padding += other.padding;
    codes += other.codes;
    scales += other.scales;
    independent += other.independent;
  }
};
constexpr std::uint64_t share_blocks = std::uint64_t{1} << 16, most_blocks = 64;

bool differs(const code_walk& w, std::uint64_t block) {
  return w.wrong_codes(block) != 0 || w.scale_differs(block);
}

/// Differing codes of a block's padding.
std::uint64_t wrong_padding(const prediction& p, std::uint64_t block) {
  const geometry& g = p.where();
  const block_place at = g.place(block);
  if ((at.along + 1) * g.columns() <= g.shape().length) return 0;
  predicted_block made;
  p.make(block, made);
  std::uint64_t wrong = 0;
  for_codes(g, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    if (position < g.shape().length) return;
    if (made.codes[k] != code_in(p.found_codes(), g.code_at(at, row, position))) ++wrong;
  });
  return wrong;
}

/// A block that differs.
share share_of(const prediction& p, const code_walk& w, std::uint64_t block) {
  const bool scale = w.scale_differs(block);
  const std::uint32_t codes = w.wrong_codes(block);
  share one{1, codes, 0, codes, scale ? 1U : 0U, scale ? 1U : codes};
  if (p.is_of_whole()) {
    // Corrections mix elements with padding, so that a scale is of both.
    if (scale) one.mismatches = std::max<std::uint64_t>(p.where().columns(), codes);
    return one;
  }
  one.padding = codes == 0 ? 0 : wrong_padding(p, block);
  const geometry& g = p.where();
  if (scale) one.mismatches = elements_of(g, g.place(block)) + one.padding;
  return one;
}

/// Calls work(block, share) for every block.
///   returns  the shares of consecutive blocks
template <class Work>
std::vector<share> shares_of(const geometry& g, const Work& work) {
  std::vector<share> shares((g.blocks() + share_blocks - 1) / share_blocks);
  mx::for_each_in_parallel(shares.size(), [&](std::size_t k) {
    share part;
    const std::uint64_t first = k * share_blocks;
    for (std::uint64_t b = first; b < std::min(first + share_blocks, g.blocks()); ++b) {
      work(b, part);
    }
    shares[k] = part;
  });
  return shares;
}

/// Shares of a pass, whose places are marked. All elements under a number that differs are
/// mismatches, which the first pass counts.
std::vector<share> marked_shares(const prediction& p, pass which, const code_walk& w,
                                 const differing_above& above, marks& at) {
  if (above.is_all()) at.add_everything();
  return shares_of(p.where(), [&](std::uint64_t b, share& part) {
    share one = differs(w, b) ? share_of(p, w, b) : share{};
    if (w.scale_differs(b)) at.add_scale(b);
    if (above.is_above(b)) {
      if (!above.is_all()) at.add_above(b);
      const bool counts = which == pass::first;
      one.mismatches = counts ? elements_of(p.where(), p.where().place(b)) + one.padding : 0;
    }
    part.add(one);
  });
}

/// Every step-th block that differs.
std::vector<std::uint64_t> chosen_of(const prediction& p, const code_walk& w,
                                     const std::vector<share>& shares, std::uint64_t step) {
  std::vector<std::uint64_t> chosen;
  std::uint64_t seen = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const std::uint64_t first = k * share_blocks;
    // Whether this share contains a multiple of the step.
    if ((seen + step - 1) / step * step >= seen + shares[k].blocks) {
      seen += shares[k].blocks;
      continue;
    }
    for (std::uint64_t b = first; b < std::min(first + share_blocks, p.where().blocks()); ++b) {
      if (differs(w, b) && seen++ % step == 0) chosen.push_back(b);
    }
  }
  return chosen;
}

/// Adds the differences of one pass; its places count if no earlier pass has any.
void add_pass(const prediction& p, pass which, const differing_above& above,
              const mx::blocks_done& done, comparison& result) {
  marks at(p);
  code_walk w(p, done, &at);
  static_cast<void>(w.codes(code_walk::reach::all));
  const std::vector<share> shares = marked_shares(p, which, w, above, at);
  share all;
  for (const share& part : shares) all.add(part);
  result.mismatches += all.mismatches;
  result.padding += all.padding;
  result.codes += all.codes;
  result.scales += all.scales;
  result.independent += all.independent;
  // Numbers that are above all blocks leave no place.
  const std::uint64_t numbers = above.is_all() ? 0 : above.numbers();
  const bool has_places = all.blocks > 0 || (which == pass::first && numbers > 0);
  if (!result.blocks.empty() || !has_places) return;
  result.where = at.found({all.blocks, all.codes, all.scales, numbers});
  result.blocks = chosen_of(p, w, shares, all.blocks / most_blocks + 1);
  if (!result.blocks.empty()) result.first = described(p, w, result.blocks.front());
}

/// The first block that differs in the parts of a pass up to the first that does.
std::optional<std::uint64_t> refuting_block(const prediction& p) {
  const mx::blocks_done nobody;
  code_walk w(p, nobody);
  static_cast<void>(w.codes(code_walk::reach::first_wrong));
  const std::vector<share> shares = shares_of(p.where(), [&](std::uint64_t b, share& part) {
    if (differs(w, b)) ++part.blocks;
  });
  const auto first = std::ranges::find_if(shares, [](const share& s) { return s.blocks > 0; });
  if (first == shares.end()) return {};
  std::uint64_t block = static_cast<std::uint64_t>(first - shares.begin()) * share_blocks;
  while (!differs(w, block)) ++block;
  return block;
}

}  // namespace

found_block found_at(const prediction& p, std::uint64_t block) {
  const geometry& g = p.where();
  const block_place at = g.place(block);
  found_block found{scale_in(p.found_scales(), g, g.scale_at(block)), {}};
  found.codes.resize(g.rows() * g.columns());
  for_codes(g, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    found.codes[k] =
        static_cast<std::uint8_t>(code_in(p.found_codes(), g.code_at(at, row, position)));
  });
  return found;
}

comparison compare(const prediction& p, const mx::blocks_done& done) {
  comparison result;
  result.elements = p.of().elements();
  const std::optional<differing> numbers = p.differing_numbers();
  result.tensor_scales = p.differing_tensor_scales().size();
  result.tensor_scales_agree = !numbers;
  result.tensor_scale = differing_scale_in(p);
  result.tensor_scales_found = p.of().tensor_scales.size();
  result.tensor_scales_expected = p.written_tensor_scales().size();
  const differing_above above(p);
  add_pass(p, pass::first, above, done, result);
  result.what = result.first ? kind_of(*result.first, pass::first) : numbers;
  if (const auto residual = p.residual()) {
    const bool is_first = !result.first;
    add_pass(*residual, pass::residual, above, {}, result);
    if (is_first && result.first) {
      result.what = kind_of(*result.first, pass::residual);
      result.where.array = "residual.";
    }
  }
  if (numbers && *numbers != differing::tensor_scale) result.where.above_noun = "macro fraction";
  if (p.is_of_whole()) result.mismatches = std::min(result.mismatches, result.elements);
  if (!result.is_exact()) result.nan = nan_alone_in(p, result.blocks);
  return result;
}

void mark_differences(const prediction& p, difference_mask mask) {
  const mx::blocks_done nobody;
  marks at(p, mask);
  code_walk w(p, nobody, &at);
  static_cast<void>(w.codes(code_walk::reach::all));
  static_cast<void>(shares_of(p.where(), [&](std::uint64_t b, share&) {
    if (w.scale_differs(b)) at.add_scale(b);
  }));
}

std::optional<refutation> refuted(const prediction& p) {
  if (p.differing_numbers()) return refutation{};
  if (const auto block = refuting_block(p)) return refutation{block};
  const auto residual = p.residual();
  const bool same = residual ? !refuting_block(*residual) : lacks_residual(p.of());
  return same ? std::nullopt : std::optional(refutation{});
}

bool explains_scale(const prediction& p, std::uint64_t block, predicted_block& made) {
  const geometry& g = p.where();
  const std::optional<std::uint64_t> source = g.scale_source(block);
  if (source && *source != block) p.make(*source, made);
  return (source ? made.scale : 0) == scale_in(p.found_scales(), g, g.scale_at(block));
}

bool explains_block(const prediction& p, std::uint64_t block) {
  predicted_block made;
  p.make(block, made);
  const geometry& g = p.where();
  const block_place at = g.place(block);
  bool same = true;
  for_codes(g, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    same = same && made.codes[k] == code_in(p.found_codes(), g.code_at(at, row, position));
  });
  return same && explains_scale(p, block, made);
}

}  // namespace golden::validator
