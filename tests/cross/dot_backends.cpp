// SPDX-License-Identifier: Apache-2.0
// tests/cross/dot_backends.cpp: table of all backends that must give golden's dot products.
#include "dot_backends.h"

#include "mx/dot/bulk_dot.h"
#include "mx/dot/bulk_gemm.h"
#include "mx/dot/mma.h"
#include "mx/dot/record.h"
#include "mx/tensor/bulk.h"

namespace cross {
namespace {

using words = std::span<const dot_word>;
using results = std::vector<std::uint32_t>;

template <class One>
results each(words all, const One& one) {
  results found;
  for (const dot_word& word : all) found.push_back(one(word));
  return found;
}

using operand = mx::dot_operand<std::uint32_t, std::uint32_t>;

operand operand_of(const std::vector<std::uint32_t>& codes,
                   const std::vector<std::uint32_t>& scales) {
  return {{codes.data()}, {scales.empty() ? nullptr : scales.data()}};
}

results core_results(const dot_twins& twins, words all) {
  return each(all, [&](const dot_word& w) {
    return mx::dot(twins.core, operand_of(w.a, w.scale_a), operand_of(w.b, w.scale_b), w.size(),
                   w.c);
  });
}

results observed_results(const dot_twins& twins, words all) {
  return each(all, [&](const dot_word& w) {
    mx::step_observer observer;
    return mx::dot_observed(twins.core, operand_of(w.a, w.scale_a), operand_of(w.b, w.scale_b),
                            w.size(), w.c, observer);
  });
}

// A word as a row of A times the second of two columns of B; the first holds other codes.
results column_results(const dot_twins& twins, words all) {
  return each(all, [&](const dot_word& w) {
    std::vector<std::uint32_t> b, scale_b;
    for (const std::uint32_t code : w.b) b.insert(b.end(), {~code, code});
    for (const std::uint32_t code : w.scale_b) scale_b.insert(scale_b.end(), {~code, code});
    const mx::mma_operand<std::uint32_t, std::uint32_t> second{
        {b.data() + 1, 0, 2}, {scale_b.empty() ? nullptr : scale_b.data() + 1, 0, 2}};
    const operand row = operand_of(w.a, w.scale_a);
    return mx::mma_element(twins.core, w.size(),
                           mx::mma_operand<std::uint32_t, std::uint32_t>{{row.codes.first, 0, 1},
                                                                         {row.scales.first, 0, 1}},
                           second, w.c, 0, 0);
  });
}

// --- whole products ---

/// Lines of codes of all words, one after another.
struct stored_lines {
  std::vector<std::uint8_t> bytes, scales;
  mx::code_storage storage = mx::code_storage::bytes;
  std::int64_t line_bytes = 0;

  [[nodiscard]] mx::gemm_operand operand() const {
    return {bytes.data(), storage, line_bytes, scales.empty() ? nullptr : scales.data()};
  }
};

mx::code_storage storage_of(const dot_twins& twins) {
  const int width = std::max(twins.core.a.width(), twins.core.b.width()) + twins.core.unread_bits;
  if (width > 16) return mx::code_storage::words;
  return width > 8 ? mx::code_storage::halves : mx::code_storage::bytes;
}

void append(stored_lines& to, const std::vector<std::uint32_t>& codes) {
  const std::size_t first = to.bytes.size();
  if (to.storage == mx::code_storage::pairs) {
    to.bytes.resize(first + (codes.size() + 1) / 2);
    for (std::size_t k = 0; k < codes.size(); ++k) {
      to.bytes[first + k / 2] |= static_cast<std::uint8_t>(codes[k] << k % 2 * 4);
    }
  } else {
    const int width = 1 << (static_cast<int>(to.storage) - 1);
    for (const std::uint32_t code : codes) {
      for (int i = 0; i < width; ++i) to.bytes.push_back(static_cast<std::uint8_t>(code >> 8 * i));
    }
  }
  to.line_bytes = static_cast<std::int64_t>(to.bytes.size() - first);
}

// Every word's a against every word's b; the words themselves are on the diagonal.
results diagonal(const dot_twins& twins, words all, mx::code_storage storage) {
  mx::gemm_plan plan{.model = twins.core};
  if (mx::refusal_of(plan) == mx::gemm_refusal::c_format) return core_results(twins, all);
  stored_lines a{{}, {}, storage}, b{{}, {}, storage};
  const auto n = static_cast<std::int64_t>(all.size());
  results c(all.size() * all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    append(a, all[i].a);
    append(b, all[i].b);
    a.scales.insert(a.scales.end(), all[i].scale_a.begin(), all[i].scale_a.end());
    b.scales.insert(b.scales.end(), all[i].scale_b.begin(), all[i].scale_b.end());
    c[i * all.size() + i] = all[i].c;
  }
  plan.output = twins.core.sum.result;
  results d(c.size());
  mx::gemm(plan, {n, n, all.front().size()}, a.operand(), b.operand(), c.data(), d.data());
  results found;
  for (std::size_t i = 0; i < all.size(); ++i) found.push_back(d[i * all.size() + i]);
  return found;
}

/// Models whose whole products have kernels of their own.
bool has_kernel(const dot_twins& twins) {
  const mx::dot_model& m = twins.core;
  if (m.a != mx::formats::e2m1 || m.b != mx::formats::e2m1) return false;
  for (const char* name :
       {"fp32.sequential", "blackwell.mxf4", "blackwell.mxf4nvf4", "blackwell.mxf4nvf4.ue8m0"}) {
    if (m == mx::model_named(name)->model) return true;
  }
  return false;
}

results one_by_one(const dot_twins& twins, words all) {
  if (twins.core.block > 0 && twins.core.scale.width() > 8) return {};
  results found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    found.push_back(diagonal(twins, all.subspan(i, 1), storage_of(twins)).front());
  }
  return found;
}

results together(const dot_twins& twins, words all, mx::code_storage storage,
                 const std::string& instructions, const std::string& dot_instruction) {
  if (!has_kernel(twins)) return {};
  mx::use_instruction_set(instructions);
  mx::use_dot_instruction(dot_instruction);
  results found = diagonal(twins, all, storage);
  mx::use_dot_instruction("");
  mx::use_instruction_set("");
  return found;
}

/// Words of a model in bulk, one after another.
template <class Code>
results all_words(const dot_twins& twins, words all) {
  std::vector<Code> a, b;
  std::vector<std::uint8_t> scale_a, scale_b;
  results c, d(all.size());
  for (const dot_word& w : all) {
    const auto append = [](auto& to, const std::vector<std::uint32_t>& from) {
      for (const std::uint32_t code : from) {
        to.push_back(static_cast<typename std::decay_t<decltype(to)>::value_type>(code));
      }
    };
    append(a, w.a), append(b, w.b), append(scale_a, w.scale_a), append(scale_b, w.scale_b);
    c.push_back(w.c);
  }
  const auto scales = [&](const std::vector<std::uint8_t>& of) {
    return of.empty() ? nullptr : of.data();
  };
  mx::dot_all(twins.core, mx::dot_words<Code>{
                              static_cast<std::int64_t>(all.size()), all.front().size(), a.data(),
                              b.data(), scales(scale_a), scales(scale_b), c.data(), d.data()});
  return d;
}

/// Words in bulk on an instruction set, in the storage that their codes need.
results in_lanes(const dot_twins& twins, words all, const std::string& instructions) {
  const mx::dot_model& m = twins.core;
  if (m.block > 0 && m.scale.width() > 8) return {};
  mx::use_instruction_set(instructions);
  results found;
  const mx::code_storage storage = storage_of(twins);
  if (storage == mx::code_storage::words) {
    found = all_words<std::uint32_t>(twins, all);
  } else if (storage == mx::code_storage::halves) {
    found = all_words<std::uint16_t>(twins, all);
  } else {
    found = all_words<std::uint8_t>(twins, all);
  }
  mx::use_instruction_set("");
  return found;
}

std::vector<dot_backend> make_dot_backends() {
  std::vector<dot_backend> table{{"mx::dot", core_results},
                                 {"mx::dot_observed", observed_results},
                                 {"mx::mma", column_results},
                                 {"mx::gemm", one_by_one}};
  for (const std::string& set : mx::instruction_sets()) {
    mx::use_instruction_set(set);
    std::vector<std::string> ways = mx::dot_instructions();
    mx::use_instruction_set("");
    table.push_back({"mx::dot_all, " + set,
                     [=](const dot_twins& twins, words all) { return in_lanes(twins, all, set); }});
    if (ways.empty()) ways.emplace_back();
    for (const std::string& way : ways) {
      for (const auto storage : {mx::code_storage::pairs, mx::code_storage::bytes}) {
        const char* stored = storage == mx::code_storage::pairs ? "two a byte" : "bytes";
        table.push_back({"mx::gemm, " + set + " " + way + ", " + stored,
                         [=](const dot_twins& twins, words all) {
                           return together(twins, all, storage, set, way);
                         }});
      }
    }
  }
  return table;
}

}  // namespace

std::uint32_t golden_dot(const dot_twins& twins, const dot_word& word) {
  return golden::dot(twins.reference, {word.a, word.b, word.c, word.scale_a, word.scale_b});
}

const std::vector<dot_backend>& dot_backends() {
  static const std::vector<dot_backend> table = make_dot_backends();
  return table;
}

}  // namespace cross
