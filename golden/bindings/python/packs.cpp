// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/packs.cpp: the adversarial packs of `mxprism vectors`.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "golden/bindings/python/module.h"
#include "golden/vectors/packs/pack.h"

namespace python {
namespace {

namespace packs = golden::packs;
using namespace nanobind::literals;

nb::tuple array_of(const packs::pack_array& a) {
  const std::string type(golden::io::name_of(a.type));
  return nb::make_tuple(a.name, type, a.shape, nb::bytes(a.bytes.data(), a.bytes.size()));
}

nb::dict file_of(const packs::pack_file& file) {
  nb::list arrays;
  for (const packs::pack_array& a : file.arrays) arrays.append(array_of(a));
  nb::dict d;
  d["name"] = file.name, d["rows"] = file.rows;
  d["arrays"] = arrays, d["notes"] = file.notes;
  return d;
}

nb::list all_packs() {
  nb::list all;
  for (const packs::pack& p : packs::all_packs()) {
    all.append(nb::make_tuple(std::string(p.name), p.version, std::string(p.sentence)));
  }
  return all;
}

nb::dict pack_named(const std::string& name) {
  const packs::pack* found = packs::find_pack(name);
  if (found == nullptr) throw nb::key_error(name.c_str());
  const packs::pack_contents contents = found->contents();
  nb::list files;
  for (const packs::pack_file& file : contents.files) files.append(file_of(file));
  nb::dict d;
  d["files"] = files, d["rows"] = contents.rows;
  return d;
}

}  // namespace

void add_packs(bound_module& module) {
  module.def("packs", &all_packs, nb::sig("def packs() -> list[tuple[str, int, str]]"),
             "Name, version and sentence of every pack.");
  module.def("pack", &pack_named, "name"_a, nb::sig("def pack(name: str) -> dict[str, typing.Any]"),
             "Files with their arrays: (name, type, shape, bytes), and the sentences of rows.");
}

}  // namespace python
