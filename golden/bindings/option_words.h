// SPDX-License-Identifier: Apache-2.0
// golden/bindings/option_words.h: words NAME=VALUE with blanks between them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bindings {

class option_words {
 public:
  /// Reads a text; null is one without words.
  ///   names   that there are
  ///   errors  mx_status_bad_name where a word is none, is not among the names, or comes twice
  option_words(const char* text, const std::vector<std::string_view>& names);

  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  /// A whole number from `first` to `last`.
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name, std::uint64_t first,
                                                    std::uint64_t last) const;

 private:
  void add(std::string_view word, const std::vector<std::string_view>& names);

  std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace bindings
