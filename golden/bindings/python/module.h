// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/module.h: the parts of the module mxprism._mxprism.
#pragma once
#include "golden/bindings/python/bound.h"

namespace python {

void add_format(bound_module& module);
void add_model(bound_module& module);
void add_verdict(bound_module& module);
void add_tensor_exchange(bound_module& module);
void add_listing(bound_module& module);
void add_fp32_numbers(bound_module& module);
void add_explained(bound_module& module);
void add_packs(bound_module& module);
void add_probes(bound_module& module);

}  // namespace python
