// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/module.h: the parts of the module mxprism._mxprism.
#pragma once
#include <nanobind/nanobind.h>

namespace python {

void add_format(nanobind::module_& module);
void add_model(nanobind::module_& module);
void add_verdict(nanobind::module_& module);
void add_tensor_exchange(nanobind::module_& module);
void add_listing(nanobind::module_& module);
void add_explained(nanobind::module_& module);
void add_packs(nanobind::module_& module);
void add_probes(nanobind::module_& module);

}  // namespace python
