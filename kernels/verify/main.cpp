// SPDX-License-Identifier: Apache-2.0
// kernels/verify/main.cpp: every kernel on the current device against the emulator's core and
// golden's words and blocks, byte by byte; then its speed.
#include <filesystem>
#include <iostream>
#include <string>

#include "../bench/benches.h"
#include "../bench/measures.h"
#include "cross_check.h"
#include "device_backend.h"
#include "large_cases.h"
#include "options.h"
#include "refusals.h"
#include "verdict.h"

namespace {

namespace mxk = mx::kernels;

using mxk::options;

mxk::backend device() {
  return {mxk::results_of_device, mxk::product_of_device, mxk::corrected_product_of_device};
}

/// Compares cases, and reports each group when it is done: all of them take minutes.
template <class Cases>
mxk::tally checked(const char* what, const Cases& cases, const mxk::check_options& how) {
  const mxk::tally sum = mxk::check(cases, device(), how);
  std::cout << what << ": " << sum.cases << " cases, " << sum.different << " differ" << std::endl;
  return sum;
}

/// Compares with golden's committed results.
mxk::tally check_golden(const options& o, const mxk::check_options& how) {
  if (!std::filesystem::is_directory(o.golden / "dot")) {
    std::cout << "golden's cases are skipped: " << o.golden.string()
              << " is not golden/vectors; name its folder by --golden FOLDER\n";
    return {};
  }
  const auto words = mxk::word_products_of(golden::words::words_in(o.golden / "dot"));
  std::cout << words.words << " words of golden's, " << words.ragged
            << " of them within a block and left out\n";
  mxk::tally sum = checked("golden's words", words.products, how);
  const auto blocks = mxk::golden_blocks_of(golden::words::blocks_in(o.golden / "blocks"));
  sum += checked("golden's blocks", blocks, how);
  return sum;
}

mxk::tally check_all(const options& o) {
  const mxk::check_options how{o.only, o.repro, &std::cout};
  mxk::tally sum = checked("matrices", mxk::case_table(), how);
  sum += checked("products", mxk::product_table(), how);
  sum += checked("products with a correction", mxk::corrected_table(), how);
  sum += check_golden(o, how);
  if (o.size == mxk::sizes::small) return sum;
  sum += checked("large matrices", mxk::large_case_table(), how);
  sum += checked("large products", mxk::large_product_table(), how);
  sum += checked("large products with a correction", mxk::large_corrected_table(), how);
  return sum;
}

/// Number of wrong answers, which are printed.
int wrong_answers(const std::vector<mxk::refusal>& requests) {
  int wrong = 0;
  for (const mxk::refusal& r : requests) {
    if (r.is_right()) continue;
    ++wrong;
    std::cout << r.what << ": " << mxk::sentence_of(r.answer) << "\n";
  }
  std::cout << requests.size() << " requests to refuse, " << wrong << " answered otherwise"
            << std::endl;
  return wrong;
}

/// Whether all launchers refuse invalid requests; without a device, also that they report that.
bool all_refused(const std::string& absence) {
  int wrong = wrong_answers(mxk::refused_requests());
  if (!absence.empty()) wrong += wrong_answers(mxk::requests_without_a_device());
  return wrong == 0;
}

/// The figures of a measure; if it cannot run here, the reason in place of a figure.
std::vector<mxk::figure> figures_or_reason(const mxk::measure& m) {
  try {
    return mxk::figures_of(m.name);
  } catch (const mxk::not_measurable& why) {
    return {{std::string(m.name), {}, "", why.what(), {}}};
  }
}

std::vector<mxk::figure> measured(const options& o) {
  std::vector<mxk::figure> all;
  for (const mxk::measure& m : mxk::measures) {
    if (m.name.find(o.only) == std::string_view::npos) continue;
    for (const mxk::figure& f : figures_or_reason(m)) {
      std::cout << mxk::text_of(f) << std::endl;
      all.push_back(f);
    }
  }
  return all;
}

int run(const options& o) {
  const std::string absence = mxk::device_absence();
  if (!all_refused(absence)) return 1;
  if (!absence.empty()) throw std::runtime_error(absence);
  mxk::verdict found;
  found.device = mxk::device_in_use_now();
  std::cout << mxk::text_of(found.device) << std::endl;
  const mxk::tally sum = check_all(o);
  std::cout << sum.cases << " cases, " << sum.different << " differ, " << sum.unanswered
            << " are of instructions that this device, or code for it, lacks" << std::endl;
  if (sum.different > 0) std::cout << "written to " << o.repro.string() << std::endl;
  if (o.speed == mxk::times::measured) found.figures = measured(o);
  found.cases = sum.cases;
  found.different = sum.different;
  found.skipped = sum.unanswered;
  if (!o.json.empty()) mxk::write_json(o.json, found);
  return sum.different > 0 ? 1 : 0;
}

}  // namespace

int main(int count, char** words) {
  options o;
  try {
    o = mxk::options_of({words + 1, words + count});
  } catch (const mxk::usage_error& wrong) {
    std::cerr << "mx_verify: error: " << wrong.what() << "\n" << mxk::usage_text();
    return 2;
  }
  if (o.usage == mxk::help::wanted) {
    std::cout << mxk::usage_text();
    return 0;
  }
  try {
    return run(o);
  } catch (const std::exception& error) {
    std::cerr << "mx_verify: error: " << error.what() << "\n";
    return 3;
  }
}
