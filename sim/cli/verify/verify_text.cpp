// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_text.cpp: a diagnosis as text, with the tensors' names in the files.
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

std::vector<std::string> names_of(const verified& v) {
  std::vector<std::string> names;
  for (const gv::subject& s : v.files.subjects) names.push_back(golden::io::printable(s.name));
  return names;
}

}  // namespace

std::size_t first_differing(const verified& v) { return gv::first_differing(v.found); }

std::uint64_t mismatches_of(const verified& v, std::size_t tensor) {
  return gv::mismatches_of(v.found.tensors[tensor], v.files.subjects[tensor]);
}

std::string first_text(const verified& v) {
  const std::vector<std::string> names = names_of(v);
  return gv::first_text({v.rules, v.files.subjects, names, v.found});
}

std::string report_text(const verified& v) {
  const std::vector<std::string> names = names_of(v);
  return gv::report_text({v.rules, v.files.subjects, names, v.found});
}

}  // namespace sim::cli
