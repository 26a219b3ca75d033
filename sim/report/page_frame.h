// SPDX-License-Identifier: Apache-2.0
// sim/report/page_frame.h: what all pages share: facts at the top, links to the sections.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/study.h"

namespace sim {

/// A section as HTML, its id and its name in the navigation.
struct named_section {
  std::string_view id, name;
  std::string html;
};

/// One of a list of facts. value: HTML
[[nodiscard]] std::string fact(std::string_view name, const std::string& value);
/// Of a policy.
[[nodiscard]] std::string shape_fact(const policy_shape& p);
/// Of policy and task.
[[nodiscard]] std::string policy_facts(const study& s);
/// Its name as plain text, or "unnamed".
[[nodiscard]] std::string name_of(const study& s);

/// A page with links to its sections. title: plain text; head: HTML before the links
[[nodiscard]] std::string framed_page(std::string_view title, const std::string& head,
                                      const std::vector<named_section>& sections);

/// The same under a heading, with a line that says what it is of. title, source: plain text
[[nodiscard]] std::string titled_page(std::string_view title, std::string_view source,
                                      const std::vector<named_section>& sections);

}  // namespace sim
