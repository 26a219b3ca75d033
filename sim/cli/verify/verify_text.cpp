// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_text.cpp: a diagnosis in words.
#include <fmt/format.h>

#include "golden/validator/numbers.h"
#include "sim/cli/terminal/exact_text.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

std::string tensor_line(const verified& v, std::size_t k) {
  const gv::subject& s = v.files.subjects[k];
  const gv::tensor_result& r = v.found.tensors[k];
  const std::string name = golden::io::printable(s.name);
  if (!r.fits) return fmt::format("{}: its sizes are not those of the declared format\n", name);
  if (r.found.is_exact())
    return fmt::format("{}: {} equal\n", name, counted(r.found.elements, "element"));
  return fmt::format("{}: {} of {} differ ({} and {}{})\n", name, r.found.mismatches,
                     counted(r.found.elements, "element"), counted(r.found.codes, "code"),
                     counted(r.found.scales, "block scale"),
                     r.found.tensor_scales_agree ? "" : ", and the tensor scale");
}

std::string rival_line(const gv::rival& rival) {
  const std::string told = rival.probe ? "told apart by " + rival.probe->input.what
                                       : std::string("no probe of the candidates tells them apart");
  return fmt::format("  or {}\n     {}\n", changes_text(rival.what), told);
}

}  // namespace

std::size_t first_differing(const verified& v) {
  std::size_t k = 0;
  while (v.found.tensors[k].fits && v.found.tensors[k].found.is_exact()) ++k;
  return k;
}

std::string verdict_name(gv::verdict verdict) {
  constexpr const char* names[] = {"exact", "explained", "unexplained"};
  return names[static_cast<int>(verdict)];
}

std::string index_text(const gv::subject& s, std::uint64_t element) {
  std::vector<std::uint64_t> index(s.shape.size());
  for (std::size_t k = s.shape.size(); k-- > 0;) {
    index[k] = element % s.shape[k];
    element /= s.shape[k];
  }
  return golden::io::shape_text(index);
}

std::string number_text(const gv::subject& s, std::uint32_t bits) {
  const int digits = s.type == mx::number_type::fp32 ? 8 : 4;
  gv::subject one;
  one.type = s.type;
  one.values = {reinterpret_cast<const std::uint8_t*>(&bits), sizeof bits};
  return fmt::format("0x{:0{}x} ({})", bits, digits, decimal_text(gv::number_at(one, 0)));
}

std::string changes_text(const gv::hypothesis& h) {
  std::string text;
  for (const gv::change& c : h.changes) {
    text += fmt::format("{}{}: expected {}, found {}", text.empty() ? "" : " and ",
                        gv::name_of(c.what), c.expected, c.found);
  }
  return text;
}

std::uint64_t mismatches_of(const verified& v, std::size_t tensor) {
  const gv::tensor_result& r = v.found.tensors[tensor];
  return r.fits ? r.found.mismatches : v.files.subjects[tensor].elements();
}

std::string first_text(const verified& v) {
  const std::size_t k = first_differing(v);
  const gv::subject& s = v.files.subjects[k];
  const gv::tensor_result& r = v.found.tensors[k];
  if (!r.fits) {
    return fmt::format("{}: {} bytes of codes and {} of scales", golden::io::printable(s.name),
                       s.codes.size(), s.scales.size());
  }
  if (!r.found.first) {
    return golden::io::printable(s.name) +
           (r.found.array.empty() ? ": the tensor scale" : ": " + r.found.array);
  }
  const gv::difference& d = *r.found.first;
  const std::string where = d.element ? fmt::format("element {} of {}", index_text(s, *d.element),
                                                    golden::io::printable(s.name))
                                      : fmt::format("padding of {}", golden::io::printable(s.name));
  std::string text =
      fmt::format("{}{}, block {}, position {}", r.found.array, where, d.block, d.position);
  if (d.of_code)
    text += fmt::format(": code 0x{:x}, expected 0x{:x}", d.found_code, d.expected_code);
  text += d.of_scale
              ? fmt::format("; scale 0x{:02x}, expected 0x{:02x}", d.found_scale, d.expected_scale)
              : fmt::format("; scale 0x{:02x}", d.found_scale);
  if (d.element) text += "; input " + number_text(s, d.value_bits);
  return text;
}

std::string report_text(const verified& v) {
  std::string text;
  for (std::size_t k = 0; k < v.found.tensors.size(); ++k) text += tensor_line(v, k);
  if (v.found.verdict == gv::verdict::exact) return text + "verdict: exact\n";
  text += "first: " + first_text(v) + "\n";
  if (v.found.explanation) text += "because " + changes_text(*v.found.explanation) + "\n";
  for (const gv::rival& rival : v.found.ambiguous) text += rival_line(rival);
  return text + "verdict: " + verdict_name(v.found.verdict) + "\n";
}

}  // namespace sim::cli
