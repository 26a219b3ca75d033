// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/diagnosis_words.cpp: the text of a diagnosis.
#include "diagnosis_words.h"

#include <algorithm>

#include "golden/io/counted.h"
#include "golden/validator/places/places_words.h"

namespace golden::validator {
namespace {

/// "the tensor scale 0x3b0c30c3 (0.00213913), expected 0x3b0c30c4 (0.0021391)"
std::string tensor_scale_text(const comparison& c) {
  if (c.tensor_scale) return "the tensor scale " + text_of(*c.tensor_scale);
  if (c.tensor_scales_found == c.tensor_scales_expected) return "the macro fractions";
  return io::counted(c.tensor_scales_found, "tensor scale") + ", expected " +
         std::to_string(c.tensor_scales_expected);
}

/// " and 29 codes of padding"; empty where none differs.
std::string padding_text(const comparison& c) {
  return c.padding == 0 ? "" : " and " + io::counted(c.padding, "code") + " of padding";
}

std::string tensor_line(const tensor_result& r) {
  const std::string& name = r.shown;
  if (!r.fits) return name + ": its sizes are not those of the declared format\n";
  const std::string elements = io::counted(r.found.elements, "element");
  if (r.found.is_exact()) {
    const bool lacks = r.found.tensor_scales_found == 0 && r.found.tensor_scales_expected > 0;
    return name + ": " + elements + " equal" + (lacks ? "; no tensor scale to compare" : "") + "\n";
  }
  return name + ": " + std::to_string(r.found.mismatches - r.found.padding) + " of " + elements +
         padding_text(r.found) + " differ (" + io::counted(r.found.codes, "code") + " and " +
         io::counted(r.found.scales, "block scale") +
         (r.found.tensor_scales_agree ? "" : ", and " + tensor_scale_text(r.found)) + ")\n";
}

std::string rival_line(const rival& r) {
  const std::string apart = r.probe ? "told apart by " + r.probe->input.what
                                    : std::string("no probe of the candidates tells them apart");
  return "  or " + changes_text(r.what) + "\n     " + apart + "\n";
}

/// A few rivals, and the number of the others.
std::string rivals_text(const std::vector<rival>& rivals) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(shown, rivals.size()); ++k) text += rival_line(rivals[k]);
  if (rivals.size() <= shown) return text;
  return text + "  or " + std::to_string(rivals.size() - shown) + " more that explain every byte\n";
}

/// Says that nothing differs but NaN; empty where something does.
std::string nan_line(const diagnosis& d) {
  if (d.nan() == nan_alone::no) return {};
  if (d.nan() == nan_alone::signs) return "NaN signs alone differ: nothing else does\n";
  return "NaN codes alone differ: both sides decode to NaN everywhere\n";
}

/// "[3, 17]"
std::string index_text(const std::vector<std::uint64_t>& index) {
  std::string text;
  for (const std::uint64_t place : index)
    text += (text.empty() ? "[" : ", ") + std::to_string(place);
  return text + "]";
}

/// Found and expected contents of the place that differs.
std::string codes_text(const difference& d) {
  std::string text;
  if (d.of_code) {
    text +=
        ": code " + hexadecimal(d.found_code, 1) + ", expected " + hexadecimal(d.expected_code, 1);
  }
  text += "; scale " + hexadecimal(d.found_scale, 2);
  if (d.of_scale) text += ", expected " + hexadecimal(d.expected_scale, 2);
  return text;
}

/// "aiter.even + ", where a preset was declared and changes only in part.
std::string kept_preset(const explanation& e) {
  const bool other = std::any_of(e.changes.begin(), e.changes.end(), [](const change& c) {
    return c.dimension == name_of(dimension::variant);
  });
  if (other || e.kernel.variant() == nullptr) return {};
  return std::string(e.kernel.variant()->about.name) + " + ";
}

/// "has 63 bytes of macro_fractions; expected 64": the first array of corrections of another size.
std::string correction_sizes_text(const geometry& g, const subject& s) {
  struct sized {
    const char* name;
    std::uint64_t found, expected;
  };
  const std::uint64_t residual = g.has_residual() ? 1 : 0;
  for (const sized& array :
       {sized{"macro_fractions", s.macro_fractions.size(), g.fraction_bytes()},
        sized{"residual.codes", s.residual.codes.size(), residual * g.code_bytes()},
        sized{"residual.scales", s.residual.scales.size(), residual * g.scale_bytes()},
        sized{"residual.macro_fractions", s.residual.macro_fractions.size(),
              residual * g.fraction_bytes()}}) {
    if (array.found == array.expected) continue;
    return "has " + std::to_string(array.found) + " bytes of " + array.name + "; expected " +
           std::to_string(array.expected);
  }
  return {};
}

}  // namespace

std::string changes_text(const explanation& h) {
  std::string text;
  for (const change& c : h.changes) {
    if (!text.empty()) text += " and ";
    text += std::string(c.dimension) + ": expected " + c.expected + ", found " + c.found;
  }
  return text;
}

std::string sizes_text(const hypothesis& declared, const subject& s) {
  const auto g = geometry::of(declared, s);
  const std::string unknown = ", and no known difference explains these";
  if (g->code_bytes() == s.codes.size() && g->scale_bytes() == s.scales.size()) {
    return correction_sizes_text(*g, s) + unknown;
  }
  const auto both = [](std::uint64_t codes, const char* between, std::uint64_t scales) {
    return std::to_string(codes) + between + std::to_string(scales);
  };
  return "has " + both(s.codes.size(), " bytes of codes and ", s.scales.size()) +
         " of scales; expected " + both(g->code_bytes(), " and ", g->scale_bytes()) + unknown;
}

differing what_differs(const tensor_result& r) { return r.fits ? *r.found.what : differing::size; }

std::string where_text(const tensor_result& r) {
  return r.found.where.empty() ? "" : places_text(r.found.where);
}

std::string first_text(const tensor_result& r) {
  const std::string& name = r.shown;
  if (!r.fits) {
    return name + ": " + std::to_string(r.code_bytes) + " bytes of codes and " +
           std::to_string(r.scale_bytes) + " of scales";
  }
  const differing what = what_differs(r);
  if (!r.found.first) {
    if (what == differing::tensor_scale) return name + ": " + tensor_scale_text(r.found);
    return name + ": " + std::string(name_of(what));
  }
  const difference& d = *r.found.first;
  const std::string where =
      d.element ? "element " + index_text(d.index) + " of " + name : "padding of " + name;
  std::string text = (is_of_residual(what) ? "residual." : "") + where + ", block " +
                     std::to_string(d.block) + ", position " + std::to_string(d.position) +
                     codes_text(d);
  if (d.element) text += "; input " + number_text(r.type, d.value_bits);
  return text;
}

std::string first_text(const diagnosis& d) { return first_text(d.tensors[d.first_differing()]); }

failure_words failure_of(const diagnosis& d, std::size_t tensor) {
  const std::string why = d.explanation ? changes_text(*d.explanation) : std::string("unexplained");
  const tensor_result& r = d.tensors[tensor];
  const std::string details = first_text(r);
  const std::string where = where_text(r);
  const std::string verb = r.mismatches() == 1 && r.found.padding == 0 ? " differs; " : " differ; ";
  return {
      io::counted(r.mismatches() - r.found.padding, "element") + padding_text(r.found) + verb + why,
      where.empty() ? details : "where: " + where + "\n" + details};
}

std::string reasons_text(const diagnosis& d) {
  if (d.verdict == verdict::exact) return {};
  std::string text = "first: " + first_text(d) + "\n" + nan_line(d);
  if (d.explanation)
    text += "because " + kept_preset(*d.explanation) + changes_text(*d.explanation) + "\n";
  return text + rivals_text(d.ambiguous);
}

std::string report_text(const diagnosis& d) {
  std::string text;
  for (const tensor_result& r : d.tensors) {
    text += tensor_line(r);
    if (const std::string where = where_text(r); !where.empty()) text += "  where: " + where + "\n";
  }
  return text + reasons_text(d) + "verdict: " + std::string(name_of(d.verdict)) + "\n";
}

}  // namespace golden::validator
