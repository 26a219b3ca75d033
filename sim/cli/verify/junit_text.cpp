// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/junit_text.cpp: verdicts as JUnit XML.
#include "sim/cli/verify/junit_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/figure_text.h"

namespace sim::cli {
namespace {

/// A line. `sim::escaped` shows control characters and invalid UTF-8, which XML cannot hold; two
/// noncharacters are left.
std::string escaped(std::string_view text) {
  std::string line = sim::escaped(text);
  for (const auto& [none, shown] : {std::pair{"\xEF\xBF\xBE", "\\xef\\xbf\\xbe"},
                                    std::pair{"\xEF\xBF\xBF", "\\xef\\xbf\\xbf"}}) {
    for (std::size_t at = 0; (at = line.find(none, at)) != std::string::npos;) {
      line.replace(at, 3, shown);
    }
  }
  return line;
}

/// The content of an element, which may have lines.
std::string escaped_lines(std::string_view text) {
  std::string lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines += escaped(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string case_text(const junit_case& one) {
  const std::string head = fmt::format("  <testcase classname=\"{}\" name=\"{}\"",
                                       escaped(one.classname), escaped(one.name));
  if (!one.failure) return head + "/>\n";
  return head +
         fmt::format(">\n    <failure type=\"{}\" message=\"{}\">{}</failure>\n  </testcase>\n",
                     escaped(one.failure->type), escaped(one.failure->message),
                     escaped_lines(one.failure->body));
}

}  // namespace

std::string junit_text(const std::string& suite, const std::vector<junit_case>& cases) {
  const auto failures =
      std::ranges::count_if(cases, [](const junit_case& c) { return c.failure.has_value(); });
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n",
      escaped(suite), cases.size(), failures);
  for (const junit_case& one : cases) text += case_text(one);
  return text + "</testsuite>\n";
}

}  // namespace sim::cli
