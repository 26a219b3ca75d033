// SPDX-License-Identifier: Apache-2.0
// golden/bindings/format_handle.cpp: formats from their spellings.
#include "golden/bindings/format_handle.h"

#include <array>
#include <memory>

#include "golden/bindings/arguments.h"
#include "golden/bindings/option_words.h"
#include "mx/bulk_variants.h"
#include "mx/names.h"

namespace bindings {
namespace {

/// A way to pack codes.
struct packing_choice {
  mx::code_packing packing;
  mx::nibble_order order;
  friend constexpr bool operator==(const packing_choice&, const packing_choice&) = default;
};

constexpr std::array packing_table{
    mx::named<packing_choice>{
        {mx::code_packing::packed, mx::nibble_order::low_first}, "packed", "low nibble first"},
    mx::named<packing_choice>{
        {mx::code_packing::unpacked, mx::nibble_order::low_first}, "unpacked", "one a byte"},
    mx::named<packing_choice>{{mx::code_packing::packed, mx::nibble_order::high_first},
                              "high-first",
                              "high nibble first"},
    mx::named<packing_choice>{{mx::code_packing::packed, mx::nibble_order::split_half},
                              "split-half",
                              "codes j and j + K/2 of a block"}};

constexpr std::array tensor_scale_table{
    mx::named<tensor_scale_source>{tensor_scale_source::chosen, "chosen", "from the largest"},
    mx::named<tensor_scale_source>{tensor_scale_source::given, "given", "by the caller"}};

const std::vector<std::string_view> format_options{"scale-rule",  "rounding", "seed",
                                                   "random-bits", "byte-map", "variant",
                                                   "packing",     "layout",   "tensor-scale"};

template <class Table, class T>
T named_or(const Table& table, const option_words& words, std::string_view name, T otherwise) {
  const auto said = words.value(name);
  if (!said) return otherwise;
  return spelled([&] { return static_cast<T>(mx::value_named(table, name, *said)); });
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw refused(mx_status_unsupported, sentence);
}

/// A preset has its own rule and rounding.
void read_variant(const char* format, const option_words& words, mx_format& f) {
  for (const char* name : {"scale-rule", "rounding", "seed", "random-bits", "byte-map"}) {
    if (words.value(name)) refuse(std::string(name) + ": a variant has its own; leave it out");
  }
  f.variant = spelled([&] { return &mx::variant_spelled(*words.value("variant")); });
  f.spelled.format = spelled([&] {
    std::optional<mx::spelled_format> asked;
    if (format != nullptr) asked = mx::format_spelled(format);
    return mx::format_of_variant(*f.variant, asked);
  });
  if (!mx::is_decoder(*f.variant)) refuse("this variant converts single elements alone");
}

void read_rules(const char* format, const option_words& words, mx_format& f) {
  f.spelled = spelled([&] { return mx::format_spelled(format == nullptr ? "mxfp4" : format); });
  f.rule = named_or(mx::scale_rule_table, words, "scale-rule", mx::default_rule(f.blocks()));
  f.rounding = named_or(mx::rounding_table, words, "rounding", mx::rounding::ties_to_even);
  f.random = {words.number("seed", 0, ~std::uint64_t{0}).value_or(0),
              static_cast<int>(words.number("random-bits", 1, 24).value_or(8)),
              named_or(mx::byte_map_table, words, "byte-map", mx::byte_map::ptx)};
  const mx::refusal why = mx::refusal_of(f.quantizer());
  if (why != mx::refusal::none) refuse(mx::sentence_of(why));
  const mx::correction_refusal also = mx::refusal_of(f.quantizer(), f.spelled.corrections);
  if (also != mx::correction_refusal::none) refuse(mx::sentence_of(also));
  if (f.spelled.passes == mx::passes::twice && f.blocks().rows > 1) {
    refuse("tiles are the same along both axes, so +double has nothing to do");
  }
}

void read_storage(const option_words& words, mx_format& f) {
  const mx::nibble_order usual =
      f.variant != nullptr ? f.variant->about.packing : mx::nibble_order::low_first;
  const auto how =
      named_or(packing_table, words, "packing", packing_choice{mx::code_packing::packed, usual});
  f.packing = how.packing;
  if (words.value("packing")) f.packing_source = packing_source::asked;
  f.order = how.order;
  if (f.is_halved() && f.order == mx::nibble_order::split_half && f.blocks().columns % 2 != 0) {
    refuse("packing=split-half: blocks of an odd number have no halves");
  }
  f.layout = named_or(mx::scale_layout_table, words, "layout", mx::scale_layout::linear);
  if (f.layout != mx::scale_layout::linear && f.blocks().scale.width() > 8) {
    refuse("layout: it arranges scales of one byte; use linear");
  }
}

void read_tensor_scale(const option_words& words, mx_format& f) {
  f.tensor_scale = named_or(tensor_scale_table, words, "tensor-scale", tensor_scale_source::chosen);
  if (!f.takes_tensor_scale()) return;
  if (!f.blocks().has_tensor_scale()) refuse("tensor-scale=given: the format has none");
  if (f.variant != nullptr || f.is_corrected()) {
    refuse("tensor-scale=given: variants and corrections choose it themselves");
  }
}

std::string scale_name(const mx::block_format& f) {
  const bool stored = f.precision != mx::scale_precision::exact;
  return stored ? mx::scale_format_name(f.scale) : "exact";
}

/// Whether a product reads codes and scales where they are stored.
bool is_product_ready(const mx_format& f) {
  const mx::block_format& blocks = f.blocks();
  return !f.is_corrected() && blocks.rows == 1 && blocks.tensor != mx::tensor_scaling::per_row &&
         blocks.precision != mx::scale_precision::exact && blocks.scale.width() <= 8 &&
         f.layout == mx::scale_layout::linear &&
         (!f.is_halved() || f.order == mx::nibble_order::low_first);
}

mx_format_facts facts_of(const mx_format& f) {
  const mx::block_format& blocks = f.blocks();
  mx_format_facts made = {};
  made.element = f.element.c_str();
  made.scale = f.scale.c_str();
  made.code_bits = static_cast<std::uint32_t>(blocks.element.width());
  made.codes_a_byte = f.is_halved() ? 2 : 1;
  made.scale_bytes = static_cast<std::uint32_t>(
      mx::sizes_of(blocks, mx::blocked_shape{}, mx::code_packing::unpacked).bytes_a_scale);
  made.block_rows = static_cast<std::uint32_t>(blocks.rows);
  made.block_columns = static_cast<std::uint32_t>(blocks.columns);
  made.product_ready = is_product_ready(f) ? 1 : 0;
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
    bindings::require(made != nullptr, "there is no place for the format");
    *made = nullptr;
    auto f = std::make_unique<mx_format>();
    const bindings::option_words words(options, bindings::format_options);
    if (words.value("variant")) {
      bindings::read_variant(format, words, *f);
    } else {
      bindings::read_rules(format, words, *f);
    }
    bindings::read_storage(words, *f);
    bindings::read_tensor_scale(words, *f);
    f->spelling = mx::spelling_of(f->spelled);
    f->element = mx::number_format_name(f->blocks().element);
    f->scale = bindings::scale_name(f->blocks());
    *made = f.release();
  });
}

void mx_format_destroy(mx_format* format) { delete format; }

const char* mx_format_spelling(const mx_format* format) {
  return format == nullptr ? nullptr : format->spelling.c_str();
}

mx_status mx_format_describe(const mx_format* format, mx_format_facts* facts, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::write(facts, bindings::facts_of(bindings::format_of(format)), "mx_format_facts");
  });
}
