// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/option_words_fuzz.cpp: any text as the words of the C ABI: a line with the name of a
// format or of a model, then a line of options.
#include <string>
#include <string_view>

#include "mxprism/mxprism.h"
#include "require.h"

namespace {

using fuzz::require;

bool is_refusal_of_words(mx_status status) {
  return status == mx_status_bad_name || status == mx_status_unsupported;
}

/// A message buffer shorter than most messages, so that they are truncated.
struct short_place {
  char text[40] = {};
  mx_error error = {text, sizeof text, 0};
};

void check_status(mx_status status, const void* made, const short_place& message) {
  const bool done = status == mx_status_ok;
  require(done == (made != nullptr), "there is a handle where nothing was refused");
  require(done || is_refusal_of_words(status), "words are refused as words");
  require((message.error.length == 0) == done, "a refusal says why");
  const std::size_t shown = std::string_view(message.text, sizeof message.text).find('\0');
  require(shown <= message.error.length && shown < sizeof message.text, "it ends inside its place");
}

void check_format(const char* name, const char* options) {
  short_place message;
  mx_format* made = nullptr;
  const mx_status status = mx_format_create(name, options, &made, &message.error);
  check_status(status, made, message);
  if (made == nullptr) return;
  mx_format* again = nullptr;
  mx_format_facts facts = {};
  facts.struct_size = sizeof facts;
  require(mx_format_describe(made, &facts, nullptr) == mx_status_ok, "a format has facts");
  require(facts.code_bits > 0 && facts.block_rows > 0 && facts.block_columns > 0, "they are sane");
  require(mx_format_create(mx_format_spelling(made), nullptr, &again, nullptr) == mx_status_ok,
          "the spelling of a format is taken");
  require(std::string(mx_format_spelling(again)) == mx_format_spelling(made), "it is the same");
  mx_format_destroy(again);
  mx_format_destroy(made);
}

void check_model(const char* name, const char* options) {
  short_place message;
  mx_model* made = nullptr;
  const mx_status status = mx_model_create(name, options, &made, &message.error);
  check_status(status, made, message);
  mx_model_destroy(made);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const std::size_t line = text.find('\n');
  const std::string name = text.substr(0, line);
  const std::string options = line == std::string::npos ? "" : text.substr(line + 1);
  check_format(name.c_str(), options.c_str());
  check_model(name.c_str(), options.c_str());
  return 0;
}
