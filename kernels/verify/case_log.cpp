// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_log.cpp: the log's lines, written and read.
#include "case_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace mx::kernels {
namespace {

std::string escaped(const std::string& text) {
  std::string to;
  for (const char c : text) {
    if (c == '\\' || c == '\t' || c == '\n') to += '\\';
    to += c == '\t' ? 't' : (c == '\n' ? 'n' : c);
  }
  return to;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      fields.emplace_back();
    } else if (line[i] == '\\' && i + 1 < line.size()) {
      const char c = line[++i];
      fields.back() += c == 't' ? '\t' : (c == 'n' ? '\n' : c);
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

std::optional<outcome> outcome_of(const std::string& name) {
  for (const auto& [value, text] : outcome_names) {
    if (name == text) return value;
  }
  return {};
}

std::optional<double> seconds_in(const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_all = error == std::errc() && end == text.data() + text.size();
  return is_all && std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

}  // namespace

case_log::case_log(std::filesystem::path path, unended_case last) : path_(std::move(path)) {
  read();
  out_.open(path_, std::ios::binary | std::ios::app);
  if (!out_.good()) throw std::runtime_error(path_.string() + ": cannot be written");
  if (!current_) return;
  if (last == unended_case::crashed) {
    end(outcome::crashed, 0, "the process ended within this case");
  } else {
    append({"cut", current_->group, current_->name});
    current_.reset();
  }
}

void case_log::read() {
  std::ifstream in(path_, std::ios::binary);
  std::string line;
  // A line without its end was cut off while it was written.
  for (std::size_t n = 1; std::getline(in, line) && !in.eof(); ++n) take(fields_of(line), n);
  const bool is_cut = in.eof() && !line.empty();
  in.close();
  if (is_cut) std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - line.size());
}

void case_log::take(const std::vector<std::string>& fields, std::size_t line) {
  const std::string& kind = fields.front();
  if (kind == "begin" && fields.size() == 4) {
    current_ = {fields[1], fields[2], {}, 0, {}, fields[3]};
    return;
  }
  if (kind == "again" && fields.size() == 3) {
    erase(fields[1], fields[2]);
    return;
  }
  if (kind == "cut" && fields.size() == 3) {
    current_.reset();
    return;
  }
  if (kind == "note" && fields.size() == 3) {
    notes_.push_back({fields[1], fields[2]});
    return;
  }
  const bool is_end = kind == "end" && fields.size() == 6;
  const auto result = is_end ? outcome_of(fields[3]) : std::nullopt;
  const auto seconds = is_end ? seconds_in(fields[4]) : std::nullopt;
  if (!result || !seconds) {
    throw std::runtime_error(path_.string() + ": line " + std::to_string(line) +
                             " is not of a log of cases; name another file by --log FILE");
  }
  records_.push_back({fields[1], fields[2], *result, *seconds, fields[5],
                      current_ ? current_->kernel : std::string()});
  current_.reset();
}

void case_log::erase(const std::string& group, const std::string& name) {
  std::erase_if(records_, [&](const case_record& r) { return r.name == name && r.group == group; });
}

bool case_log::has(std::string_view group, std::string_view name) const {
  return std::any_of(records_.begin(), records_.end(),
                     [&](const case_record& r) { return r.name == name && r.group == group; });
}

bool case_log::lacks_result(std::string_view group, std::string_view name) const {
  return std::any_of(records_.begin(), records_.end(), [&](const case_record& r) {
    return r.name == name && r.group == group && !is_final(r.result);
  });
}

int case_log::breakdowns(std::string_view group, std::string_view kernel) const {
  return static_cast<int>(
      std::count_if(records_.begin(), records_.end(), [&](const case_record& r) {
        return is_breakdown(r.result) && r.group == group && r.kernel == kernel;
      }));
}

int case_log::timeouts(std::string_view kernel) const {
  return static_cast<int>(std::count_if(
      records_.begin(), records_.end(),
      [&](const case_record& r) { return r.result == outcome::timed_out && r.kernel == kernel; }));
}

void case_log::append(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : "\t") + escaped(field);
  out_ << line << '\n' << std::flush;
  if (!out_.good()) throw std::runtime_error(path_.string() + ": cannot be written");
}

void case_log::begin(const std::string& group, const std::string& name, const std::string& kernel) {
  const std::lock_guard lock(writing_);
  current_ = {group, name, {}, 0, {}, kernel};
  append({"begin", group, name, kernel});
}

void case_log::end(outcome result, double seconds, const std::string& detail) {
  const std::lock_guard lock(writing_);
  if (!current_) return;
  current_->result = result, current_->seconds = seconds, current_->detail = detail;
  append({"end", current_->group, current_->name, name_in(outcome_names, result),
          seconds_text(seconds), detail});
  records_.push_back(*current_);
  current_.reset();
}

void case_log::leave_out(const std::string& group, const std::string& name,
                         const std::string& kernel, const std::string& why) {
  begin(group, name, kernel);
  end(outcome::left_out, 0, why);
}

void case_log::forget(const std::string& group, const std::string& name) {
  const std::lock_guard lock(writing_);
  append({"again", group, name});
  erase(group, name);
}

void case_log::note(const std::string& kind, const std::string& text) {
  const std::lock_guard lock(writing_);
  append({"note", kind, text});
  notes_.push_back({kind, text});
}

}  // namespace mx::kernels
