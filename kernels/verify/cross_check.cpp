// SPDX-License-Identifier: Apache-2.0
// kernels/verify/cross_check.cpp: the driver for all kinds of cases.
#include "cross_check.h"

#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <type_traits>

#include "bundle.h"
#include "case_kernels.h"
#include "case_places.h"

namespace mx::kernels {
namespace {

// Per kind of case: its inputs, its expected results, and the files written on a difference.
using bits = std::vector<std::uint32_t>;

const case_input& input_of(const golden_blocks& one) { return one.input; }
const product_input& input_of(const word_product& one) { return one.input; }

std::vector<named_bytes> expected_of(const kernel_case& one, const case_input& input) {
  return results_of_core(one, input);
}
bits expected_of(const product_case& one, const product_input& input) {
  return product_of_core(one, input);
}
bits expected_of(const corrected_case& one, const corrected_input& input) {
  return corrected_product_of_core(one, input);
}
bits expected_of(const value_case& one, const value_input& input) {
  return values_of_core(one, input);
}
bits expected_of(const grouped_case& one, const grouped_input& input) {
  return products_of_core(one, input);
}
const std::vector<named_bytes>& expected_of(const golden_blocks& one,
                                            const case_input& /*its own*/) {
  return one.expected;
}
bits expected_of(const word_product& one, const product_input& /*its own*/) {
  return expected_of(one);
}

std::string difference_text(const kernel_case& one, const std::vector<named_bytes>& expected,
                            const std::vector<named_bytes>& found) {
  return difference_between(one, expected, found);
}
std::string difference_text(const product_case& one, const bits& expected, const bits& found) {
  return difference_between(one.shape, expected, found);
}
std::string difference_text(const corrected_case& one, const bits& expected, const bits& found) {
  return difference_between(one, expected, found);
}
std::string difference_text(const value_case& one, const bits& expected, const bits& found) {
  return difference_between(one, expected, found);
}
std::string difference_text(const grouped_case& one, const bits& expected, const bits& found) {
  return difference_between(one, expected, found);
}
std::string difference_text(const golden_blocks& one, const std::vector<named_bytes>& /*its own*/,
                            const std::vector<named_bytes>& found) {
  return difference_between(one, found);
}
std::string difference_text(const word_product& one, const bits& expected, const bits& found) {
  return difference_between(one, expected, found);
}

/// A case that differs, with all data needed to explain it.
template <class Input, class Result>
struct finding {
  const std::filesystem::path& folder;
  const Input& input;
  const std::vector<Result>&expected, &found;
  const std::string& difference;
};

using array_finding = finding<case_input, named_bytes>;
using product_finding = finding<product_input, std::uint32_t>;
using corrected_finding = finding<corrected_input, std::uint32_t>;
using value_finding = finding<value_input, std::uint32_t>;
using grouped_finding = finding<grouped_input, std::uint32_t>;

void store(const kernel_case& one, const array_finding& f) {
  write_bundle(f.folder, one, f.input, f.found, f.difference);
}
void store(const product_case& one, const product_finding& f) {
  write_bundle(f.folder, one, f.input, f.found, first_difference(f.expected, f.found),
               f.difference);
}
void store(const corrected_case& one, const corrected_finding& f) {
  write_bundle(f.folder, one, f.input, f.found, f.difference);
}
void store(const value_case& one, const value_finding& f) {
  write_bundle(f.folder, one, f.input, f.found, f.difference);
}
/// The first product that differs, as a product alone is stored.
void store(const grouped_case& one, const grouped_finding& f) {
  const grouped_place at = first_difference(one, f.expected, f.found);
  const auto part = [&at](const bits& of) {
    const auto from = of.begin() + static_cast<std::ptrdiff_t>(at.first);
    return bits(from, from + static_cast<std::ptrdiff_t>(at.count));
  };
  write_bundle(f.folder / one.name, one.products[at.product], f.input.products[at.product],
               part(f.found), first_difference(part(f.expected), part(f.found)), f.difference);
}
void store(const golden_blocks& one, const array_finding& f) { store(one.one, f); }
void store(const word_product& one, const product_finding& f) { store(one.product, f); }

int stored_in(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) return 0;
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// Stores a case that differs, unless enough are; it differs also where it cannot be stored.
template <class Case, class Finding>
void store_or_tell(const Case& one, const Finding& f, const check_options& options) {
  try {
    if (stored_in(f.folder) < options.most_repros) store(one, f);
  } catch (const std::exception& error) {
    *options.out << name_of(one) << ": not stored: " << error.what() << "\n";
  }
}

/// A case's name without its kernel.
std::string product_of(const std::string& name) { return name.substr(0, name.rfind('.')); }

/// Expected results. Those of a product are kept for the case after it: a table has a product's
/// kernels one after another, and the core takes longer than any of them.
template <class Case>
class expectation {
 public:
  template <class Input>
  [[nodiscard]] decltype(auto) of(const Case& one, const Input& input) {
    if constexpr (std::is_same_v<Case, product_case>) {
      if (product_ != product_of(one.name)) {
        kept_ = expected_of(one, input);
        product_ = product_of(one.name);
      }
      return static_cast<const bits&>(kept_);
    } else {
      return expected_of(one, input);
    }
  }

 private:
  std::string product_;
  bits kept_;
};

template <class Case, class Answer>
case_result checked(const Case& one, const Answer& answer, const check_options& options,
                    expectation<Case>& core) {
  const auto& input = input_of(one);
  const auto found = answer(one, input);
  if (!found) return {outcome::refused, ""};
  const auto& expected = core.of(one, input);
  std::string difference = difference_text(one, expected, *found);
  if (difference.empty()) return {};
  *options.out << name_of(one) << ": " << difference << "\n";
  store_or_tell(one, finding{options.repro, input, expected, *found, difference}, options);
  return {outcome::different, std::move(difference)};
}

void count(tally& sum, outcome result) {
  sum.unanswered += result == outcome::refused ? 1 : 0;
  sum.cases += result == outcome::refused ? 0 : 1;
  sum.different += result == outcome::different ? 1 : 0;
}

template <class Case, class Answer>
tally check_all(const std::vector<Case>& cases, const Answer& answer,
                const check_options& options) {
  tally sum;
  expectation<Case> core;
  for (const Case& one : cases) {
    if (name_of(one).find(options.only) == std::string::npos) continue;
    if (options.progress != nullptr && !options.progress->begins(name_of(one), kernel_of(one))) {
      continue;
    }
    try {
      const case_result done = checked(one, answer, options, core);
      count(sum, done.result);
      if (options.progress != nullptr) options.progress->ends(done.result, done.difference);
    } catch (const std::exception& error) {
      if (options.progress != nullptr) options.progress->ends(outcome::failed, error.what());
      throw std::runtime_error(name_of(one) + ": " + error.what());
    }
  }
  return sum;
}

}  // namespace

tally& tally::operator+=(const tally& other) {
  cases += other.cases, different += other.different, unanswered += other.unanswered;
  return *this;
}

tally check(const std::vector<kernel_case>& cases, const backend& by,
            const check_options& options) {
  return check_all(cases, by.matrices, options);
}

tally check(const std::vector<product_case>& cases, const backend& by,
            const check_options& options) {
  return check_all(cases, by.products, options);
}

tally check(const std::vector<corrected_case>& cases, const backend& by,
            const check_options& options) {
  return check_all(cases, by.corrected, options);
}

tally check(const std::vector<value_case>& cases, const backend& by, const check_options& options) {
  const auto answer = [&by](const value_case& one,
                            const value_input& input) -> std::optional<bits> {
    if (!by.values) return std::nullopt;
    return by.values(one, input);
  };
  return check_all(cases, answer, options);
}

tally check(const std::vector<grouped_case>& cases, const backend& by,
            const check_options& options) {
  const auto answer = [&by](const grouped_case& one,
                            const grouped_input& input) -> std::optional<bits> {
    if (!by.groups) return std::nullopt;
    return by.groups(one, input);
  };
  return check_all(cases, answer, options);
}

tally check(const std::vector<golden_blocks>& cases, const backend& by,
            const check_options& options) {
  const auto answer = [&by](const golden_blocks& one, const case_input& input) {
    return by.matrices(one.one, input);
  };
  return check_all(cases, answer, options);
}

tally check(const std::vector<word_product>& cases, const backend& by,
            const check_options& options) {
  const auto answer = [&by](const word_product& one, const product_input& input) {
    return by.products(one.product, input);
  };
  return check_all(cases, answer, options);
}

}  // namespace mx::kernels
