// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_junit.cpp: a diagnosis as JUnit's XML: one test case a tensor.
#include <fmt/format.h>

#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

/// Text as XML 1.0 takes it in attributes: characters it has no way to write become '?'.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += byte < 0x20 || byte > 0x7E ? '?' : c;
    }
  }
  return out;
}

bool differs(const gv::tensor_result& r) { return !r.fits || !r.found.is_exact(); }

std::string failure(const verified& v, std::size_t k) {
  const std::string why =
      v.found.explanation ? changes_text(*v.found.explanation) : std::string("unexplained");
  const std::string head = fmt::format("{} elements differ; {}", mismatches_of(v, k), why);
  const std::string body = k == first_differing(v) ? first_text(v) : why;
  return fmt::format("    <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                     verdict_name(v.found.verdict), escaped(head), escaped(body));
}

}  // namespace

std::string report_junit(const verified& v) {
  std::size_t failures = 0;
  std::string cases;
  for (std::size_t k = 0; k < v.found.tensors.size(); ++k) {
    const bool failed = differs(v.found.tensors[k]);
    failures += failed ? 1 : 0;
    cases += fmt::format("  <testcase classname=\"mxprism.verify\" name=\"{}\"",
                         escaped(v.files.subjects[k].name));
    cases += failed ? ">\n" + failure(v, k) + "  </testcase>\n" : "/>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"mxprism verify {}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}"
      "</testsuite>\n",
      escaped(v.files.output.path()), v.found.tensors.size(), failures, cases);
}

}  // namespace sim::cli
