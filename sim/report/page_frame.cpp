// SPDX-License-Identifier: Apache-2.0
// sim/report/page_frame.cpp: see page_frame.h.
#include "sim/report/page_frame.h"

#include <fmt/format.h>

#include "golden/io/counted.h"
#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/run_data.h"

namespace sim {

std::string fact(std::string_view name, const std::string& value) {
  return fmt::format("<li><b>{}</b> {}</li>\n", name, value);
}

std::string shape_fact(const policy_shape& p) {
  const std::string experts =
      p.has_experts() ? fmt::format("{} of {} experts, each ", p.experts.chosen, p.experts.count)
                      : "";
  return fact("policy", fmt::format("{} parameters (width {}, {}, {}, {} of {}, {}hidden {}, "
                                    "vocabulary {})",
                                    grouped_text(parameters_of(p)), p.width,
                                    golden::io::counted(p.layers, "layer"),
                                    golden::io::counted(p.heads, "head"),
                                    golden::io::counted(p.kv_heads, "key-value head"), p.head_width,
                                    experts, p.hidden, p.vocabulary));
}

std::string policy_facts(const study& s) {
  return shape_fact(s.policy) + fact("task", words_of_task(s.task));
}

std::string name_of(const study& s) { return s.name.empty() ? "unnamed" : s.name; }

std::string framed_page(std::string_view title, const std::string& head,
                        const std::vector<named_section>& sections) {
  std::string links, body;
  for (const named_section& s : sections) {
    links += fmt::format("<a href=\"#{}\">{}</a>\n", s.id, s.name);
    body += s.html;
  }
  return html_page(title, head + "<nav>" + links + "</nav>\n" + body);
}

std::string titled_page(std::string_view title, std::string_view source,
                        const std::vector<named_section>& sections) {
  return framed_page(
      title, fmt::format("<h1>{}</h1>\n{}", escaped(title), paragraph(escaped(source))), sections);
}

}  // namespace sim
