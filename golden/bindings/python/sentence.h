// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/sentence.h: sentences of errors, with the names that the package has.
#pragma once
#include <array>
#include <string>
#include <string_view>

namespace python {

/// What the C ABI, and the command, call otherwise than the package, whose parameters are
/// identifiers.
struct renamed {
  std::string_view there, here;
};
inline constexpr std::array renamed_parameters{
    renamed{"scale-rule", "scale_rule"},      renamed{"random-bits", "random_bits"},
    renamed{"byte-map", "byte_map"},          renamed{"tensor-scale=given", "tensor_scale"},
    renamed{"tensor_scales", "tensor_scale"}, renamed{"a-format", "a_format"},
    renamed{"b-format", "b_format"},          renamed{"scale-format", "scale_format"}};

/// Whether a name stands alone, and not in backquotes, which hold the caller's own words.
inline bool is_name(std::string_view sentence, std::size_t first, std::size_t size) {
  constexpr std::string_view within =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-`";
  const std::size_t end = first + size;
  const bool begins = first == 0 || within.find(sentence[first - 1]) == within.npos;
  return begins && (end == sentence.size() || within.find(sentence[end]) == within.npos);
}

/// A sentence of the C ABI, or of the rules below it, about the package's parameters.
inline std::string in_package_names(std::string sentence) {
  for (const renamed& name : renamed_parameters) {
    std::size_t at = 0;
    while ((at = sentence.find(name.there, at)) != std::string::npos) {
      const bool replaced = is_name(sentence, at, name.there.size());
      if (replaced) sentence.replace(at, name.there.size(), name.here);
      at += replaced ? name.here.size() : name.there.size();
    }
  }
  return sentence;
}

}  // namespace python
