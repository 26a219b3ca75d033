// SPDX-License-Identifier: Apache-2.0
// golden/bindings/cuda/launched.cpp: a launcher's status as a status of the C ABI.
#include "golden/bindings/cuda/launched.h"

#include "golden/bindings/cuda/device_calls.h"
#include "golden/bindings/guard.h"

namespace bindings::cuda {
namespace {

mx_status status_of(mx::kernels::launch_error error) {
  using enum mx::kernels::launch_error;
  switch (error) {
    case none:
      return mx_status_ok;
    case format:
      return mx_status_unsupported;
    case no_device:
    case architecture:
    case shared_memory:
    case cuda:
      return mx_status_device;
    case null_pointer:
    case misaligned:
    case overlapping:
    case shape:
    case size:
    case too_small:
      break;
  }
  return mx_status_bad_argument;
}

}  // namespace

void expect_usable() {
  if (std::string(mx_version()) != MXPRISM_VERSION) {
    throw refused(mx_status_unsupported, std::string("libmxprism is version ") + mx_version() +
                                             ", libmxprism_cuda " MXPRISM_VERSION
                                             "; install both from one build");
  }
  const std::string missing = missing_part();
  if (!missing.empty()) throw refused(mx_status_device, missing);
}

void expect_launched(const std::string& subject, const mx::kernels::status& answer) {
  if (answer.is_done()) return;
  std::string sentence = subject + ": " + mx::kernels::sentence_of(answer);
  if (answer.error == mx::kernels::launch_error::architecture) sentence += "; " + architectures();
  throw refused(status_of(answer.error), sentence);
}

}  // namespace bindings::cuda

mx_status mx_cuda_available(mx_error* error) {
  return bindings::guarded(error, [] { bindings::cuda::expect_usable(); });
}
