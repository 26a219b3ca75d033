// SPDX-License-Identifier: Apache-2.0
// golden/bindings/format_handle.cpp: formats from their spellings.
#include "golden/bindings/format_handle.h"

#include <algorithm>
#include <array>
#include <memory>

#include "golden/bindings/arguments.h"
#include "golden/bindings/option_words.h"
#include "mx/block/names.h"
#include "mx/presets/bulk_variants.h"

namespace bindings {
namespace {

constexpr std::array tensor_scale_table{
    mx::named<tensor_scale_source>{tensor_scale_source::chosen, "chosen", "from the largest"},
    mx::named<tensor_scale_source>{tensor_scale_source::given, "given", "by the caller"}};

const std::vector<std::string_view> format_options{"scale-rule",  "rounding", "seed",
                                                   "random-bits", "byte-map", "variant",
                                                   "packing",     "layout",   "tensor-scale"};

[[noreturn]] void refuse_format(const std::string& sentence) {
  throw refused(mx_status_unsupported, sentence);
}

mx::recipe_words recipe_words_in(const char* format, const option_words& words) {
  mx::recipe_words w;
  if (format != nullptr) w.format = format;
  w.scale_rule = words.value("scale-rule");
  w.rounding = words.value("rounding");
  w.byte_map = words.value("byte-map");
  w.variant = words.value("variant");
  w.packing = words.value("packing");
  w.layout = words.value("layout");
  w.seed = words.number("seed", 0, ~std::uint64_t{0});
  if (const auto bits = words.number("random-bits", 1, 24)) w.random_bits = static_cast<int>(*bits);
  return w;
}

mx::recipe recipe_spelled(const mx::recipe_words& words) {
  try {
    return mx::recipe_spelled(words);
  } catch (const mx::recipe_error& wrong) {
    const bool unknown = wrong.why() == mx::recipe_error::reason::unknown;
    std::string option = wrong.word();
    std::ranges::replace(option, '_', '-');
    const std::string prefix = option.empty() || unknown ? "" : option + ": ";
    throw refused(unknown ? mx_status_bad_name : mx_status_unsupported, prefix + wrong.what());
  }
}

/// Refuses orders in which no tensor can be stored; scales without storage may still be decomposed.
void expect_storable_order(const mx::recipe& r) {
  const mx::recipe_refusal why = mx::storage_refusal_of(r);
  if (why == mx::recipe_refusal::odd_halves || why == mx::recipe_refusal::wide_layout) {
    refuse_format(mx::sentence_of(r, why));
  }
}

void read_tensor_scale(const option_words& words, mx_format& f) {
  if (const auto source = words.value("tensor-scale")) {
    f.tensor_scale = spelled([&] {
      return static_cast<tensor_scale_source>(
          mx::value_named(tensor_scale_table, "tensor-scale", *source));
    });
  }
  if (!f.takes_tensor_scale()) return;
  if (!f.recipe.format().has_tensor_scale())
    refuse_format("tensor-scale=given: the format has no tensor scale");
  if (f.recipe.has_preset() || f.recipe.is_corrected()) {
    refuse_format("tensor-scale=given: variants and corrections choose it themselves");
  }
}

std::string scale_name(const mx::block_format& f) {
  const bool stored = f.precision != mx::scale_precision::exact;
  return stored ? mx::scale_format_name(f.scale) : "exact";
}

/// Whether a product reads codes and scales in place.
bool is_product_ready(const mx::recipe& r) {
  const mx::block_format& blocks = r.format();
  return !r.is_corrected() && blocks.rows == 1 && blocks.tensor != mx::tensor_scaling::per_row &&
         blocks.precision != mx::scale_precision::exact && blocks.scale.width() <= 8 &&
         r.layout == mx::scale_layout::linear && !r.is_dense() &&
         (!r.has_pairs() || r.codes.nibbles == mx::nibble_order::low_first);
}

mx_format_facts facts_of(const mx_format& f) {
  const mx::block_format& blocks = f.recipe.format();
  mx_format_facts made = {};
  made.element = f.element.c_str();
  made.scale = f.scale.c_str();
  made.code_bits = static_cast<std::uint32_t>(blocks.element.width());
  made.codes_a_byte = f.recipe.has_pairs() ? 2 : (f.recipe.is_dense() ? 0 : 1);
  made.scale_bytes = static_cast<std::uint32_t>(
      mx::sizes_of(blocks, mx::blocked_shape{}, mx::code_packing::unpacked).bytes_a_scale);
  made.block_rows = static_cast<std::uint32_t>(blocks.rows);
  made.block_columns = static_cast<std::uint32_t>(blocks.columns);
  made.product_ready = is_product_ready(f.recipe) ? 1 : 0;
  return made;
}

}  // namespace

const mx_format& format_of(const mx_format* handle) {
  require(handle != nullptr, "the format is null");
  return *handle;
}

}  // namespace bindings

mx_status mx_format_create(const char* format, const char* options, mx_format** made,
                           mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::clear_handle(made, "the address for the format is null");
    auto f = std::make_unique<mx_format>();
    const bindings::option_words words(options, bindings::format_options);
    f->recipe = bindings::recipe_spelled(bindings::recipe_words_in(format, words));
    if (f->recipe.has_preset() && !mx::is_decoder(mx::preset_of(f->recipe))) {
      bindings::refuse_format("this variant converts single elements only");
    }
    bindings::expect_storable_order(f->recipe);
    if (words.value("packing")) f->packing_source = bindings::packing_source::requested;
    bindings::read_tensor_scale(words, *f);
    f->spelling = mx::format_word(f->recipe);
    f->element = mx::number_format_name(f->recipe.format().element);
    f->scale = bindings::scale_name(f->recipe.format());
    *made = f.release();
  });
}

void mx_format_destroy(mx_format* format) { delete format; }

const char* mx_format_spelling(const mx_format* format) {
  return format == nullptr ? nullptr : format->spelling.c_str();
}

mx_status mx_format_describe(const mx_format* format, mx_format_facts* facts, mx_error* error) {
  return bindings::described(facts, error,
                             [&] { return bindings::facts_of(bindings::format_of(format)); });
}
