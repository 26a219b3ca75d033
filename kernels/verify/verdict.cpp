// SPDX-License-Identifier: Apache-2.0
// kernels/verify/verdict.cpp: the results of mx_verify, machine-readable.
#include "verdict.h"

#include <algorithm>

#include "expected_refusals.h"

namespace mx::kernels {
namespace {

/// The name of a figure as json_of(figure) begins.
std::string_view figure_name(std::string_view json) { return json.substr(0, json.find(", ")); }

/// The last ones of each name: a measure that ran again has several.
std::string figures_in(const verdict& found) {
  std::vector<std::string> last;
  for (const log_note& note : found.notes) {
    if (note.kind != "figure") continue;
    const auto earlier = std::find_if(last.begin(), last.end(), [&](const std::string& json) {
      return figure_name(json) == figure_name(note.text);
    });
    (earlier == last.end() ? last.emplace_back() : *earlier) = note.text;
  }
  std::string all;
  for (const std::string& json : last) all += (all.empty() ? "" : ", ") + json;
  return all;
}

/// The last one: a log that was continued has several.
std::string last_text_of(const verdict& found, std::string_view kind) {
  std::string last;
  for (const log_note& note : found.notes) {
    if (note.kind == kind) last = note.text;
  }
  return last;
}

std::string xml_of(const std::string& text) {
  std::string to;
  for (const char c : text) {
    switch (c) {
      case '&':
        to += "&amp;";
        break;
      case '<':
        to += "&lt;";
        break;
      case '>':
        to += "&gt;";
        break;
      case '"':
        to += "&quot;";
        break;
      default:
        // XML 1.0 has no other control characters.
        to += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? '?' : c;
    }
  }
  return to;
}

std::string element_text(const char* element, const case_record& r) {
  const std::string why = name_in(outcome_names, r.result) + (r.detail.empty() ? "" : ": ");
  return std::string("<") + element + " message=\"" + xml_of(why + r.detail) + "\"/>";
}

std::string junit_case(const verdict& found, const case_record& r) {
  const std::string head = "    <testcase classname=\"" + xml_of(r.group) + "\" name=\"" +
                           xml_of(r.name) + "\" time=\"" + std::to_string(r.seconds) + "\"";
  if (r.result == outcome::equal) return head + "/>\n";
  const char* element = r.result == outcome::different ? "failure" : "error";
  const bool is_rightly_refused = r.result == outcome::refused && !found.is_wrongly_refused(r);
  if (is_rightly_refused || r.result == outcome::unmeasured) element = "skipped";
  return head + ">" + element_text(element, r) + "</testcase>\n";
}

std::vector<std::string> groups_in(const std::vector<case_record>& records) {
  std::vector<std::string> groups;
  for (const case_record& r : records) {
    if (std::find(groups.begin(), groups.end(), r.group) == groups.end()) {
      groups.push_back(r.group);
    }
  }
  return groups;
}

}  // namespace

int verdict::count(outcome result) const {
  return static_cast<int>(
      std::count_if(records.begin(), records.end(),
                    [result](const case_record& r) { return r.result == result; }));
}

bool verdict::is_wrongly_refused(const case_record& r) const {
  return r.result == outcome::refused &&
         has_instructions(last_text_of(*this, "compute_capability"), instructions_of(r.name));
}

int verdict::unfinished() const {
  const auto refused = std::count_if(records.begin(), records.end(), [this](const case_record& r) {
    return is_wrongly_refused(r);
  });
  return count(outcome::failed) + count(outcome::timed_out) + count(outcome::crashed) +
         count(outcome::left_out) + static_cast<int>(missing.size()) + static_cast<int>(refused);
}

std::string json_of(const verdict& found) {
  const std::string device = last_text_of(found, "device");
  return "{" + device + (device.empty() ? "" : ", ") +
         "\"cases\": " + std::to_string(found.compared()) +
         ", \"different\": " + std::to_string(found.count(outcome::different)) +
         ", \"skipped\": " + std::to_string(found.count(outcome::refused)) +
         ", \"unfinished\": " + std::to_string(found.unfinished()) +
         ", \"unmeasured\": " + std::to_string(found.count(outcome::unmeasured)) +
         ", \"figures\": [" + figures_in(found) + "]}\n";
}

std::string junit_of(const verdict& found) {
  std::vector<case_record> all = found.records;
  all.insert(all.end(), found.missing.begin(), found.missing.end());
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const std::string& group : groups_in(all)) {
    text += "  <testsuite name=\"" + xml_of(group) + "\">\n";
    for (const case_record& r : all) {
      if (r.group == group) text += junit_case(found, r);
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

std::string text_of(const verdict& found, refused_by by) {
  const char* refused = by == refused_by::library
                            ? " were declined by the library\n"
                            : " are of instructions that this device, or code for it, lacks\n";
  std::string text = std::to_string(found.compared()) + " cases, " +
                     std::to_string(found.count(outcome::different)) + " differ, " +
                     std::to_string(found.count(outcome::refused)) + refused;
  const auto add = [&text](const case_record& r) {
    text += "  " + r.group + " " + r.name + ": " + name_in(outcome_names, r.result) +
            (r.detail.empty() ? "" : ": " + r.detail) + "\n";
  };
  for (const case_record& r : found.records) {
    if (r.result == outcome::unmeasured) add(r);
  }
  if (found.unfinished() == 0) return text;
  text += std::to_string(found.unfinished()) + " did not run to their end:\n";
  for (case_record r : found.records) {
    if (found.is_wrongly_refused(r)) r.detail = "this device has its instructions";
    if (is_breakdown(r.result) || found.is_wrongly_refused(r)) add(r);
  }
  const auto left_out = found.count(outcome::left_out) + static_cast<int>(found.missing.size());
  if (left_out > 0) text += "  " + std::to_string(left_out) + " more were left out after these\n";
  return text;
}

}  // namespace mx::kernels
