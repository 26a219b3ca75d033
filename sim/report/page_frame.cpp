// SPDX-License-Identifier: Apache-2.0
// sim/report/page_frame.cpp: see page_frame.h.
#include "sim/report/page_frame.h"

#include <fmt/format.h>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {

std::string fact(std::string_view name, const std::string& value) {
  return fmt::format("<li><b>{}</b> {}</li>\n", name, value);
}

std::string policy_facts(const study& s) {
  return fact("policy", fmt::format("{} parameters (width {}, {} layers, {} heads, {} key-value "
                                    "heads of {}, hidden {}, vocabulary {})",
                                    grouped_text(parameters_of(s.policy)), s.policy.width,
                                    s.policy.layers, s.policy.heads, s.policy.kv_heads,
                                    s.policy.head_width, s.policy.hidden, s.policy.vocabulary)) +
         fact("task", words_of_task(s.task));
}

std::string name_of(const study& s) { return s.name.empty() ? "unnamed" : s.name; }

std::string framed_body(const std::string& head, const std::vector<named_section>& sections) {
  std::string links, body;
  for (const named_section& s : sections) {
    links += fmt::format("<a href=\"#{}\">{}</a>\n", s.id, s.name);
    body += s.html;
  }
  return head + "<nav>" + links + "</nav>\n" + body;
}

std::string framed_page(std::string_view title, const std::string& head,
                        const std::vector<named_section>& sections) {
  return html_page(title, framed_body(head, sections));
}

}  // namespace sim
