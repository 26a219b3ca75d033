// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/status.h: converts errors of libmxprism to Python exceptions.
#pragma once
#include <nanobind/nanobind.h>

#include <array>
#include <memory>
#include <string>

#include "golden/bindings/python/sentence.h"
#include "mxprism/mxprism.h"

namespace python {

/// Longer messages are truncated.
inline constexpr std::size_t longest_sentence = 4096;

///   ValueError    an argument is invalid, unknown, or an unsupported combination
///   MemoryError   out of memory
///   RuntimeError  a bug in the library
inline void throw_unless_ok(mx_status status, const char* sentence) {
  if (status == mx_status_ok) return;
  PyObject* type = status == mx_status_no_memory  ? PyExc_MemoryError
                   : status == mx_status_internal ? PyExc_RuntimeError
                                                  : PyExc_ValueError;
  PyErr_SetString(type, in_package_names(sentence).c_str());
  throw nanobind::python_error();
}

/// Words as the C ABI reads them: up to a NUL, so that one inside would hide what follows it.
///   errors  ValueError for such words
inline const char* whole_words(const std::string& words) {
  if (words.find('\0') == std::string::npos) return words.c_str();
  throw nanobind::value_error("a name or an option has a NUL character");
}

/// A zeroed structure of the C ABI with its size set.
template <class T>
T sized() {
  T made = {};
  made.struct_size = sizeof made;
  return made;
}

/// Owns a handle of the C ABI.
template <class Handle, void (*Destroy)(Handle*)>
struct destroyed_by {
  void operator()(Handle* handle) const { Destroy(handle); }
};
template <class Handle, void (*Destroy)(Handle*)>
using owned = std::unique_ptr<Handle, destroyed_by<Handle, Destroy>>;

/// Calls a library function with a buffer for its message.
template <class Function>
void call(const Function& function) {
  std::array<char, longest_sentence> text{};
  mx_error error{text.data(), text.size(), 0};
  const mx_status status = function(&error);
  throw_unless_ok(status, text.data());
}

/// Calls it without the GIL: for work on tensors.
template <class Function>
void call_unlocked(const Function& function) {
  call([&](mx_error* error) {
    const nanobind::gil_scoped_release released;
    return function(error);
  });
}

}  // namespace python
