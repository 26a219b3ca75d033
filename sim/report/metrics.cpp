// SPDX-License-Identifier: Apache-2.0
// sim/report/metrics.cpp: reads the rows of metrics.jsonl and looks them up.
#include "sim/report/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "golden/io/file.h"
#include "sim/study/shallow_json.h"

namespace sim {
namespace {

using nlohmann::json;

constexpr std::array<const char*, cells> term_names{"",           "moebius.S",  "moebius.D",
                                                    "moebius.SD", "moebius.G",  "moebius.SG",
                                                    "moebius.DG", "moebius.SDG"};
constexpr std::array<const char*, 3> shapley_names{"shapley.S", "shapley.D", "shapley.G"};

/// One line of the file, for messages.
struct place {
  std::string file;
  std::size_t line;
};

[[noreturn]] void fail(const place& at, const std::string& field, const std::string& expected) {
  throw report_error("{}:{}: field '{}': expected {}; is the run complete?", at.file, at.line,
                     field, expected);
}

/// A value as written in the file, or its beginning.
std::string words_of(const json& value) {
  constexpr std::size_t longest = 80;
  const std::string text = value.dump();
  return text.size() <= longest ? text : golden::io::printable(text);
}

std::string text_field(const json& object, const place& at, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) fail(at, name, "a string, found nothing");
  if (found->is_null()) return "";
  if (found->is_number_integer()) return found->dump();
  if (!found->is_string()) fail(at, name, "a string, found " + words_of(*found));
  return found->get<std::string>();
}

std::optional<long long> integer_field(const json& object, const place& at, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return {};
  if (!found->is_number_integer()) fail(at, name, "an integer or null, found " + words_of(*found));
  return found->get<long long>();
}

std::optional<double> number_from_text(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "nan" || text == "-nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf" || text == "infinity" || text == "+inf") return infinity;
  if (text == "-inf" || text == "-infinity") return -infinity;
  return {};
}

std::optional<double> number_field(const json& object, const place& at, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return {};
  if (found->is_number()) return found->get<double>();
  if (found->is_string()) {
    if (const auto number = number_from_text(found->get<std::string>())) return number;
  }
  fail(at, name, "a number or \"NaN\", \"Inf\", \"-Inf\", found " + words_of(*found));
}

json object_in(std::string_view line, const place& at) {
  std::string why;
  try {
    json value = shallow_json<json>(line);
    if (value.is_object()) return value;
  } catch (const json_error& e) {
    why = fmt::format(" ({})", e.what());
  }
  throw report_error("{}:{}: expected one JSON object{}; is the file truncated?", at.file, at.line,
                     why);
}

metric_row row_of(std::string_view line, const place& at) {
  const json object = object_in(line, at);
  metric_row row;
  row.phase = text_field(object, at, "phase");
  row.arm = text_field(object, at, "arm");
  row.step = integer_field(object, at, "step");
  row.outliers = integer_field(object, at, "outliers");
  row.passes = text_field(object, at, "passes");
  row.layer = text_field(object, at, "layer");
  row.metric = text_field(object, at, "metric");
  const auto value = number_field(object, at, "value");
  if (!value) fail(at, "value", "a number, found nothing");
  row.value = *value;
  row.standard_error = number_field(object, at, "standard_error");
  return row;
}

void add_unless_known(std::vector<std::string>& list, const std::string& name) {
  if (std::ranges::find(list, name) == list.end()) list.push_back(name);
}

}  // namespace

metrics::metrics(std::vector<metric_row> rows) : rows_(std::move(rows)) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const metric_row& row = rows_[i];
    index_[fmt::format("{}|{}|{}", row.phase, row.arm, row.metric)].push_back(i);
  }
}

std::vector<const metric_row*> metrics::rows_of(std::string_view phase, std::string_view arm,
                                                std::string_view metric) const {
  std::vector<const metric_row*> result;
  const auto found = index_.find(fmt::format("{}|{}|{}", phase, arm, metric));
  if (found == index_.end()) return result;
  for (const std::size_t i : found->second) result.push_back(&rows_[i]);
  return result;
}

std::vector<std::string> metrics::arms(std::string_view phase) const {
  std::vector<std::string> result;
  for (const metric_row& row : rows_) {
    if (row.phase == phase && row.arm != "factorial") add_unless_known(result, row.arm);
  }
  return result;
}

std::vector<std::string> metrics::layers(std::string_view metric) const {
  std::vector<std::string> result;
  for (const metric_row& row : rows_) {
    if (row.phase == "frozen" && row.metric == metric) add_unless_known(result, row.layer);
  }
  return result;
}

std::vector<long long> metrics::outliers() const {
  std::set<long long> result;
  for (const metric_row& row : rows_) {
    if (row.phase == "frozen" && row.outliers) result.insert(*row.outliers);
  }
  return {result.begin(), result.end()};
}

std::optional<estimate> metrics::frozen(std::string_view arm, std::string_view metric,
                                        const frozen_place& place) const {
  const auto found = index_.find(fmt::format("{}|{}|{}", place.phase, arm, metric));
  if (found == index_.end()) return {};
  for (const std::size_t i : found->second) {
    const metric_row& row = rows_[i];
    if (row.outliers.value_or(1) != place.outliers) continue;
    if (!place.passes.empty() && row.passes != place.passes) continue;
    if (!place.layer.empty() && row.layer != place.layer) continue;
    return estimate{row.value, row.standard_error.value_or(0)};
  }
  return {};
}

curve metrics::along(std::string_view phase, std::string_view arm, std::string_view metric) const {
  const auto found = index_.find(fmt::format("{}|{}|{}", phase, arm, metric));
  if (found == index_.end()) return {};
  std::map<long long, double> by_step;
  for (const std::size_t i : found->second) {
    if (rows_[i].step) by_step[*rows_[i].step] = rows_[i].value;
  }
  curve result;
  for (const auto& [step, value] : by_step) {
    result.steps.push_back(static_cast<double>(step));
    result.values.push_back(value);
  }
  return result;
}

paired_curves at_common_steps(const curve& first, const curve& second) {
  paired_curves result;
  const auto take = [](const curve& from, std::size_t i, curve& to) {
    to.steps.push_back(from.steps[i]);
    to.values.push_back(from.values[i]);
  };
  for (std::size_t i = 0, j = 0; i < first.steps.size() && j < second.steps.size();) {
    if (first.steps[i] == second.steps[j]) {
      take(first, i++, result.first);
      take(second, j++, result.second);
    } else if (first.steps[i] < second.steps[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

std::optional<factorial<estimate>> metrics::terms(std::string_view figure, std::string_view meaning,
                                                  long long outliers) const {
  bool complete = true;
  const auto term = [&](const char* name) {
    const auto found =
        frozen("factorial", fmt::format("{}.{}.{}", figure, meaning, name), {.outliers = outliers});
    complete = complete && found.has_value();
    return found.value_or(estimate{});
  };
  factorial<estimate> result;
  for (std::size_t t = 1; t < cells; ++t) result.moebius[t] = term(term_names[t]);
  for (std::size_t i = 0; i < 3; ++i) result.shapley[i] = term(shapley_names[i]);
  result.total = term("total");
  result.non_additivity = term("non_additivity");
  return complete ? std::optional{result} : std::nullopt;
}

namespace {

/// Upper limit of the file size, above that of studies of thousands of steps.
constexpr std::uint64_t longest_metrics = std::uint64_t{1} << 30;

std::string text_of(const std::string& path) {
  try {
    return golden::io::read_text(path, longest_metrics);
  } catch (const golden::io::file_error& e) {
    throw report_error("{}; expected the metrics of a run, which `mxprism train` writes", e.what());
  }
}

}  // namespace

metrics read_metrics(const std::filesystem::path& file) {
  const std::string text = text_of(file.string());
  std::vector<metric_row> rows;
  std::size_t begin = 0;
  for (std::size_t number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    rows.push_back(row_of(line, {file.string(), number}));
  }
  if (rows.empty()) throw report_error("{}: expected at least one row, found none", file.string());
  return metrics(std::move(rows));
}

}  // namespace sim
