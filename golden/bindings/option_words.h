// SPDX-License-Identifier: Apache-2.0
// golden/bindings/option_words.h: words NAME=VALUE separated by blanks.
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
  /// Parses a text; null is an empty one.
  ///   names   accepted names
  ///   errors  mx_status_bad_name for a word without `=`, an unknown name and a repeated one
  option_words(const char* text, const std::vector<std::string_view>& names);

  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  /// An integer from `first` to `last`.
  [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name, std::uint64_t first,
                                                    std::uint64_t last) const;

 private:
  void add(std::string_view word, const std::vector<std::string_view>& names);

  std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace bindings
