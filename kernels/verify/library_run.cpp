// SPDX-License-Identifier: Apache-2.0
// kernels/verify/library_run.cpp: a user's library in place of our kernels.
#include "library_run.h"

#include <iostream>

#include "user_library.h"

namespace mx::kernels {

void ask_library(const options& o, const device_layer& device, case_log& log) {
  const user_library library = loaded_library(o.library);
  const bool on_host = library.memory == memory_kind::host;
  std::cout << o.library.string() << ": version " << MX_USER_VERSION << ", memory of the "
            << (on_host ? "host" : "device") << std::endl;
  if (on_host) return;
  const std::string absence = device.absence();
  if (!absence.empty()) throw std::runtime_error(absence);
  const device_in_use in_use = device.in_use();
  std::cout << text_of(in_use) << std::endl;
  log.note("device", json_members_of(in_use));
}

backend kernels_under_test(const options& o, const device_layer& device) {
  if (o.library.empty()) return device.cases;
  const user_library library = loaded_library(o.library);
  return user_backend(library,
                      library.memory == memory_kind::host ? host_memory() : device.memory());
}

void expect_compared(const options& o, const verdict& found) {
  if (found.compared() + found.unfinished() > 0) return;
  throw library_error(o.library.string() + ": declined all " +
                      std::to_string(found.count(outcome::refused)) +
                      " cases, so nothing was compared; --list --library prints their groups");
}

}  // namespace mx::kernels
