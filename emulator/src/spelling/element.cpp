// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/element.cpp: elements as words, parsed and printed: e2m1, e3m1@4, e3m3fn,
// int6.
#include <algorithm>

#include "mx/block/names.h"
#include "spelling/parts.h"
#include "spelling/words.h"

namespace mx::spelling {
namespace {

bool is_element(const format& f) {
  const bool has_inf = f.specials == specials::ieee;
  // Each field first: their sum may exceed an int.
  return f.exponent_bits >= 1 && f.exponent_bits <= 6 && f.fraction_bits >= 0 &&
         f.fraction_bits <= 6 && f.width() <= 8 && f.width() >= 3 && f.bias >= -32 &&
         f.bias <= 64 && (!has_inf || (f.exponent_bits >= 2 && f.fraction_bits >= 1));
}

specials specials_spelled(std::string_view suffix, std::string_view part) {
  if (suffix.empty()) return specials::none;
  if (suffix == "fn") return specials::top_code;
  if (suffix == "ieee") return specials::ieee;
  if (suffix == "fnuz") return specials::fnuz;
  refuse(part, "nothing, fn, ieee or fnuz at its end");
}

constexpr std::string_view element_grammar =
    "an element format such as e2m1, e3m1, e3m1@4, e3m3fn or int6, of 3 to 8 bits";

/// The bias where none is spelled: 2^(X-1) - 1, as in IEEE 754; of fnuz 2^(X-1), as in both of its
/// published formats.
int usual_bias(const format& f) {
  return (1 << (f.exponent_bits - 1)) - (f.specials == specials::fnuz ? 0 : 1);
}

format integer_spelled(std::string_view text) {
  std::string_view rest = text.substr(3);
  int width = 0;
  if (!take_number(rest, width) || !rest.empty() || width < 3 || width > 8) {
    refuse(text, element_grammar);
  }
  return {1, width - 2, 1, specials::none, signedness::with_sign, sign_form::twos_complement};
}

// eXmY with the default bias, or another after an @.
format element_of_bits(std::string_view text) {
  std::string_view rest = text;
  format f{0, 0, 0};
  if (!take(rest, "e") || !take_number(rest, f.exponent_bits) || !take(rest, "m") ||
      !take_number(rest, f.fraction_bits) || f.exponent_bits < 1 || f.exponent_bits > 6) {
    refuse(text, element_grammar);
  }
  const bool has_bias = take(rest, "@");
  if (has_bias && !take_number(rest, f.bias)) refuse(text, element_grammar);
  f.specials = specials_spelled(rest, text);
  if (!has_bias) f.bias = usual_bias(f);
  if (!is_element(f)) refuse(text, element_grammar);
  return f;
}

}  // namespace

format element_spelled(std::string_view text) {
  for (const auto& entry : element_format_table) {
    if (entry.name == text) return entry.value;
  }
  return text.substr(0, 3) == "int" ? integer_spelled(text) : element_of_bits(text);
}

}  // namespace mx::spelling

namespace mx {

std::string spelling_of(const format& element) {
  const std::string_view known = name_in(element_format_table, element);
  if (!known.empty()) return std::string(known);
  if (element.sign_form == sign_form::twos_complement)
    return "int" + std::to_string(element.width());
  std::string text =
      "e" + std::to_string(element.exponent_bits) + "m" + std::to_string(element.fraction_bits);
  // The default bias is omitted, unless the bare text is the name of another format.
  format usual = element;
  usual.bias = spelling::usual_bias(element);
  const bool taken = element.specials == specials::none &&
                     std::any_of(element_format_table.begin(), element_format_table.end(),
                                 [&](const auto& entry) { return entry.name == text; });
  if (!(usual == element) || taken) text += "@" + std::to_string(element.bias);
  if (element.specials == specials::top_code) text += "fn";
  if (element.specials == specials::ieee) text += "ieee";
  if (element.specials == specials::fnuz) text += "fnuz";
  return text;
}

}  // namespace mx
