// SPDX-License-Identifier: Apache-2.0
// sim/report/style_sheet.cpp: the style of the page: light, dark and printed.
#include "sim/report/style_sheet.h"

#include <fmt/format.h>

#include <array>

#include "sim/report/svg.h"

namespace sim {
namespace {

// Colours after Okabe and Ito, lighter on a dark background; dashes distinguish lines in grey too.
constexpr const char* rules = R"(
:root{color-scheme:light dark;--ground:#fff;--ink:#1c1f24;--quiet:#5b6470;--rule:#e3e6ea;
  --soft:#f5f6f8;
--k0:#1c1f24;--k1:#d1480b;--k2:#0a6ebd;--k3:#0b8f69;--k4:#b5519a;--k5:#b07d00;--k6:#2fa4d9;
  --k7:#6b4fb3;--k8:#7a7f87}
@media (prefers-color-scheme:dark){:root{--ground:#14171b;--ink:#e8eaed;--quiet:#a3abb5;
  --rule:#2d333b;--soft:#1d2127;
--k0:#f2f3f5;--k1:#ff8350;--k2:#5fb0f5;--k3:#3fcf9f;--k4:#ec92d3;--k5:#e5b53c;--k6:#8fd6f7;
  --k7:#b39df0;--k8:#a3abb5}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);
  font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1240px;margin:0 auto;padding:24px 28px 60px}
h1{font-size:26px;margin:0 0 4px;line-height:1.2}
h2{font-size:20px;margin:44px 0 10px;padding-top:14px;border-top:2px solid var(--rule)}
h3{font-size:16px;margin:22px 0 6px}
h4{font-size:14px;margin:14px 0 4px}
p{margin:6px 0 10px;max-width:86em}
code{font:13px ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.note,.caption{color:var(--quiet);font-size:13.5px}
.facts{display:flex;flex-wrap:wrap;gap:4px 26px;margin:10px 0 6px;padding:0;list-style:none;
  font-size:14px}
.facts b{font-weight:600}
nav{font-size:14px;margin:8px 0 0}
p a{color:var(--k2)}
nav a{color:var(--k2);margin-right:16px;text-decoration:none}
nav a:hover{text-decoration:underline}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(350px,1fr));gap:16px;
  margin:14px 0}
.card{background:var(--soft);border:1px solid var(--rule);border-radius:8px;
  padding:4px 16px 10px;font-size:14px}
.card h3{margin-top:10px;font-size:17px}
.card .further{font-size:13.5px;border-top:1px solid var(--rule);margin-top:10px;padding-top:4px}
.chip{display:inline-block;padding:0 8px;border-radius:9px;border:1px solid;font-size:12.5px;
  line-height:1.5;margin:1px 0}
.yes{color:var(--k3)}.against{color:var(--k1)}.open{color:var(--k5)}.no{color:var(--quiet)}
.cause{font-weight:600}.quiet{color:var(--quiet)}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(360px,1fr));gap:8px 14px;
  align-items:start}
.wide{grid-template-columns:repeat(auto-fit,minmax(520px,1fr))}
.scroll{overflow-x:auto;margin:6px 0 14px}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:3px 9px;text-align:right;border-bottom:1px solid var(--rule);vertical-align:top}
td{white-space:nowrap}
#arms td{white-space:normal;text-align:left}
thead th{font-weight:600;color:var(--quiet);vertical-align:bottom}
td small{color:var(--quiet);font-size:11px}
td .range{display:block}
.panels th,.panels td{padding:2px 5px;font-size:12.5px}
.panels td small{font-size:10.5px}
tbody th{font-weight:500;text-align:left;white-space:nowrap}
thead th:first-child{text-align:left}
.card table{width:100%;font-size:12.5px}
.card th,.card td{padding:3px 3px}
.card td{white-space:normal}
.card tbody th small{color:var(--quiet);font-size:11px;font-weight:400}
#arms thead th{text-align:left}
tbody tr:hover{background:var(--soft)}
.card tbody tr:hover{background:none}
details{margin:8px 0}
summary{cursor:pointer;color:var(--k2);font-size:14px}
svg{width:100%;height:auto;display:block;margin:4px 0 10px}
svg text{font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
  fill:var(--quiet);font-variant-numeric:tabular-nums}
svg .title{font-size:13.5px;font-weight:600;fill:var(--ink)}
svg .name{font-size:12.5px;fill:var(--ink)}
svg .small{font-size:10.5px}
svg .label{font-size:12px;font-weight:500}
svg .cell{fill:var(--ink);pointer-events:none}
.heat{display:grid;gap:4px 14px;align-items:start}
.grid,.row{stroke:var(--rule);stroke-width:1}
.axis{stroke:var(--quiet);stroke-width:1}
.leader{stroke:var(--rule);stroke-width:1}
.curve{fill:none;stroke-width:1.9;stroke-linejoin:round}
.band{fill-opacity:.13}
.shade{fill:var(--rule)}
.intervals{font-size:13px;margin:4px 0 10px;max-width:430px}
.intervals p{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 14px;margin:0;
  border-top:1px solid var(--rule);padding-top:2px}
.intervals p span:last-child{font-variant-numeric:tabular-nums;white-space:nowrap}
.intervals small,p small{color:var(--quiet)}
.intervals svg{margin:0}
.ring{fill:var(--ground);stroke-width:1.7}
.whisker{stroke-width:1.5;stroke-dasharray:none!important}
.tools{display:flex;flex-wrap:wrap;gap:6px;align-items:baseline;font-size:13px;margin:4px 0}
.tools button,thead button{font:inherit;color:var(--k2);background:none;border:0;padding:0 4px;
  cursor:pointer}
thead button{font-weight:600;color:var(--quiet);padding:0;text-align:inherit}
[aria-sort=ascending] button::after{content:" \25B2"}
[aria-sort=descending] button::after{content:" \25BC"}
.tools button:hover,thead button:hover{text-decoration:underline}
.tools input{font:inherit;color:var(--ink);background:var(--ground);border:1px solid var(--rule);
  border-radius:6px;padding:3px 8px;width:min(100%,340px)}
.explored .scroll{max-height:80vh;overflow:auto}
.explored thead th{position:sticky;top:0;background:var(--ground);z-index:1}
.marks{overflow-x:auto}.marks svg{min-width:520px}
circle[data-p]{fill-opacity:.75;cursor:pointer}
circle[data-p]:hover{stroke:var(--ink);stroke-width:2;fill-opacity:1}
circle.away{opacity:.07;pointer-events:none}
text[role=button]{cursor:pointer}
svg .off{opacity:.1}text.off{opacity:.45}
.details{position:fixed;z-index:2;max-width:min(340px,calc(100vw - 8px));max-height:80vh;
  overflow:auto;background:var(--soft);border:1px solid var(--rule);border-radius:8px;
  padding:6px 10px;font-size:12.5px;pointer-events:none}
.details[hidden]{display:none}
.details dl{display:grid;grid-template-columns:auto 1fr;gap:0 10px;margin:0}
.details dt{color:var(--quiet)}.details dd{margin:0;overflow-wrap:anywhere}
@media (max-width:700px){main{padding:16px}.scroll>svg{min-width:940px}
  .cards,.panels,.wide{grid-template-columns:minmax(0,1fr)}
  .rows,.rows tbody,.rows tr,.rows tbody th,.rows td{display:block}.rows thead{display:none}
  .rows tr{border:1px solid var(--rule);border-radius:8px;padding:4px 10px;margin:6px 0}
  .rows tbody th{font-weight:600;border:0}
  .rows td{display:flex;gap:8px;align-items:baseline;border:0;white-space:normal}
  .rows td .range{display:inline}
  .rows td::before{flex:1;content:attr(data-head);color:var(--quiet);text-align:left}}
@media print{:root{--ground:#fff;--ink:#000;--quiet:#444;--rule:#ccc;--soft:#fff;
--k0:#000;--k1:#d1480b;--k2:#0a6ebd;--k3:#0b8f69;--k4:#b5519a;--k5:#b07d00;--k6:#2fa4d9;
  --k7:#6b4fb3;--k8:#7a7f87}
nav,.tools,.details{display:none}.explored .scroll{max-height:none}main{max-width:none;padding:0}body{font-size:11px}
svg,.card,tr{break-inside:avoid}h2,h3,h4{break-after:avoid}
.panels{grid-template-columns:repeat(3,1fr)}.wide{grid-template-columns:repeat(2,1fr)}
  .scroll{overflow:visible}table{font-size:9px}th,td{padding:1px 4px}}
)";

/// Classes of the styles: c for strokes, f for fills, t for text.
std::string classes_of_styles() {
  constexpr std::array<const char*, styles> dashes{"none",    "none", "none",    "7 3", "2 3",
                                                   "9 3 2 3", "5 2",  "3 2 1 2", "1 2"};
  std::string result;
  for (int i = 0; i < styles; ++i) {
    result += fmt::format(
        ".c{0}{{stroke:var(--k{0})}}.curve.c{0}{{stroke-dasharray:{1}}}.f{0}{{fill:var(--k{0})}}"
        "svg .t{0}{{fill:var(--k{0})}}\n",
        i, dashes[static_cast<std::size_t>(i)]);
  }
  return result + ".curve.c0,.curve.c1{stroke-width:2.5}\n";
}

}  // namespace

std::string style_sheet() { return rules + classes_of_styles(); }

}  // namespace sim
