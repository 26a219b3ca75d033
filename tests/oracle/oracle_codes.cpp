// SPDX-License-Identifier: Apache-2.0
// tests/oracle/oracle_codes.cpp: conversions of mx/number/element.h for programs in other
// languages.
//   oracle_codes FORMAT decode               writes the FP32 bits of every code, in their order
//   oracle_codes FORMAT ROUNDING OVERFLOW    reads FP32 bits, writes their codes
//   oracle_codes FORMAT stochastic:N OVERFLOW   reads pairs of FP32 bits and N random bits
//   oracle_codes FORMAT preset:NAME          reads FP32 bits, writes the codes of a third-party
//                                            conversion to an element or to E8M0
// Every number read or written is a 32-bit word in the machine's order of bytes.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "mx/presets/element_variants.h"

namespace {

using mx::format;
using mx::overflow;
using mx::rounding;
using mx::specials;

template <class Value>
struct named {
  std::string_view name;
  Value value;
};

// The last three are third-party formats, which the core does not name.
constexpr named<format> format_names[] = {
    {"e2m1", mx::formats::e2m1},
    {"e2m3", mx::formats::e2m3},
    {"e3m2", mx::formats::e3m2},
    {"e4m3", mx::formats::e4m3},
    {"e5m2", mx::formats::e5m2},
    {"int8", mx::formats::int8},
    {"e4m3fnuz", mx::formats::e4m3fnuz},
    {"e5m2fnuz", mx::formats::e5m2fnuz},
    {"e8m0", mx::formats::e8m0},
    {"binary16", mx::formats::binary16},
    {"bfloat16", mx::formats::bfloat16},
    {"e4m3ieee", {4, 3, 7, specials::ieee}},
    {"e3m4ieee", {3, 4, 3, specials::ieee}},
    {"e4m3b11fnuz", {4, 3, 11, specials::fnuz}},
};

constexpr named<rounding> rounding_names[] = {
    {"ties-to-even", rounding::ties_to_even},         {"ties-away", rounding::ties_away},
    {"ties-toward-zero", rounding::ties_toward_zero}, {"toward-zero", rounding::toward_zero},
    {"away-from-zero", rounding::away_from_zero},     {"stochastic", rounding::stochastic},
};

constexpr named<overflow> overflow_names[] = {{"saturate", overflow::saturate},
                                              {"infinity", overflow::to_infinity}};

template <class Value, std::size_t Count>
std::optional<Value> find(const named<Value> (&names)[Count], std::string_view name) {
  for (const auto& entry : names) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

bool write_words(const std::vector<std::uint32_t>& words) {
  return std::fwrite(words.data(), sizeof(words[0]), words.size(), stdout) == words.size();
}

bool decode_all(const format& f) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t code = 0; code < std::uint32_t{1} << f.width(); ++code) {
    values.push_back(mx::bits_of(mx::to_binary32(mx::decode(f, code))));
  }
  return write_words(values);
}

/// Codes of the words on standard input.
///   words  read for each code: FP32 bits, then random bits, if any
///   code   function of these words
template <class Code>
bool encode_input(std::size_t words, const Code& code) {
  std::array<std::uint32_t, std::size_t{1} << 16> input;
  std::size_t count = 0;
  while ((count = std::fread(input.data(), 4 * words, input.size() / words, stdin)) > 0) {
    std::vector<std::uint32_t> codes;
    for (std::size_t i = 0; i < count * words; i += words) codes.push_back(code(&input[i]));
    if (!write_words(codes)) return false;
  }
  return std::ferror(stdin) == 0;
}

bool encode_rounded(const format& f, rounding mode, int random_bits, overflow beyond) {
  return encode_input(random_bits > 0 ? 2 : 1, [&](const std::uint32_t* words) {
    const mx::rounder how =
        random_bits > 0 ? mx::rounder(random_bits, words[1]) : mx::rounder(mode);
    return mx::encode(f, mx::unpack(mx::float_of(words[0])), how, beyond);
  });
}

bool encode_by_preset(const format& f, std::string_view name) {
  if (f == mx::formats::e8m0) {
    for (const mx::e8m0_conversion& c : mx::e8m0_conversions::table) {
      if (c.name != name) continue;
      return encode_input(1, [&](const std::uint32_t* words) -> std::uint32_t {
        return mx::convert(c, mx::float_of(words[0]));
      });
    }
    return false;
  }
  for (const mx::element_variant& v : mx::element_variant_table) {
    if (v.about.name != name) continue;
    return encode_input(1, [&](const std::uint32_t* words) {
      return mx::converted(f, v.element, mx::float_of(words[0]));
    });
  }
  return false;
}

bool run(std::string_view format_name, std::string_view work, std::string_view overflow_name) {
  const auto f = find(format_names, format_name);
  if (!f) return false;
  if (work == "decode") return decode_all(*f);
  const auto colon = work.find(':');
  const std::string_view detail = colon == work.npos ? "" : work.substr(colon + 1);
  if (work.starts_with("preset:")) return encode_by_preset(*f, detail);
  const auto mode = find(rounding_names, work.substr(0, colon));
  const auto beyond = find(overflow_names, overflow_name);
  const bool stochastic = mode == rounding::stochastic;
  const int bits = detail.empty() ? 0 : std::atoi(detail.data());
  if (!mode || !beyond || stochastic != (bits >= 1 && bits <= 24)) return false;
  return encode_rounded(*f, *mode, bits, *beyond);
}

}  // namespace

int main(int count, char** words) {
  if (count >= 3 && run(words[1], words[2], count > 3 ? words[3] : "")) return 0;
  std::fprintf(stderr, "oracle_codes: bad arguments or input; see the head of its source\n");
  return 2;
}
