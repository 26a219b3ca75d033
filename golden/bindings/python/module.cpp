// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/module.cpp: mxprism._mxprism, a thin binding of the C ABI, and of lists,
// packs, probes and explanations, which the C ABI lacks; the package above it provides the user
// functions.
#include "golden/bindings/python/module.h"

#include <nanobind/stl/string.h>

#include "golden/bindings/python/sentence.h"
#include "mxprism/mxprism.h"

NB_MODULE(_mxprism, made) {
  if (mx_abi_version() != MXPRISM_ABI_VERSION) {
    PyErr_SetString(PyExc_ImportError, "libmxprism has another ABI version than this module");
    throw nanobind::python_error();
  }
  made.doc() = "The C ABI of libmxprism; import mxprism instead.";
  python::bound_module module(made);
  module.def("version", &mx_version, "Of the library.");
  module.def("in_package_names", &python::in_package_names, nanobind::arg("sentence"),
             "An error of the C ABI about the package's parameters.");
  python::add_verdict(module);
  python::add_format(module);
  python::add_model(module);
  python::add_tensor_exchange(module);
  python::add_listing(module);
  python::add_fp32_numbers(module);
  python::add_explained(module);
  python::add_packs(module);
  python::add_probes(module);
}
