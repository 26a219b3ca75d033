// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/model.cpp: tensor core models, dot products and whole products.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "golden/bindings/python/array.h"
#include "golden/bindings/python/module.h"
#include "golden/bindings/python/status.h"
#include "golden/bindings/python/verdict.h"

namespace python {
namespace {

using namespace nanobind::literals;
using optional_bytes = std::optional<read_bytes>;

class model {
 public:
  model(const std::string& name, const std::string& options) {
    mx_model* made = nullptr;
    call([&](mx_error* error) {
      return mx_model_create(whole_words(name), whole_words(options), &made, error);
    });
    handle_.reset(made);
    call([&](mx_error* error) { return mx_model_describe(made, &facts_, error); });
    call([&](mx_error* error) { return mx_plan_default(made, &plan_, error); });
  }

  [[nodiscard]] const mx_model* get() const { return handle_.get(); }
  [[nodiscard]] const mx_model_facts& facts() const { return facts_; }
  [[nodiscard]] const mx_plan& plan() const { return plan_; }

 private:
  owned<mx_model, mx_model_destroy> handle_;
  mx_model_facts facts_ = sized<mx_model_facts>();
  mx_plan plan_ = sized<mx_plan>();
};

/// Stored codes with their scales.
struct factor {
  read_bytes codes;
  std::int32_t storage = mx_codes_bytes;
  std::uint64_t line_bytes = 0;
  optional_bytes scales;

  [[nodiscard]] mx_matrix matrix() const {
    return {buffer_of(codes), storage, line_bytes, buffer_of(scales)};
  }
};

void dot(const model& m, std::uint64_t count, std::uint64_t k, const read_bytes& a,
         const read_bytes& b, const optional_bytes& scale_a, const optional_bytes& scale_b,
         const read_bytes& c, const written_bytes& d) {
  const mx_words words{sizeof words,       count,        k,
                       buffer_of(a),       buffer_of(b), buffer_of(scale_a),
                       buffer_of(scale_b), buffer_of(c), buffer_of(d)};
  call_unlocked([&](mx_error* error) { return mx_model_dot(m.get(), &words, error); });
}

template <class D>
mx_product product_of(std::uint64_t rows, std::uint64_t columns, std::uint64_t k, const factor& a,
                      const factor& b, const optional_bytes& c, const D& d) {
  return {sizeof(mx_product), rows, columns, k, a.matrix(), b.matrix(), buffer_of(c), buffer_of(d)};
}

void gemm(const model& m, std::uint64_t rows, std::uint64_t columns, std::uint64_t k,
          const factor& a, const factor& b, const optional_bytes& c, const written_bytes& d,
          const mx_plan& plan) {
  const mx_product product = product_of(rows, columns, k, a, b, c, d);
  call_unlocked([&](mx_error* error) { return mx_model_gemm(m.get(), &product, &plan, error); });
}

verdict verify(const model& m, std::uint64_t rows, std::uint64_t columns, std::uint64_t k,
               const factor& a, const factor& b, const optional_bytes& c, const read_bytes& d,
               const mx_plan& plan, std::int32_t declared) {
  const mx_product product = product_of(rows, columns, k, a, b, c, d);
  mx_verdict* made = nullptr;
  call_unlocked([&](mx_error* error) {
    return mx_product_verify(m.get(), &product, &plan, declared, &made, error);
  });
  return {owned<mx_verdict, mx_verdict_destroy>(made)};
}

void add_plan(bound_module& module) {
  module.add_class<mx_plan>("Plan", "mx_plan.")
      .def_rw("alpha", &mx_plan::alpha)
      .def_rw("tensor_scale_a", &mx_plan::tensor_scale_a)
      .def_rw("tensor_scale_b", &mx_plan::tensor_scale_b)
      .def_rw("promote", &mx_plan::promote)
      .def_rw("split_k", &mx_plan::split_k)
      .def_rw("split_order", &mx_plan::split_order)
      .def_rw("c_entry", &mx_plan::c_entry)
      .def_rw("output", &mx_plan::output)
      .def_rw("output_rounding", &mx_plan::output_rounding);
}

}  // namespace

void add_model(bound_module& module) {
  module.add_class<factor>("Factor", "mx_matrix: a factor of a product, line after line.")
      .def(
          "__init__",
          [](factor* made, const read_bytes& codes, std::int32_t storage, std::uint64_t line_bytes,
             const optional_bytes& scales) {
            new (made) factor{codes, storage, line_bytes, scales};
          },
          "codes"_a.noconvert(), "storage"_a, "line_bytes"_a, "scales"_a.noconvert().none());
  add_plan(module);
  module.add_class<model>("Model", "mx_model: a model of a tensor core and its operands.")
      .def(nb::init<const std::string&, const std::string&>(), "name"_a, "options"_a)
      .def_prop_ro("name", [](const model& m) { return m.facts().name; })
      .def_prop_ro("evidence", [](const model& m) { return m.facts().evidence; })
      .def_prop_ro("source", [](const model& m) { return m.facts().source; })
      .def_prop_ro("doubts", [](const model& m) { return m.facts().doubts; })
      .def_prop_ro("a_code_bytes", [](const model& m) { return m.facts().a_code_bytes; })
      .def_prop_ro("b_code_bytes", [](const model& m) { return m.facts().b_code_bytes; })
      .def_prop_ro("block", [](const model& m) { return m.facts().block; })
      .def_prop_ro("result_bits", [](const model& m) { return m.facts().result_bits; })
      .def_prop_ro("addend_bits", [](const model& m) { return m.facts().addend_bits; })
      .def_prop_ro(
          "handle", [](const model& m) { return reinterpret_cast<std::uintptr_t>(m.get()); },
          "Address of the mx_model, for libmxprism_cuda.")
      .def_prop_ro("plan", &model::plan, nb::rv_policy::copy, "The default one.")
      .def("dot", &dot, "count"_a, "k"_a, "a"_a.noconvert(), "b"_a.noconvert(),
           "scale_a"_a.noconvert().none(), "scale_b"_a.noconvert().none(), "c"_a.noconvert(),
           "d"_a.noconvert(), "mx_model_dot: fills d with the bits of results.")
      .def("gemm", &gemm, "m"_a, "n"_a, "k"_a, "a"_a, "b"_a, "c"_a.noconvert().none(),
           "d"_a.noconvert(), "plan"_a, "mx_model_gemm: fills d with the bits of results.")
      .def("verify", &verify, "m"_a, "n"_a, "k"_a, "a"_a, "b"_a, "c"_a.noconvert().none(),
           "d"_a.noconvert(), "plan"_a, "declared"_a, "mx_product_verify.");
}

}  // namespace python
