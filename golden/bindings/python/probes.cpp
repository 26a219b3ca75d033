// SPDX-License-Identifier: Apache-2.0
// golden/bindings/python/probes.cpp: inputs that tell kernels apart, and the card of an output.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "golden/bindings/python/array.h"
#include "golden/bindings/python/module.h"
#include "golden/bindings/python/recipe_words.h"
#include "golden/probe/card_text.h"
#include "golden/probe/probe_tensor.h"
#include "golden/probe/variant_card.h"

namespace python {
namespace {

namespace gp = golden::probe;
namespace gv = golden::validator;
using namespace nanobind::literals;

/// A tensor of a probe with a kernel's output: the name, its codes, scales and tensor scales.
struct kernel_output {
  std::string name;
  read_bytes codes, scales;
  std::vector<float> tensor_scales;
};

std::span<const std::uint8_t> bytes_in(const read_bytes& array) {
  return {array.data(), array.size()};
}

/// What a probe takes: formats without corrections, with stored scales, at most one above them.
mx::block_format probed_format(const std::string& name) {
  mx::recipe_words words;
  words.format = name;
  const mx::recipe r = recipe_of(words);
  const bool taken = r.is_plain() && r.format().precision != mx::scale_precision::exact &&
                     r.format().tensor != mx::tensor_scaling::per_row;
  if (!taken) {
    throw nb::value_error(
        "format: a probe takes formats without corrections, with stored scales and one tensor "
        "scale at most");
  }
  return r.format();
}

class probe {
 public:
  probe(const std::string& format, std::int32_t type, std::uint64_t rows, std::uint64_t columns)
      : type_(static_cast<mx::number_type>(type)), format_(probed_format(format)) {
    const nb::gil_scoped_release released;
    made_ = gp::make_probe({format_, type_, rows, columns});
  }

  /// Name, shape and bytes of every tensor.
  [[nodiscard]] nb::list tensors() const {
    nb::list all;
    for (const gp::probe_tensor& t : made_.tensors) {
      all.append(nb::make_tuple(t.name, t.shape, nb::bytes(t.bytes.data(), t.bytes.size())));
    }
    return all;
  }

  [[nodiscard]] gp::variant_card card(const std::vector<kernel_output>& outputs) const {
    std::vector<gv::subject> subjects;
    for (const kernel_output& o : outputs) subjects.push_back(subject_of(o));
    const nb::gil_scoped_release released;
    return gp::card_of(format_, subjects);
  }

 private:
  [[nodiscard]] gv::subject subject_of(const kernel_output& o) const {
    for (const gp::probe_tensor& t : made_.tensors) {
      if (t.name != o.name) continue;
      gv::subject s = gp::subject_of(t, type_);
      s.codes = bytes_in(o.codes);
      s.scales = bytes_in(o.scales);
      s.tensor_scales = o.tensor_scales;
      return s;
    }
    throw nb::key_error(o.name.c_str());
  }

  mx::number_type type_;
  mx::block_format format_;
  gp::probe made_;
};

nb::dict line_of(const gp::card_line& line) {
  nb::list values;
  for (const gp::card_value& v : line.values) values.append(nb::make_tuple(v.word, v.why));
  nb::dict d;
  d["property"] = line.property, d["known"] = gp::name_of(line.known);
  d["values"] = nb::tuple(values), d["note"] = line.note, d["text"] = gp::text_of(line);
  return d;
}

/// The card as lines.
std::string text_of(const gp::variant_card& card) {
  constexpr std::size_t value_column = 28;
  std::string text = gp::verdict_text(card) + "\n";
  for (const gp::card_entry& e : gp::entries_of(card, {})) {
    const std::size_t blanks = e.name.size() < value_column ? value_column - e.name.size() : 1;
    text += e.name + std::string(blanks, ' ') + e.text + "\n";
  }
  return text;
}

nb::dict dict_of(const gp::variant_card& card) {
  nb::list lines, specials, nearest;
  for (const gp::card_line& line : card.lines) lines.append(line_of(line));
  for (const gp::special_outcome& o : card.specials) {
    specials.append(nb::make_tuple(o.what, o.scale, o.elements));
  }
  for (const gp::near_recipe& n : card.nearest) {
    nearest.append(nb::make_tuple(n.name, n.blocks, n.of));
  }
  nb::dict d;
  d["explained"] = card.explained, d["has_known_sizes"] = card.has_known_sizes;
  d["presets"] = nb::tuple(nb::cast(card.presets));
  d["lines"] = lines, d["specials"] = specials, d["nearest"] = nearest;
  nb::list changes;
  for (const gv::change& c : card.changes) {
    changes.append(nb::make_tuple(c.dimension, c.expected, c.found));
  }
  d["changes"] = changes, d["changed"] = card.changed, d["part"] = card.part;
  d["without"] = card.without, d["text"] = text_of(card);
  return d;
}

}  // namespace

void add_probes(bound_module& module) {
  module.add_class<kernel_output>("KernelOutput", "A kernel's output on a tensor of a probe.")
      .def(
          "__init__",
          [](kernel_output* made, const std::string& name, const read_bytes& codes,
             const read_bytes& scales, const read_bytes& tensor_scales) {
            new (made) kernel_output{name, codes, scales, floats_in(tensor_scales)};
          },
          "name"_a, "codes"_a.noconvert(), "scales"_a.noconvert(), "tensor_scales"_a.noconvert());
  module.add_class<probe>("Probe", "An input on which known kernels differ.")
      .def(nb::init<const std::string&, std::int32_t, std::uint64_t, std::uint64_t>(), "format"_a,
           "type"_a, "rows"_a, "columns"_a)
      .def("tensors", &probe::tensors,
           nb::sig("def tensors(self) -> list[tuple[str, list[int], bytes]]"),
           "Name, shape and bytes of every tensor.")
      .def(
          "card",
          [](const probe& p, const std::vector<kernel_output>& o) { return dict_of(p.card(o)); },
          "outputs"_a,
          nb::sig("def card(self, outputs: Sequence[KernelOutput]) -> dict[str, typing.Any]"),
          "The members of a card.");
}

}  // namespace python
