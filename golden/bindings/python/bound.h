// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/bound.h: how the module defines functions and classes: every body runs
// under IEEE 754's default arithmetic (mx/tensor/ieee_arithmetic.h), whatever the interpreter's
// program has chosen.
#pragma once
#include <nanobind/nanobind.h>

#include <type_traits>
#include <utility>

#include "mx/tensor/ieee_arithmetic.h"

namespace python {

namespace nb = nanobind;

/// FP32, alone or in a container. nanobind rounds arguments to it, and widens results, outside of
/// the body.
template <class T>
inline constexpr bool is_fp32 = std::is_same_v<T, float>;
template <class T>
requires requires { typename T::value_type; }
inline constexpr bool is_fp32<T> = is_fp32<typename T::value_type>;

/// Whether a function takes or returns FP32 as a number of Python's.
template <class Function>
struct crossing : crossing<decltype(&Function::operator())> {};
template <class Result, class... Arguments>
struct crossing<Result (*)(Arguments...)> {
  static constexpr bool in_fp32 =
      (is_fp32<std::remove_cvref_t<Result>> || ... || is_fp32<std::remove_cvref_t<Arguments>>);
};
template <class Class, class Result, class... Arguments>
struct crossing<Result (Class::*)(Arguments...) const> : crossing<Result (*)(Arguments...)> {};

/// Refuses such a function when it is compiled.
template <class Function>
constexpr void expect_no_fp32() {
  static_assert(!crossing<std::remove_cvref_t<Function>>::in_fp32,
                "numbers cross as double, and the body rounds them; or arrays cross as bytes");
}

using under_ieee = nb::call_guard<mx::ieee_arithmetic>;

/// nb::class_ with such methods and properties.
template <class T>
class bound_class {
 public:
  bound_class(nb::handle scope, const char* name, const char* text) : class_(scope, name, text) {}

  template <class Function, class... Extra>
  bound_class& def(const char* name, Function&& function, const Extra&... extra) {
    expect_no_fp32<Function>();
    class_.def(name, std::forward<Function>(function), under_ieee(), extra...);
    return *this;
  }
  template <class... Arguments, class... Extra>
  bound_class& def(nb::init<Arguments...>, const Extra&... extra) {
    expect_no_fp32<void (*)(Arguments...)>();
    class_.def(nb::init<Arguments...>(), under_ieee(), extra...);
    return *this;
  }
  template <class Getter, class... Extra>
  bound_class& def_prop_ro(const char* name, Getter&& getter, const Extra&... extra) {
    expect_no_fp32<Getter>();
    class_.def_prop_ro(name, std::forward<Getter>(getter), under_ieee(), extra...);
    return *this;
  }
  /// A number of a structure.
  template <class Number>
  bound_class& def_rw(const char* name, Number T::*member) {
    using number = std::conditional_t<is_fp32<Number>, double, Number>;
    class_.def_prop_rw(
        name, [member](const T& of) { return static_cast<number>(of.*member); },
        [member](T& of, number value) { of.*member = static_cast<Number>(value); }, under_ieee());
    return *this;
  }

 private:
  nb::class_<T> class_;
};

/// The module, whose parts define functions and classes only so.
class bound_module {
 public:
  explicit bound_module(nb::module_ module) : module_(std::move(module)) {}

  template <class Function, class... Extra>
  void def(const char* name, Function&& function, const Extra&... extra) {
    expect_no_fp32<Function>();
    module_.def(name, std::forward<Function>(function), under_ieee(), extra...);
  }
  template <class T>
  [[nodiscard]] bound_class<T> add_class(const char* name, const char* text) {
    return {module_, name, text};
  }

 private:
  nb::module_ module_;
};

}  // namespace python
