// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/corrected_verdict.cpp: quantizes again, under the declared options and others.
#include "sim/cli/verify/corrected_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "golden/validator/tensor/diagnosis_words.h"
#include "mx/block/names.h"
#include "sim/cli/verify/corrected_comparison.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
namespace gv = golden::validator;
using gv::dimension;

coded_tensor made_of(const declared_recipe& d, const io::tensor& x) {
  progress_bar silent("", 0);
  return coded(x, axes_of(x, d.axis, d.recipe), d.recipe, silent);
}

/// An alternative in one dimension.
struct other_option {
  gv::change change;
  std::function<void(declared_recipe&)> apply;
};
using option_list = std::vector<other_option>;

void append_rules(const declared_recipe& d, option_list& list) {
  for (const auto& entry : mx::scale_rule_table) {
    list.push_back({{dimension::scale_rule, scale_rule_name(d.recipe), std::string(entry.name)},
                    [rule = entry.value](declared_recipe& o) { o.recipe.rules.rule = rule; }});
  }
  for (const auto& entry : mx::rounding_table) {
    list.push_back({{dimension::element_rounding, rounding_name(d.recipe), std::string(entry.name)},
                    [how = entry.value](declared_recipe& o) { o.recipe.rules.rounding = how; }});
  }
}

void append_storage(const declared_recipe& d, const gv::hypothesis& r, option_list& list) {
  const auto name_in = [](const auto& table, auto value) {
    return std::string(table[static_cast<std::size_t>(value)].name);
  };
  for (const mx::nibble_order_entry& entry : mx::nibble_order_table) {
    if (d.recipe.codes.packing == mx::code_packing::unpacked) break;
    list.push_back(
        {{dimension::nibble_order, name_in(mx::nibble_order_table, d.recipe.codes.nibbles),
          std::string(entry.name)},
         [to = entry.value](declared_recipe& o) { o.recipe.codes.nibbles = to; }});
  }
  for (const mx::scale_layout_entry& entry : mx::scale_layout_table) {
    if (r.axis != 0 || r.format().scale.width() > 8) break;
    list.push_back({{dimension::scale_layout, name_in(mx::scale_layout_table, d.recipe.layout),
                     std::string(entry.name)},
                    [to = entry.value](declared_recipe& o) { o.recipe.layout = to; }});
  }
}

/// Omission of each correction.
void append_omissions(const declared_recipe& d, option_list& list) {
  const auto append = [&](const auto& omit) {
    declared_recipe without = d;
    omit(without.recipe);
    if (without.recipe == d.recipe) return;
    list.push_back(
        {{dimension::variant, mx::format_word(d.recipe), mx::format_word(without.recipe)},
         [omit](declared_recipe& o) { omit(o.recipe); }});
  };
  append([](mx::recipe& r) { r.passes = mx::passes::once; });
  append([](mx::recipe& r) { r.corrections.rotation = {}; });
  append([](mx::recipe& r) { r.corrections.gain = mx::pre_gain::one; });
  append([](mx::recipe& r) { r.corrections.macro_block = 0, r.corrections.macro_bits = 8; });
  append([](mx::recipe& r) {
    const mx::corrections none;
    r.corrections.fallback = none.fallback, r.corrections.alpha = none.alpha;
    r.corrections.score = none.score, r.corrections.threshold = none.threshold;
    r.corrections.granule = none.granule;
  });
}

bool is_possible(const mx::recipe& r) {
  return mx::refusal_of(r) == mx::recipe_refusal::none &&
         mx::storage_refusal_of(r) == mx::recipe_refusal::none;
}

bool is_zero(const io::tensor* t) {
  return t == nullptr ||
         std::all_of(t->bytes.begin(), t->bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

/// Whether these options reproduce the output; arrays that they do not write hold zeros.
bool gives_all(const declared_recipe& d, const verified_files& files) {
  return std::all_of(
      files.input.tensors().begin(), files.input.tensors().end(), [&](const io::tensor& x) {
        const found_arrays found{files, x.name};
        const coded_tensor made = made_of(d, x);
        const auto is_made = [&](const std::string& name) {
          return std::any_of(made.arrays.begin(), made.arrays.end(),
                             [&](const io::owned_tensor& a) { return a.name == name; });
        };
        for (const char* name : {"macro_fractions", "residual.codes"}) {
          if (!is_made(name) && !is_zero(found.of(name))) return false;
        }
        return std::all_of(made.arrays.begin(), made.arrays.end(),
                           [&](const io::owned_tensor& a) { return found.hold(a); });
      });
}

/// Requires the declared arrays.
///   returns  whether all of them have the declared sizes
bool have_sizes(const coded_tensor& made, const found_arrays& found) {
  bool same = true;
  for (const io::owned_tensor& a : made.arrays) {
    const io::tensor* array = found.of(a.name);
    if (array == nullptr) {
      throw io::file_error(
          found.files.output.path(),
          fmt::format("has no tensor {}; expected it as `mxprism quantize` writes it",
                      io::printable(found.tensor + "." + a.name)));
    }
    same = same && array->bytes.size() == a.bytes.view().size();
  }
  return same;
}

/// If no packing was specified, the number of codes decides it.
declared_recipe with_found_packing(const declared_recipe& declared, const verified_files& files) {
  if (declared.packing == packing_source::words || files.subjects.empty()) return declared;
  declared_recipe unpacked = declared;
  unpacked.recipe.codes.packing = mx::code_packing::unpacked;
  const io::tensor& x = files.input.tensors().front();
  const found_arrays found{files, x.name};
  const auto fits = [&](const declared_recipe& d) {
    const coded_tensor made = made_of(d, x);
    return made.arrays.front().bytes.view().size() == found.of("codes")->bytes.size();
  };
  return !fits(declared) && fits(unpacked) ? unpacked : declared;
}

/// Refuses arrays whose sizes no option explains.
void expect_sizes(const declared_recipe& d, const verified_files& files) {
  for (const io::tensor& x : files.input.tensors()) {
    const coded_tensor made = made_of(d, x);
    for (const io::owned_tensor& a : made.arrays) {
      const io::tensor* found = found_arrays{files, x.name}.of(a.name);
      const std::uint64_t size = a.bytes.view().size();
      if (found->bytes.size() == size) continue;
      throw io::file_error(files.output.path(), found->name,
                           fmt::format("has {} bytes; expected {}, and no known difference "
                                       "explains these",
                                       found->bytes.size(), size));
    }
  }
}

option_list options_beside(const declared_recipe& d, const gv::hypothesis& r) {
  option_list list;
  append_omissions(d, list);
  append_storage(d, r, list);
  append_rules(d, list);
  return list;
}

void explain(const declared_recipe& d, const verified_files& files, const gv::hypothesis& r,
             gv::diagnosis& result) {
  for (const other_option& option : options_beside(d, r)) {
    declared_recipe other = d;
    option.apply(other);
    if (option.change.expected == option.change.found || !is_possible(other.recipe)) continue;
    if (!gives_all(other, files)) continue;
    gv::explanation h{{option.change}, r};
    if (result.explanation) {
      result.ambiguous.push_back({std::move(h), {}});
    } else {
      result.explanation = std::move(h);
    }
  }
}

/// Applies where codes and scales are right and only unusable tensor scales differ.
void explain_unusable(const verified_files& files, const gv::hypothesis& r, gv::diagnosis& result) {
  const auto explained = [](const gv::tensor_result& t) {
    const gv::comparison& c = t.found;
    const bool alone = c.codes == 0 && c.scales == 0 && c.unusable && c.unusable->alone;
    return t.fits && (c.is_exact() || alone);
  };
  const auto& all = result.tensors;
  if (!std::all_of(all.begin(), all.end(), explained)) return;
  const std::size_t k = gv::first_differing(result);
  const std::string name = all.size() > 1 ? files.subjects[k].name : "";
  result.explanation = gv::explanation{{change_of(*all[k].found.unusable, r, name)}, r};
}

}  // namespace

bool is_corrected(const mx::recipe& r) { return !r.has_preset() && !r.is_plain(); }

gv::diagnosis diagnose_corrected(const declared_recipe& declared, const verified_files& files,
                                 const gv::hypothesis& r) {
  const declared_recipe d = with_found_packing(declared, files);
  gv::hypothesis padded = r;
  padded.recipe.codes.packing = d.recipe.codes.packing;
  gv::diagnosis result;
  for (std::size_t k = 0; k < files.subjects.size(); ++k) {
    const io::tensor& x = files.input.tensors()[k];
    const coded_tensor made = made_of(d, x);
    const found_arrays found{files, x.name};
    gv::tensor_result of_tensor;
    of_tensor.fits = have_sizes(made, found);
    if (of_tensor.fits) {
      of_tensor.found = compared_arrays(made, found, places_of(d, padded, files.subjects[k]));
    }
    const bool exact = of_tensor.fits && of_tensor.found.is_exact();
    if (!exact) result.verdict = gv::verdict::unexplained;
    result.tensors.push_back(std::move(of_tensor));
  }
  if (result.verdict == gv::verdict::exact) return result;
  explain_unusable(files, r, result);
  explain(d, files, r, result);
  if (result.explanation) {
    result.verdict = gv::verdict::explained;
  } else {
    expect_sizes(d, files);
  }
  return result;
}

}  // namespace sim::cli
