// SPDX-License-Identifier: Apache-2.0
// sim/report/page.cpp: the page around the sections: head, style sheet, what was run.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/report/figure_text.h"
#include "sim/report/html.h"
#include "sim/report/report.h"
#include "sim/report/svg.h"

namespace sim {
namespace {

// Colours after Okabe and Ito, lighter on a dark ground; dashes tell lines apart in grey too.
constexpr const char* style_sheet = R"(
:root{color-scheme:light dark;--ground:#fff;--ink:#1c1f24;--quiet:#5b6470;--rule:#e3e6ea;--soft:#f5f6f8;
--k0:#1c1f24;--k1:#d1480b;--k2:#0a6ebd;--k3:#0b8f69;--k4:#b5519a;--k5:#b07d00;--k6:#2fa4d9;--k7:#6b4fb3;--k8:#7a7f87}
@media (prefers-color-scheme:dark){:root{--ground:#14171b;--ink:#e8eaed;--quiet:#a3abb5;--rule:#2d333b;--soft:#1d2127;
--k0:#f2f3f5;--k1:#ff8350;--k2:#5fb0f5;--k3:#3fcf9f;--k4:#ec92d3;--k5:#e5b53c;--k6:#8fd6f7;--k7:#b39df0;--k8:#a3abb5}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1240px;margin:0 auto;padding:24px 28px 60px}
h1{font-size:26px;margin:0 0 4px;line-height:1.2}
h2{font-size:20px;margin:44px 0 10px;padding-top:14px;border-top:2px solid var(--rule)}
h3{font-size:16px;margin:22px 0 6px}
h4{font-size:14px;margin:14px 0 4px}
p{margin:6px 0 10px;max-width:86em}
code{font:13px ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.note,.caption{color:var(--quiet);font-size:13.5px}
.facts{display:flex;flex-wrap:wrap;gap:4px 26px;margin:10px 0 6px;padding:0;list-style:none;font-size:14px}
.facts b{font-weight:600}
nav{font-size:14px;margin:8px 0 0}
nav a{color:var(--k2);margin-right:16px;text-decoration:none}
nav a:hover{text-decoration:underline}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(350px,1fr));gap:16px;margin:14px 0}
.card{background:var(--soft);border:1px solid var(--rule);border-radius:8px;padding:4px 16px 10px;font-size:14px}
.card h3{margin-top:10px;font-size:17px}
.card .further{font-size:13.5px;border-top:1px solid var(--rule);margin-top:10px;padding-top:4px}
.chip{display:inline-block;padding:0 8px;border-radius:9px;border:1px solid;font-size:12.5px;line-height:1.5;margin:1px 0}
.yes{color:var(--k3)}.open{color:var(--k5)}.no{color:var(--quiet)}
.cause{font-weight:600}.quiet{color:var(--quiet)}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(360px,1fr));gap:8px 14px;align-items:start}
.wide{grid-template-columns:repeat(auto-fit,minmax(520px,1fr))}
.scroll{overflow-x:auto;margin:6px 0 14px}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:3px 9px;text-align:right;border-bottom:1px solid var(--rule);vertical-align:top}
td{white-space:nowrap}
.card ul{margin:8px 0;padding-left:18px}
#arms td{white-space:normal;text-align:left}
thead th{font-weight:600;color:var(--quiet);vertical-align:bottom}
td small{color:var(--quiet);font-size:11px}
.panels th,.panels td{padding:2px 5px;font-size:12.5px}
.panels td small{font-size:10.5px}
tbody th{font-weight:500;text-align:left;white-space:nowrap}
thead th:first-child{text-align:left}
.card table{width:100%;font-size:12.5px}
.card th,.card td{padding:3px 6px}
#arms thead th{text-align:left}
tbody tr:hover{background:var(--soft)}
.card tbody tr:hover{background:none}
details{margin:8px 0}
summary{cursor:pointer;color:var(--k2);font-size:14px}
svg{width:100%;height:auto;display:block;margin:4px 0 10px}
svg text{font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--quiet);font-variant-numeric:tabular-nums}
svg .title{font-size:13.5px;font-weight:600;fill:var(--ink)}
svg .name{font-size:12.5px;fill:var(--ink)}
svg .small{font-size:10.5px}
svg .label{font-size:12px;font-weight:500}
.grid,.row{stroke:var(--rule);stroke-width:1}
.axis{stroke:var(--quiet);stroke-width:1}
.leader{stroke:var(--rule);stroke-width:1}
.curve{fill:none;stroke-width:1.9;stroke-linejoin:round}
.ring{fill:var(--ground);stroke-width:1.7}
.whisker{stroke-width:1.5;stroke-dasharray:none!important}
@media (max-width:700px){main{padding:16px}.cards,.panels,.wide{grid-template-columns:1fr}}
@media print{:root{--ground:#fff;--ink:#000;--quiet:#444;--rule:#ccc;--soft:#fff;
--k0:#000;--k1:#d1480b;--k2:#0a6ebd;--k3:#0b8f69;--k4:#b5519a;--k5:#b07d00;--k6:#2fa4d9;--k7:#6b4fb3;--k8:#7a7f87}
nav{display:none}main{max-width:none;padding:0}body{font-size:11px}
svg,.card,tr{break-inside:avoid}h2,h3,h4{break-after:avoid}
.panels{grid-template-columns:repeat(3,1fr)}.scroll{overflow:visible}table{font-size:9px}th,td{padding:1px 4px}}
)";

/// Classes of the styles: c strokes, f fills, t colours text.
std::string style_classes() {
  constexpr std::array<const char*, styles> dashes{"none", "none", "none", "7 3", "2 3",
                                                   "9 3 2 3", "5 2", "3 2 1 2", "1 2"};
  std::string result;
  for (int i = 0; i < styles; ++i) {
    result += fmt::format(
        ".c{0}{{stroke:var(--k{0})}}.curve.c{0}{{stroke-dasharray:{1}}}.f{0}{{fill:var(--k{0})}}"
        "svg .t{0}{{fill:var(--k{0})}}\n",
        i, dashes[static_cast<std::size_t>(i)]);
  }
  return result + ".curve.c0,.curve.c1{stroke-width:2.5}\n";
}

std::string fact(std::string_view name, const std::string& value) {
  return fmt::format("<li><b>{}</b> {}</li>\n", name, value);
}

std::string count_text(std::size_t done, std::size_t planned) {
  return done == planned ? fmt::format("{}", planned) : fmt::format("{} of {}", done, planned);
}

/// How many training steps were done, beside how many the study has.
std::string steps_text(const run_data& run) {
  return count_text(run.figures.along("train", "fp32", "reward").values.size(),
                    static_cast<std::size_t>(run.of.grpo.steps));
}

std::size_t arms_measured(const run_data& run) {
  return std::max(arms_of(run, "frozen").size(), arms_of(run, "train").size());
}

std::string warm_up_text(const run_data& run) {
  const curve loss = run.figures.along("warm-up", "fp32", "loss");
  std::string result = fmt::format("{} steps", run.of.warm_up.steps);
  if (!loss.values.empty()) {
    result += fmt::format(", loss {} \u2192 {}", number_text(loss.values.front()),
                          number_text(loss.values.back()));
  }
  for (const char* arm : {"fp32", "mxfp4"}) {
    const curve accuracy = run.figures.along("warm-up", arm, "accuracy_sampled");
    if (accuracy.values.empty()) continue;
    result += fmt::format(", sampled accuracy {} under {}", number_text(accuracy.values.back()),
                          arm == std::string_view("fp32") ? "FP32" : "MXFP4");
  }
  return result;
}

std::string what_was_run(const run_data& run) {
  const study& s = run.of;
  const std::string name = s.name.empty() ? "unnamed" : s.name;
  std::string facts;
  facts += fact("seed", fmt::format("{}", s.seed));
  facts += fact("arms", count_text(arms_measured(run), s.arms.size()));
  facts += fact("training steps", steps_text(run));
  facts += fact("rollouts a step", fmt::format("{} prompts \u00D7 {}", s.grpo.prompts,
                                               s.grpo.samples));
  facts += fact("policy", fmt::format("{} parameters (width {}, {} layers, {} heads, {} key-value "
                                      "heads of {}, hidden {}, vocabulary {})",
                                      grouped_text(parameters_of(s.policy)), s.policy.width, s.policy.layers,
                                      s.policy.heads, s.policy.kv_heads, s.policy.head_width,
                                      s.policy.hidden, s.policy.vocabulary));
  facts += fact("task", fmt::format("chained addition, {} digits", s.task.digits));
  facts += fact("warm-up", warm_up_text(run));
  facts += fact("study hash", code(run.hash));
  return fmt::format("<h1>MXFP4 error components in RL training: study {}</h1>\n<ul "
                     "class=\"facts\">\n{}</ul>\n",
                     escaped(name), facts);
}

constexpr const char* navigation = R"(<nav><a href="#summary">Summary</a><a href="#training">Learning curves</a><a href="#entropy">Entropy</a><a href="#gradient">Gradient</a><a href="#components">Parts of the error</a><a href="#outliers">Outliers</a><a href="#factorial">Factorial</a><a href="#weights">Importance weights</a><a href="#arms">Arms</a><a href="#notes">How to read</a></nav>
)";

}  // namespace

std::string page_of(const run_data& run) {
  std::string body = what_was_run(run) + navigation;
  body += summary_section(run) + training_section(run) + entropy_section(run);
  body += gradient_section(run) + components_section(run) + outlier_section(run);
  body += factorial_section(run) + mismatch_section(run) + arms_section(run) + notes_section(run);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      escaped(run.of.name.empty() ? "MXFP4 study" : run.of.name + ": MXFP4 study"), style_sheet,
      style_classes(), body);
}

}  // namespace sim
