// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/verdict.h: the Python object of a verdict.
#pragma once
#include "golden/bindings/python/status.h"

namespace python {

/// The result of mx_tensor_verify or mx_product_verify.
struct verdict {
  owned<mx_verdict, mx_verdict_destroy> handle;
};

}  // namespace python
