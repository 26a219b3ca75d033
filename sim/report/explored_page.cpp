// SPDX-License-Identifier: Apache-2.0
// sim/report/explored_page.cpp: see explored_page.h.
#include "sim/report/explored_page.h"

#include <fmt/format.h>

namespace sim {
namespace {

// Beside the page's own style.
constexpr const char* added_style = R"(
.tools{display:flex;flex-wrap:wrap;gap:6px;align-items:baseline;font-size:13px;margin:4px 0}
.tools button,.explored th button{font:inherit;color:var(--k2);background:none;border:0;
  padding:0 4px;cursor:pointer}
.explored th button{font-weight:600;color:var(--quiet);padding:0}
.explored th[aria-sort=ascending] button::after{content:" \25B2"}
.explored th[aria-sort=descending] button::after{content:" \25BC"}
.tools button:hover,.explored th button:hover{text-decoration:underline}
.tools input{font:inherit;color:var(--ink);background:var(--ground);border:1px solid var(--rule);
  border-radius:6px;padding:3px 8px;width:min(100%,340px)}
.explored .scroll{max-height:80vh;overflow:auto}
.explored thead th{position:sticky;top:0;background:var(--ground);z-index:1}
.marks{overflow-x:auto}.marks svg{min-width:520px}
circle[data-p]{fill-opacity:.75;cursor:pointer}
circle[data-p]:hover{stroke:var(--ink);stroke-width:2;fill-opacity:1}
circle.away{opacity:.07;pointer-events:none}
.details{position:fixed;z-index:2;max-width:min(340px,calc(100vw - 8px));max-height:80vh;
  overflow:auto;background:var(--soft);border:1px solid var(--rule);border-radius:8px;
  padding:6px 10px;font-size:12.5px;pointer-events:none}
.details[hidden]{display:none}
.details dl{display:grid;grid-template-columns:auto 1fr;gap:0 10px;margin:0}
.details dt{color:var(--quiet)}.details dd{margin:0;overflow-wrap:anywhere}
@media print{.tools,.details{display:none}.explored .scroll{max-height:none}}
)";

}  // namespace

std::string explored_table(const html_table& table) {
  return fmt::format("<div class=\"explored\">\n{}</div>\n", table.html());
}

std::string explored_page(std::string_view title, const std::string& body) {
  return html_page(title, fmt::format("<style>{}</style>\n{}<script>{}</script>\n", added_style,
                                      body, explored_page_script()));
}

}  // namespace sim
