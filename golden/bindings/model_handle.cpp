// SPDX-License-Identifier: Apache-2.0
// golden/bindings/model_handle.cpp: models from their spellings.
#include "golden/bindings/model_handle.h"

#include <memory>
#include <vector>

#include "golden/bindings/option_words.h"
#include "mx/dot/accumulation.h"
#include "mx/dot/mixed_models.h"
#include "mx/spelling.h"

namespace bindings {
namespace {

const std::vector<std::string_view> model_options{"a-format", "b-format", "scale-format", "block"};
constexpr std::uint64_t largest_block = std::uint64_t{1} << 20;

[[noreturn]] void refuse_model(const std::string& sentence) {
  throw refused(mx_status_unsupported, sentence);
}

/// A format named by the options.
std::optional<mx::format> format_in(const option_words& words, std::string_view name) {
  const auto word = words.value(name);
  if (!word) return {};
  return spelled([&] {
    return name == "scale-format" ? mx::scale_format_spelled(*word)
                                  : mx::number_format_spelled(*word);
  });
}

mx::product_formats of_any(const mx::named_model& entry, const option_words& words) {
  const auto a = format_in(words, "a-format"), b = format_in(words, "b-format");
  const auto scale = format_in(words, "scale-format");
  const auto block = words.number("block", 0, largest_block);
  if (!a || !b) {
    refuse_model(std::string(entry.name) +
                 " takes any operands; name them by a-format and b-format");
  }
  if (scale.has_value() != (block.value_or(0) > 0)) {
    refuse_model("scale-format and block are given together, and a block has at least 1 element");
  }
  if (scale && scale->width() > 8) refuse_model("scale-format: a product takes scales of one byte");
  return {*a, *b, scale, static_cast<int>(block.value_or(0))};
}

mx::product_formats of_model(const mx::named_model& entry, const option_words& words) {
  const mx::dot_model& own = entry.model;
  const mx::product_formats f{format_in(words, "a-format").value_or(own.a),
                              format_in(words, "b-format").value_or(own.b),
                              {},
                              own.block};
  for (const std::string& why :
       {mx::refusal_of(entry, own.a, f.a), mx::refusal_of(entry, own.b, f.b)}) {
    if (!why.empty()) refuse_model(why);
  }
  const auto scale = format_in(words, "scale-format");
  const auto block = words.number("block", 0, largest_block);
  const auto own_block = static_cast<std::uint64_t>(own.block);
  const bool same =
      (!scale || (own.block > 0 && *scale == own.scale)) && block.value_or(own_block) == own_block;
  if (!same) refuse_model(std::string(entry.name) + " has scales and blocks of its own");
  return f;
}

std::unique_ptr<mx_model> made_of(const char* name, const option_words& words) {
  const mx::named_model& entry = *spelled([&] { return &mx::model_spelled(name); });
  const bool any = entry.operands == mx::operands::any;
  const mx::product_formats formats = any ? of_any(entry, words) : of_model(entry, words);
  auto m = std::make_unique<mx_model>();
  try {
    m->model = mx::model_for(entry, formats);
  } catch (const std::invalid_argument& wrong) {
    refuse_model(wrong.what());
  }
  const mx::named_model* pair = mx::model_of_formats(entry, formats.a, formats.b);
  const mx::named_model& described = any || pair == nullptr ? entry : *pair;
  m->name = described.name;
  m->evidence = mx::name_of(described.rests_on);
  m->source = described.source;
  m->doubts = described.doubts;
  return m;
}

}  // namespace

const mx::dot_model& model_of(const mx_model* handle) {
  require(handle != nullptr, "the model is null");
  return handle->model;
}

int code_bits(const mx::dot_model& model, const mx::format& f) noexcept {
  return f.width() + model.unread_bits;
}

std::uint64_t code_bytes(const mx::dot_model& model, const mx::format& f) noexcept {
  const int bits = code_bits(model, f);
  return bits <= 8 ? 1 : (bits <= 16 ? 2 : 4);
}

std::uint64_t blocks_of(const mx::dot_model& model, std::uint64_t k) noexcept {
  if (model.block == 0) return 0;
  const auto block = static_cast<std::uint64_t>(model.block);
  return k / block + (k % block != 0 ? 1 : 0);
}

std::uint32_t code_at(const void* codes, std::uint64_t index, std::uint64_t bytes) {
  const auto* first = static_cast<const unsigned char*>(codes) + index * bytes;
  if (bytes == 1) return *first;
  std::uint16_t half = 0;
  std::uint32_t word = 0;
  std::memcpy(bytes == 2 ? static_cast<void*>(&half) : &word, first, bytes);
  return bytes == 2 ? half : word;
}

void expect_narrow(const void* codes, std::uint64_t count, std::uint64_t bytes, int bits,
                   const char* name) {
  if (static_cast<std::uint64_t>(bits) >= 8 * bytes) return;
  bool wide = false;
  for (std::uint64_t i = 0; i < count; ++i) wide |= code_at(codes, i, bytes) >> bits != 0;
  if (!wide) return;
  throw refused(mx_status_bad_argument,
                std::string(name) + ": one has more than " + std::to_string(bits) + " bits");
}

}  // namespace bindings

mx_status mx_model_create(const char* name, const char* options, mx_model** made, mx_error* error) {
  return bindings::guarded(error, [&] {
    bindings::clear_handle(made, "the address for the model is null");
    bindings::require(name != nullptr, "the name of the model is null");
    const bindings::option_words words(options, bindings::model_options);
    *made = bindings::made_of(name, words).release();
  });
}

void mx_model_destroy(mx_model* model) { delete model; }

mx_status mx_model_describe(const mx_model* model, mx_model_facts* facts, mx_error* error) {
  return bindings::described(facts, error, [&] {
    const mx::dot_model& m = bindings::model_of(model);
    mx_model_facts made = {};
    made.name = model->name.c_str();
    made.evidence = model->evidence.c_str();
    made.source = model->source.c_str();
    made.doubts = model->doubts.c_str();
    made.a_code_bytes = static_cast<std::uint32_t>(bindings::code_bytes(m, m.a));
    made.b_code_bytes = static_cast<std::uint32_t>(bindings::code_bytes(m, m.b));
    made.block = static_cast<std::uint32_t>(m.block);
    made.result_bits = static_cast<std::uint32_t>(m.sum.result.width());
    made.addend_bits = static_cast<std::uint32_t>(mx::format_of_c(m.sum).width());
    return made;
  });
}
