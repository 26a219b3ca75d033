// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/status.h: what libmxprism refuses as exceptions of Python.
#pragma once
#include <nanobind/nanobind.h>

#include <array>
#include <memory>

#include "mxprism/mxprism.h"

namespace python {

/// Sentences longer than this are cut off.
inline constexpr std::size_t longest_sentence = 4096;

///   ValueError    what the caller gave is wrong, not understood, or there is no such combination
///   MemoryError   memory is used up
///   RuntimeError  a bug of ours
inline void throw_unless_ok(mx_status status, const char* sentence) {
  if (status == mx_status_ok) return;
  PyObject* type = status == mx_status_no_memory  ? PyExc_MemoryError
                   : status == mx_status_internal ? PyExc_RuntimeError
                                                  : PyExc_ValueError;
  PyErr_SetString(type, sentence);
  throw nanobind::python_error();
}

/// A structure of the C ABI that knows its size.
template <class T>
T sized() {
  T made = {};
  made.struct_size = sizeof made;
  return made;
}

/// Calls a function of the library with a place for its sentence.
template <class Function>
void call(const Function& function) {
  std::array<char, longest_sentence> text{};
  mx_error error{text.data(), text.size(), 0};
  const mx_status status = function(&error);
  throw_unless_ok(status, text.data());
}

/// The same while other threads of Python run: for what works on tensors.
template <class Function>
void call_unlocked(const Function& function) {
  call([&](mx_error* error) {
    const nanobind::gil_scoped_release released;
    return function(error);
  });
}

}  // namespace python
