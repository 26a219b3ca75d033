// SPDX-License-Identifier: Apache-2.0
// tests/vectors/golden_words_test.cpp: golden/reference reproduces the bits of every committed
// word, read from the files by code independent of the writer.
#include <algorithm>

#include "catch.h"
#include "committed_words.h"
#include "golden/reference/device_models.h"
#include "golden/reference/formats.h"

namespace {

using golden::number_format;

const number_format& format_named(const std::string& name) {
  using namespace golden::formats;
  static const std::vector<const number_format*> others{&fp16(), &bf16(), &tf32(),
                                                        &fp32(), &e8m(0), &ue4m3()};
  for (const auto* list : {&elements(), &others}) {
    for (const number_format* each : *list) {
      if (each->name() == name) return *each;
    }
  }
  FAIL("no format " << name);
  return fp32();
}

std::string rule_of(const std::string& name) {
  if (name == "mxdotp.e2m1") return "mxdotp.l16";
  if (name == "mxdotp.e4m3") return "mxdotp.l8";
  return name;
}

golden::device_model model_of(const std::string& name, const test::operand_names& operands) {
  const golden::device_model* device = golden::find_device_model(name);
  if (device != nullptr) return *device;
  const bool scaled = operands.block > 0;
  const auto block = scaled ? std::optional<std::size_t>(operands.block) : std::nullopt;
  const auto model =
      golden::generic_model(rule_of(name), format_named(operands.a), format_named(operands.b),
                            scaled ? &format_named(operands.scale) : nullptr, block);
  INFO(name);
  REQUIRE(model.has_value());
  return *model;
}

bool has_operands(const golden::device_model& model, const test::operand_names& operands) {
  const golden::word_formats& own = model.formats;
  const std::string scale = own.scale == nullptr ? "" : own.scale->name();
  return own.a->name() == operands.a && own.b->name() == operands.b &&
         own.c->name() == operands.c && own.result().name() == operands.d &&
         scale == operands.scale &&
         model.block_size.value_or(0) == static_cast<std::size_t>(operands.block);
}

TEST_CASE("golden_gives_the_bits_of_every_committed_word") {
  for (const test::word_file& file : test::committed_words()) {
    for (const test::word_section& section : file.sections) {
      const golden::device_model model = model_of(file.model, section.operands);
      INFO(file.name);
      CHECK(has_operands(model, section.operands));
      for (const test::dot_word& word : section.words) {
        const std::uint32_t d =
            golden::dot(model, {word.a, word.b, word.c, word.scale_a, word.scale_b});
        INFO(file.name << ":" << word.line << ": " << word.label << std::hex << ": " << d
                       << " instead of " << word.d);
        CHECK(d == word.d);
      }
    }
  }
}

}  // namespace
