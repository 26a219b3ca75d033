// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/verdict.h: the Python object of a verdict.
#pragma once
#include <memory>

#include "golden/bindings/python/status.h"

namespace python {

/// Owns the result of mx_tensor_verify or mx_product_verify.
class verdict {
 public:
  explicit verdict(mx_verdict* made) : handle_(made) {}
  [[nodiscard]] const mx_verdict* get() const { return handle_.get(); }

 private:
  struct destroyed {
    void operator()(mx_verdict* handle) const { mx_verdict_destroy(handle); }
  };
  std::unique_ptr<mx_verdict, destroyed> handle_;
};

}  // namespace python
