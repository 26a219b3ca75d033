// SPDX-License-Identifier: Apache-2.0
// golden/bindings/verdict_handle.h: the contents of an mx_verdict: a diagnosis, and the texts and
// pointers that callers read of it.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "golden/bindings/arguments.h"
#include "golden/validator/product/diagnose.h"
#include "golden/validator/tensor/diagnose.h"
#include "mxprism/verify_product.h"

/// In the global namespace, where the C header declares it.
///   text, first, where  the report; one line on the first difference of a tensor, and on their
///                       places
///   pattern            of these places; of no meaning where there are none
///   explanation_texts  one for each explanation
///   distinction_data   pointers into each distinction of a product
struct mx_verdict {
  explicit mx_verdict(golden::validator::diagnosis of);
  explicit mx_verdict(golden::validator::product_diagnosis of);

  const std::variant<golden::validator::diagnosis, golden::validator::product_diagnosis> found;
  std::string text, first, where, pattern;
  std::vector<std::string> explanation_texts;
  std::vector<std::vector<const char*>> distinction_data;
};

namespace bindings {

[[nodiscard]] const mx_verdict& verdict_of(const mx_verdict* handle);

/// The item of a caller's number, or a refusal with this sentence.
template <class T>
const T& numbered(const std::vector<T>& list, std::uint64_t number, const char* sentence) {
  require(number < list.size(), sentence);
  return list[number];
}

template <class T>
const T& required(const std::optional<T>& value, const char* sentence) {
  require(value.has_value(), sentence);
  return *value;
}

}  // namespace bindings
