// SPDX-License-Identifier: Apache-2.0
// kernels/verify/program.h: mx_verify on any device layer; the tests have one without a device.
#pragma once
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "../bench/figure.h"
#include "cross_check.h"
#include "user_backend.h"

namespace mx::kernels {

/// What mx_verify asks a device. Called only by the process of a group, never by the one that
/// starts these.
///   absence          why no device is usable; empty if one is
///   wrong_refusals   asks every launcher what it must refuse; the number of wrong answers, which
///                    are printed
///   own_cases        compare results of the device with each other, and with samples of the
///                    core's; `kernel` as case_kernels.h names it
///   measures         names of what `figures` times
///   memory           of a user's library that asks for the device's
struct device_layer {
  struct own_case {
    std::string name, kernel;
    std::function<case_result()> run;
  };

  std::function<std::string()> absence;
  std::function<device_in_use()> in_use;
  std::function<int(std::ostream&)> wrong_refusals;
  backend cases;
  std::vector<own_case> own_cases;
  std::vector<std::string> measures;
  std::function<std::vector<figure>(const std::string& measure)> figures;
  std::function<user_memory()> memory;
};

/// Runs the program.
///   program  its file, which is started for each group
///   returns  its exit status
int run_program(const std::string& program, const std::vector<std::string>& words,
                const device_layer& device);

}  // namespace mx::kernels
