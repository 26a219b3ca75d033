// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/tensor_exchange.cpp: DLPack tensors of other packages as NumPy arrays over
// the same memory, including types that NumPy lacks.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "golden/bindings/python/module.h"

namespace python {
namespace {

using any_tensor = nb::ndarray<nb::ro>;
using words = nb::ndarray<nb::numpy, nb::ro>;
using writable_tensor = nb::ndarray<>;
using writable_words = nb::ndarray<nb::numpy>;

/// Unsigned type as wide as one position of a tensor, all lanes together.
constexpr nb::dlpack::dtype unsigned_of(nb::dlpack::dtype type) {
  const auto bits = static_cast<std::uint8_t>(type.bits * type.lanes);
  return {static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt), bits, 1};
}

/// float32, uint8, float8_e4m3fn, ...; _x2 if two elements share a byte; empty if it has no words.
const char* name_of(nb::dlpack::dtype type) {
  using nb::dlpack::dtype_code;
  const auto is = [&](dtype_code code, std::uint8_t bits, std::uint16_t lanes = 1) {
    return type == nb::dlpack::dtype{static_cast<std::uint8_t>(code), bits, lanes};
  };
  if (is(dtype_code::Float, 32)) return "float32";
  if (is(dtype_code::Float, 16)) return "float16";
  if (is(dtype_code::Bfloat, 16)) return "bfloat16";
  if (is(dtype_code::UInt, 8)) return "uint8";
  if (is(dtype_code::UInt, 16)) return "uint16";
  if (is(dtype_code::UInt, 32)) return "uint32";
  if (is(dtype_code::Float, 64)) return "float64";
  if (is(dtype_code::Int, 8)) return "int8";
  if (is(dtype_code::Int, 16)) return "int16";
  if (is(dtype_code::Int, 32)) return "int32";
  if (is(dtype_code::Int, 64)) return "int64";
  if (is(dtype_code::Complex, 64)) return "complex64";
  if (is(dtype_code::Bool, 8)) return "bool";
  if (is(dtype_code::Float8_E4M3FN, 8)) return "float8_e4m3fn";
  if (is(dtype_code::Float8_E5M2, 8)) return "float8_e5m2";
  if (is(dtype_code::Float8_E4M3FNUZ, 8)) return "float8_e4m3fnuz";
  if (is(dtype_code::Float8_E5M2FNUZ, 8)) return "float8_e5m2fnuz";
  if (is(dtype_code::Float8_E8M0FNU, 8)) return "float8_e8m0fnu";
  if (is(dtype_code::Float4_E2M1FN, 4, 2)) return "float4_e2m1fn_x2";
  return "";
}

/// Kinds of devices whose memory the CPU reads: its own, and pinned (kDLCUDAHost, kDLROCMHost).
constexpr std::array host_devices{nb::device::cpu::value, 3, 11};

bool is_on_host(int kind) { return std::ranges::find(host_devices, kind) != host_devices.end(); }

std::vector<int> kinds_of_host() { return {host_devices.begin(), host_devices.end()}; }

std::string shown(nb::dlpack::dtype type) {
  return "DLPack type " + std::to_string(type.code) + " of " + std::to_string(type.bits) + " bits" +
         (type.lanes == 1 ? "" : ", " + std::to_string(type.lanes) + " lanes");
}

/// The tensor's memory as unsigned words that own a reference to it, and the name of its type.
template <class Words, class Tensor>
nb::tuple words_of(const Tensor& tensor) {
  if (!is_on_host(tensor.device_type())) throw nb::type_error("the tensor is on a device");
  const std::string name = name_of(tensor.dtype());
  if (name.empty()) throw nb::value_error((shown(tensor.dtype()) + " is unsupported").c_str());
  std::vector<std::size_t> shape(tensor.shape_ptr(), tensor.shape_ptr() + tensor.ndim());
  auto* kept = new Tensor(tensor);
  const nb::capsule owner(kept, [](void* what) noexcept { delete static_cast<Tensor*>(what); });
  Words view(tensor.data(), tensor.ndim(), shape.data(), owner, tensor.stride_ptr(),
             unsigned_of(tensor.dtype()), nb::device::cpu::value);
  return nb::make_tuple(view.cast(), name.c_str());
}

}  // namespace

void add_tensor_exchange(bound_module& module) {
  module.def("kinds_of_host", &kinds_of_host, nb::sig("def kinds_of_host() -> list[int]"),
             "DLPack's kinds of devices whose tensors the next ones take.");
  module.def("words_of", &words_of<words, any_tensor>, nb::arg("tensor").noconvert(),
             nb::sig("def words_of(tensor: object) -> tuple[typing.Any, str]"),
             "A DLPack capsule as (array of unsigned words over its memory, name of its type).");
  module.def("writable_words_of", &words_of<writable_words, writable_tensor>,
             nb::arg("tensor").noconvert(),
             nb::sig("def writable_words_of(tensor: object) -> tuple[typing.Any, str]"),
             "The same for memory to write.");
}

}  // namespace python
