// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/part_contents.cpp: codes or scales that are one number, or those of other
// places.
#include "part_contents.h"

#include <algorithm>

#include "golden/validator/tensor/code_walk.h"
#include "golden/validator/tensor/numbers.h"
#include "places_words.h"

namespace golden::validator {
namespace {

/// Contents of a part: one number; or what was computed for places further on.
///   rows, columns  distance to those places
struct contents {
  part in;
  std::optional<std::uint32_t> number;
  std::int64_t rows = 0, columns = 0;
};

constexpr std::int64_t farthest = 4096;

/// Distances to try, from the rows at the start and the tile before to all others.
std::vector<std::int64_t> distances(const pattern& p, std::uint64_t extent) {
  const auto first = static_cast<std::int64_t>(p.first), last = static_cast<std::int64_t>(p.last);
  const auto end = static_cast<std::int64_t>(extent);
  std::vector<std::int64_t> list{-first, first - last - 1};
  for (std::int64_t d = 1; d < std::min(end, farthest); ++d) list.insert(list.end(), {-d, d});
  std::erase_if(list, [&](std::int64_t d) { return d == 0 || first + d < 0 || last + d >= end; });
  return list;
}

/// Calls work(row, column) for the places of a part until it returns false.
///   returns  whether it never did
template <class Work>
bool for_all(const part& in, const Work& work) {
  for (std::uint64_t r = in.rows.first; r <= in.rows.last; ++r) {
    if (!in.rows.contains(r)) continue;
    for (std::uint64_t c = in.columns.first; c <= in.columns.last; ++c) {
      if (in.columns.contains(c) && !work(r, c)) return false;
    }
  }
  return true;
}

pattern moved(const pattern& p, std::int64_t by) {
  pattern to = p;
  to.first += static_cast<std::uint64_t>(by);
  to.last += static_cast<std::uint64_t>(by);
  return to;
}

/// A matrix of found numbers and of computed ones, and where they differ. That numbers are those of
/// other places needs more evidence than that they are equal, as many places are tried.
template <class Found, class Computed>
class content_search {
 public:
  content_search(const matrix_places& differing, const Found& found, const Computed& computed)
      : all_(differing), found_(found), computed_(computed) {}

  [[nodiscard]] std::optional<contents> simplest() const {
    const std::vector<part> around = parts_around(all_);
    if (all_.count < least_evidence) return {};
    for (const part& in : around) {
      if (const auto number = constant(in)) return contents{in, number, 0, 0};
    }
    if (all_.count < 4 * least_evidence) return {};
    for (const part& in : around) {
      if (const auto repeated = of_other_places(in)) return repeated;
    }
    return {};
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> constant(const part& in) const {
    const std::uint32_t number = found_(in.rows.first, in.columns.first);
    const bool same =
        for_all(in, [&](std::uint64_t r, std::uint64_t c) { return found_(r, c) == number; });
    return same ? std::optional(number) : std::nullopt;
  }

  [[nodiscard]] bool are_moved(const part& in, std::int64_t rows, std::int64_t columns) const {
    const auto down = static_cast<std::uint64_t>(rows), along = static_cast<std::uint64_t>(columns);
    return for_all(in, [&](std::uint64_t r, std::uint64_t c) {
      return found_(r, c) == computed_(r + down, c + along);
    });
  }

  [[nodiscard]] std::optional<contents> of_other_places(const part& in) const {
    for (const std::int64_t by : distances(in.rows, all_.rows.extent)) {
      if (are_moved(in, by, 0)) return contents{in, {}, by, 0};
    }
    for (const std::int64_t by : distances(in.columns, all_.columns.extent)) {
      if (are_moved(in, 0, by)) return contents{in, {}, 0, by};
    }
    return {};
  }

  const matrix_places& all_;
  const Found& found_;
  const Computed& computed_;
};

std::optional<contents> scale_contents(const prediction& p, const places& where) {
  const mx::blocks_done nobody;
  code_walk walk(p, nobody);
  static_cast<void>(walk.codes(code_walk::reach::all));
  const std::uint64_t columns = where.scales.columns.extent;
  const auto found = [&](std::uint64_t r, std::uint64_t c) {
    return scale_in(p.found_scales(), p.where(), p.where().scale_at(r * columns + c));
  };
  const auto made = [&](std::uint64_t r, std::uint64_t c) {
    return walk.expected_scale(r * columns + c);
  };
  return content_search(where.scales, found, made).simplest();
}

/// Codes of the last block asked for are kept: a part is read row by row.
class computed_codes {
 public:
  explicit computed_codes(const prediction& p) : p_(p), columns_(p.of().shape.back()) {}
  [[nodiscard]] std::uint32_t operator()(std::uint64_t row, std::uint64_t column) const {
    const geometry& g = p_.where();
    const std::uint64_t element = row * columns_ + column, block = g.block_of(element);
    if (block != block_) p_.make(block_ = block, made_);
    return made_.codes[element_in_block(g, element)];
  }

 private:
  [[nodiscard]] static std::uint64_t element_in_block(const geometry& g, std::uint64_t element) {
    const std::uint64_t before = element / g.shape().inner;
    const std::uint64_t row = before / g.shape().length % g.shape().rows % g.rows();
    return row * g.columns() + before % g.shape().length % g.columns();
  }

  const prediction& p_;
  std::uint64_t columns_;
  mutable std::uint64_t block_ = ~std::uint64_t{0};
  mutable predicted_block made_;
};

std::uint32_t found_code(const prediction& p, std::uint64_t element) {
  const geometry& g = p.where();
  const block_place at = g.place(g.block_of(element));
  const std::uint64_t before = element / g.shape().inner;
  const std::uint64_t row = before / g.shape().length % g.shape().rows - at.row;
  return code_in(p.found_codes(), g.code_at(at, row, before % g.shape().length));
}

std::optional<contents> code_contents(const prediction& p, const places& where) {
  const std::uint64_t columns = where.codes.columns.extent;
  const auto found = [&](std::uint64_t r, std::uint64_t c) {
    return found_code(p, r * columns + c);
  };
  const computed_codes computed(p);
  return content_search(where.codes, found, computed).simplest();
}

/// "rows 0..127, block columns 0..3": the places that contents were computed for.
std::string source_text(const contents& c, const matrix_places& m, const grid_nouns& nouns) {
  if (c.rows != 0) return pattern_text(moved(c.in.rows, c.rows), m.rows.extent, nouns.row);
  return pattern_text(moved(c.in.columns, c.columns), m.columns.extent, nouns.column);
}

std::string number_text(std::uint32_t n) { return n == 0 ? "0" : hexadecimal(n, 2); }

change change_of(const char* array, const contents& c, const matrix_places& m,
                 const grid_nouns& nouns, const std::string& in) {
  const std::string what =
      c.number ? number_text(*c.number) : "repeated from " + source_text(c, m, nouns);
  return {array, "as computed", what + (in.empty() ? " everywhere" : " in " + in)};
}

}  // namespace

std::vector<explanation> contents_in_parts(const hypothesis& declared,
                                           std::span<const subject> subjects,
                                           std::span<const tensor_result> results) {
  explanation all{{}, declared, ""};
  extent_memory extents;
  for (std::size_t k = 0; k < subjects.size(); ++k) {
    if (!results[k].differs()) continue;
    const places& where = results[k].found.where;
    const prediction p(declared, subjects[k], extents);
    const std::string of = subjects.size() > 1 ? " of " + results[k].shown : "";
    const auto add = [&](const char* array, const std::optional<contents>& c,
                         const matrix_places& m, const grid_nouns& nouns, const std::string& in) {
      all.changes.push_back(change_of(array, *c, m, nouns, in));
      all.changes.back().found += of;
      all.where += (all.where.empty() ? "" : " and ") + (in.empty() ? "everything" : in) + of;
    };
    if (where.padding > 0) return {};
    if (where.codes.count > 0) {
      const auto codes = code_contents(p, where);
      if (!codes) return {};
      add("codes", codes, where.codes, {"row", "column"}, part_text(where, codes->in));
    }
    if (where.scales.count > 0) {
      const auto scales = scale_contents(p, where);
      if (!scales) return {};
      add("scales", scales, where.scales, nouns_of_scales(where),
          scale_part_text(where, scales->in));
    }
  }
  return {all};
}

}  // namespace golden::validator
