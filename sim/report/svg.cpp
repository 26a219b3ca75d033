// SPDX-License-Identifier: Apache-2.0
// sim/report/svg.cpp: an SVG drawing whose colours come from the page's style sheet.
#include "sim/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

#include "sim/report/figure_text.h"

namespace sim {
namespace {

/// Of a range, relative to its ends: steps within it show in ten digits of a number.
constexpr double narrowest = 1e-9;

double within_numbers(double v) {
  constexpr double largest = std::numeric_limits<double>::max();
  return std::clamp(v, -largest, largest);
}

/// The whole one may be too large for a number.
double half_of_range(double low, double high) { return high / 2 - low / 2; }

struct tick_step {
  double size;
  int decimals;
};

/// The largest step that is no larger than wanted, but for the ninth decimal.
tick_step step_of_ticks(double wanted) {
  double step = 1;
  int decimals = 0;
  for (; step > wanted && decimals < 9; step /= 10) ++decimals;
  for (; step * 10 <= wanted; step *= 10) --decimals;
  if (step * 5 <= wanted) {
    step *= 5;
  } else if (step * 2 <= wanted) {
    step *= 2;
  }
  return {step, std::max(decimals, 0)};
}

const char* name_of(anchor side) {
  constexpr std::array names{"start", "middle", "end"};
  return names[static_cast<std::size_t>(side)];
}

std::string hover_text(std::string_view what) {
  return what.empty() ? "" : fmt::format("<title>{}</title>", escaped(what));
}

/// Outline of a mark around the origin.
const char* outline(mark shape) {
  constexpr const char* circle = "M-3.8 0a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0-7.6 0z";
  constexpr std::array outlines{circle, circle, "M-3.4-3.4h6.8v6.8h-6.8z",
                                "M0-4.8L4.8 0L0 4.8L-4.8 0z", "M0-4.6L4.4 3.4H-4.4z"};
  return outlines[static_cast<std::size_t>(shape)];
}

/// Path data of a line through points.
std::string through(const std::vector<point>& points) {
  std::string d;
  for (const point& p : points) {
    d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", p.x, p.y);
  }
  return d;
}

}  // namespace

drawing::drawing(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(title) {}

void drawing::line(point from, point to, std::string_view css_class) {
  body_ +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n",
                  from.x, from.y, to.x, to.y, css_class);
}

void drawing::text(point at, std::string_view what, anchor side, std::string_view css_class) {
  body_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n",
                  at.x, at.y, name_of(side), css_class, escaped(what));
}

void drawing::label(point at, std::string_view what, anchor side, int style) {
  text(at, what, side, fmt::format("label t{}", style));
}

void drawing::upright_text(point at, std::string_view what) {
  body_ += fmt::format(
      "<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      at.x, at.y, escaped(what));
}

void drawing::path(const std::vector<point>& points, int style, std::string_view name,
                   std::string_view numbers) {
  const std::string d = through(points);
  if (d.empty()) return;
  const std::string data = numbers.empty() ? "" : fmt::format(" data-xy=\"{}\"", numbers);
  body_ += fmt::format("<path d=\"{}\" class=\"curve c{}\"{}>{}</path>\n", d, style, data,
                       hover_text(name));
}

void drawing::area(const std::vector<point>& outline_points, int style, std::string_view name) {
  if (outline_points.empty()) return;
  body_ += fmt::format("<path d=\"{}z\" class=\"band f{}\">{}</path>\n", through(outline_points),
                       style, hover_text(name));
}

void drawing::sign(point at, mark shape, int style, std::string_view hover) {
  body_ += fmt::format(
      "<path transform=\"translate({:.1f} {:.1f})\" d=\"{}\" class=\"{} {}{}\">{}</path>\n", at.x,
      at.y, outline(shape), shape == mark::ring ? "ring" : "mark", shape == mark::ring ? "c" : "f",
      style, hover_text(hover));
}

void drawing::dot(point at, double radius, int style, std::size_t row) {
  body_ +=
      fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"f{}\" data-p=\"{}\"/>\n",
                  at.x, at.y, radius, style, row);
}

void drawing::whisker(point from, point to, int style) {
  line(from, to, fmt::format("whisker c{}", style));
}

void drawing::shade(point corner, point opposite) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"shade\"/>\n",
      corner.x, corner.y, opposite.x - corner.x, opposite.y - corner.y);
}

void drawing::bar(point corner, double width, double height, int style, std::string_view hover) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "class=\"f{}\">{}</rect>\n",
      corner.x, corner.y, std::max(width, 0.0), height, style, hover_text(hover));
}

void drawing::tint(point corner, double width, double height, int style, double depth,
                   std::string_view hover) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"f{}\" "
      "fill-opacity=\"{:.2f}\">{}</rect>\n",
      corner.x, corner.y, width, height, style, depth, hover_text(hover));
}

std::string drawing::svg() const {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" style=\"max-width:{0:.0f}px\" role=\"img\" "
      "aria-label=\"{2}\">\n{3}</svg>\n",
      width_, height_, escaped(title_), body_);
}

std::string key_class(int style) { return fmt::format("key k{}", style); }

double centred_between(double x, std::string_view text, double low, double high) {
  constexpr double digit_width = 7;  // at least that of a digit of 11.5 px
  const double half = static_cast<double>(characters_in(text)) * digit_width / 2,
               middle = (low + high) / 2;
  return std::clamp(x, std::min(low + half, middle), std::max(high - half, middle));
}

std::pair<double, double> ends_of_axis(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) return {0, 1};
  low = within_numbers(low);
  high = within_numbers(high);
  const double size = std::max(std::abs(low), std::abs(high));
  if (half_of_range(low, high) > narrowest / 2 * size) return {low, high};
  const double margin = std::max(1.0, size / 8) / 2;
  return {within_numbers(low - margin), within_numbers(high + margin)};
}

axis_ticks ticks_between(double low, double high, int about) {
  std::tie(low, high) = ends_of_axis(low, high);
  const auto [step, decimals] = step_of_ticks(2 * (half_of_range(low, high) / about));
  // Counted in integers: a number that a step does not change would be counted for ever. They fit:
  // the range is no narrower than a billionth of its ends.
  const auto first = static_cast<std::int64_t>(std::floor(low / step + 1e-9)),
             last = static_cast<std::int64_t>(std::ceil(high / step - 1e-9));
  axis_ticks result;
  result.decimals = decimals;
  for (std::int64_t i = first; i <= last; ++i) {
    const double place = static_cast<double>(i) * step;
    if (std::isfinite(place)) result.places.push_back(place);
  }
  result.low = within_numbers(static_cast<double>(first) * step);
  result.high = within_numbers(static_cast<double>(last) * step);
  return result;
}

}  // namespace sim
