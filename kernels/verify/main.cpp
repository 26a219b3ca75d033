// SPDX-License-Identifier: Apache-2.0
// kernels/verify/main.cpp: every kernel on the device at hand against the emulator's core, byte by byte;
// then how fast they are.
#include <iostream>
#include <string>

#include "../bench/benches.h"
#include "../bench/measures.h"
#include "bundle.h"
#include "device_backend.h"
#include "device_products.h"
#include "options.h"
#include "verdict.h"

namespace {

namespace mxk = mx::kernels;

using mxk::options;

struct tally {
  int cases = 0, different = 0, skipped = 0;
};

tally compare_all(const options& o) {
  tally sum;
  for (const mxk::kernel_case& one : mxk::case_table()) {
    if (one.name.find(o.only) == std::string::npos) continue;
    const mxk::case_input input = mxk::input_of(one);
    const auto found = mxk::results_of_device(one, input);
    const std::string difference = mxk::difference_between(mxk::results_of_core(one, input), found);
    ++sum.cases;
    if (difference.empty()) continue;
    ++sum.different;
    std::cout << one.name << ": " << difference << "\n";
    mxk::write_bundle(o.repro, one, input, found, difference);
  }
  return sum;
}

void compare_product(const mxk::product_case& one, tally& sum) {
  const mxk::product_input input = mxk::input_of(one);
  const auto found = mxk::product_of_device(one, input);
  const std::string difference =
      mxk::difference_between(one.shape, mxk::product_of_core(one, input), found);
  ++sum.cases;
  if (difference.empty()) return;
  ++sum.different;
  std::cout << one.name << ": " << difference << "\n";
}

void compare_products(const options& o, tally& sum) {
  for (const mxk::product_case& one : mxk::product_table()) {
    if (one.name.find(o.only) == std::string::npos) continue;
    try {
      compare_product(one, sum);
    } catch (const mxk::lacks_instructions& why) {
      ++sum.skipped;
      std::cout << "skipped " << one.name << ": " << why.what() << "\n";
    }
  }
}

/// A measure that cannot be made here is told, and the next one is made.
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
  if (!absence.empty()) throw std::runtime_error(absence);
  mxk::verdict found;
  found.device = mxk::device_in_use_now();
  std::cout << mxk::text_of(found.device) << std::endl;
  tally sum = compare_all(o);
  compare_products(o, sum);
  std::cout << sum.cases << " cases, " << sum.different << " differ, " << sum.skipped << " skipped"
            << std::endl;
  if (sum.different > 0) std::cout << "written to " << o.repro.string() << std::endl;
  if (o.speed == mxk::times::measured) found.figures = measured(o);
  found.cases = sum.cases;
  found.different = sum.different;
  if (!o.json.empty()) mxk::write_json(o.json, found);
  return sum.different > 0 ? 1 : 0;
}

}  // namespace

int main(int count, char** words) {
  mxk::options o;
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
