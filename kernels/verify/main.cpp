// SPDX-License-Identifier: Apache-2.0
// kernels/verify/main.cpp: every kernel on the device at hand against the emulator's core, byte by byte;
// then how fast they are.
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <string>

#include "bundle.h"
#include "device_backend.h"
#include "device_products.h"

namespace {

namespace mxk = mx::kernels;

constexpr char usage[] =
    "usage: mx_verify [--only TEXT] [--repro FOLDER] [--no-times]\n"
    "Runs every kernel on the first CUDA device, compares each byte with the emulator's core, and\n"
    "times them beside a copy of as many bytes in the device's memory.\n"
    "  --only TEXT     cases whose name holds TEXT\n"
    "  --repro FOLDER  where cases that differ are written (default mx_verify.repro)\n"
    "  --no-times      leave the times out\n"
    "Exit status: 0 all bytes agree, 1 some differ, 2 bad arguments, 3 a CUDA error or no device.\n"
    "example: mx_verify --only quantize.mxfp4\n";

enum class times : std::uint8_t { measured, left_out };

struct options {
  std::string only;
  std::filesystem::path repro = "mx_verify.repro";
  times speed = times::measured;
};

/// False where the words are none that the usage tells.
bool parsed(int count, char** words, options& o) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const bool has_value = i + 1 < count;
    if (word == "--no-times") {
      o.speed = times::left_out;
    } else if (word == "--only" && has_value) {
      o.only = words[++i];
    } else if (word == "--repro" && has_value) {
      o.repro = words[++i];
    } else {
      return false;
    }
  }
  return true;
}

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

void print_speeds() {
  std::cout << std::fixed << std::setprecision(2) << "kernel, GB/s, a copy's GB/s, ratio\n";
  for (const mxk::kernel_speed& s : mxk::measured_speeds()) {
    std::cout << std::left << std::setw(34) << s.name << std::right << std::setw(9)
              << s.gigabytes_a_second << std::setw(9) << s.copy_gigabytes_a_second << std::setw(7)
              << s.ratio << "\n";
  }
  std::cout << "product of 8192 x 8192 x 8192, 10^12 operations a second\n";
  for (const mxk::product_speed& s : mxk::measured_product_speeds()) {
    std::cout << std::left << std::setw(60) << s.name << std::right << std::setw(9)
              << s.tera_operations << "\n";
  }
}

}  // namespace

int main(int count, char** words) {
  options o;
  if (!parsed(count, words, o)) {
    std::cerr << usage;
    return 2;
  }
  try {
    mxk::expect_device();
    tally sum = compare_all(o);
    compare_products(o, sum);
    std::cout << sum.cases << " cases, " << sum.different << " differ, " << sum.skipped
              << " skipped\n";
    if (sum.different > 0) std::cout << "written to " << o.repro.string() << "\n";
    if (o.speed == times::measured) print_speeds();
    return sum.different > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    std::cerr << "mx_verify: error: " << error.what() << "\n";
    return 3;
  }
}
