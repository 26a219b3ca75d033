// SPDX-License-Identifier: Apache-2.0
// sim/study/study_key_names.cpp: see study_key_names.h.
#include "sim/study/study_key_names.h"

#include "sim/study/study_keys.h"

namespace sim {
namespace {

/// Collects names, as a visitor of visit_keys.
class name_collector {
 public:
  name_collector(std::vector<std::string>& names, std::string prefix)
      : names_(names), prefix_(std::move(prefix)) {}

  template <class... Rest>
  void value(std::string_view key, const Rest&... /*unused*/) {
    names_.push_back(prefix_ + std::string(key));
  }
  template <class... Rest>
  void word(std::string_view key, const Rest&... /*unused*/) {
    value(key);
  }
  template <class Value, class... Rest>
  void word_unless(const Value& /*unused*/, std::string_view key, const Rest&... /*unused*/) {
    value(key);
  }
  void file(std::string_view key, const std::string& /*unused*/) { value(key); }
  template <class Section>
  void table(std::string_view key, Section& section) {
    name_collector inner(names_, prefix_ + std::string(key) + ".");
    visit_keys(section, inner);
  }
  template <class Section>
  void tables(std::string_view key, std::map<std::string, Section>& /*unused*/) {
    value(key);
  }

 private:
  std::vector<std::string>& names_;
  std::string prefix_;
};

}  // namespace

std::vector<std::string> study_key_names() {
  std::vector<std::string> names;
  study s;
  name_collector all(names, "");
  visit_keys(s, all);
  all.table("run", s.run);
  return names;
}

}  // namespace sim
