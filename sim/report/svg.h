// SPDX-License-Identifier: Apache-2.0
// sim/report/svg.h: an SVG drawing whose colours come from the page's style sheet.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sim {

struct point {
  double x, y;
};

enum class anchor { start, middle, end };
enum class mark { disc, ring, square, diamond, triangle };

/// Colours (and dashes of lines) that are distinct under any colour vision. The first two are
/// reserved for the reference and plain MXFP4.
inline constexpr int styles = 9;

/// A drawing of fixed size in CSS pixels; y points down.
class drawing {
 public:
  /// title: text for screen readers
  drawing(double width, double height, std::string_view title);

  void line(point from, point to, std::string_view css_class);
  void text(point at, std::string_view what, anchor side, std::string_view css_class = "");
  /// Text in the colour of a style.
  void label(point at, std::string_view what, anchor side, int style);
  /// Text rotated to read upwards.
  void upright_text(point at, std::string_view what);
  /// A line through points in one style; hover shows `name`.
  ///   numbers  of its points, for a table: "x y;x y"
  void path(const std::vector<point>& points, int style, std::string_view name,
            std::string_view numbers = {});
  /// A filled area between points in one style.
  void area(const std::vector<point>& outline, int style, std::string_view name);
  void sign(point at, mark shape, int style, std::string_view hover);
  /// A small disc that stands for a row of the page's table.
  void dot(point at, double radius, int style, std::size_t row);
  void whisker(point from, point to, int style);
  /// A quiet area behind marks.
  void shade(point corner, point opposite);
  void bar(point corner, double width, double height, int style, std::string_view hover);
  /// A bar in a paler colour of the style.
  ///   depth  from 0, transparent, to 1
  void tint(point corner, double width, double height, int style, double depth,
            std::string_view hover);

  [[nodiscard]] std::string svg() const;

 private:
  double width_, height_;
  std::string title_, body_;
};

/// The class of a legend's word: it turns the marks of that style off and on.
[[nodiscard]] std::string key_class(int style);

/// The place nearest to x at which centred text of a drawing's own size stays between two places.
[[nodiscard]] double centred_between(double x, std::string_view text, double low, double high);

/// Values from low to high, drawn from `from` to `to`.
struct scale_of_axis {
  double low = 0, high = 1;
  double from = 0, to = 1;

  /// In halves: the range of the largest numbers is none itself.
  [[nodiscard]] double at(double v) const {
    return from + (v / 2 - low / 2) / (high / 2 - low / 2) * (to - from);
  }
};

/// The ends of an axis of numbers from low to high: finite, and moved apart where these are equal
/// or differ by less than a billionth of themselves.
[[nodiscard]] std::pair<double, double> ends_of_axis(double low, double high);

/// Ends and places of the ticks of an axis that covers all values: multiples of 1, 2 or 5 times a
/// power of ten.
struct axis_ticks {
  double low = 0, high = 1;
  int decimals = 0;
  std::vector<double> places;
};

/// Of the ends that ends_of_axis gives.
[[nodiscard]] axis_ticks ticks_between(double low, double high, int about);

}  // namespace sim
