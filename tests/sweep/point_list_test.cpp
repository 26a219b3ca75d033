// SPDX-License-Identifier: Apache-2.0
// tests/sweep/point_list_test.cpp: which points a sweep has, and which it leaves out with a reason.
#include "sim/sweep/point_list.h"

#include <set>

#include "catch.h"
#include "tests/sweep/sweep_text.h"

using sim::points_of;
using test::contains;
using test::grid_refusal;
using test::sweep_of;

TEST_CASE("a_grid_is_the_product_of_its_axes_without_fields_whose_condition_fails") {
  const auto list = points_of(
      sweep_of("scale = [\"e8m0\", \"ue4m3\"]\nblock = [16, 32]\n"
               "scale_rule = { values = [\"floor\", \"rceil\"], when = \"scale == e8m0\" }\n"));
  CHECK(list.combinations == 8);
  CHECK(list.points.size() == 6);
  CHECK(list.repeated == 2);  // of ue4m3, where the rule has no effect
  CHECK(list.points.front().name == "e2m1:e8m0:16 floor");
  CHECK(list.points.front().bits == 4.5);
}

TEST_CASE("one_quantizer_spelled_twice_is_one_point") {
  const auto list = points_of(sim::sweep_in(
      test::sweep_text("format = \"mxfp4\"\n") + "[[grid]]\nelement = \"e2m1\"\nblock = 32\n",
      "s"));
  CHECK(list.points.size() == 1);
  CHECK(list.repeated == 1);
}

TEST_CASE("one_quantizer_under_random_bits_that_it_does_not_draw_is_one_point") {
  const auto list =
      points_of(sweep_of("rounding = [\"nearest-even\", \"stochastic\"]\nrandom_seed = [0, 1]\n"
                         "random_bits = [8, 12]\n"));
  CHECK(list.points.size() == 5);
  CHECK(list.repeated == 3);
  CHECK(list.points[0].name == "mxfp4 floor");
  CHECK(list.points[1].name == "mxfp4 floor stochastic");
  CHECK(list.points[4].name == "mxfp4 floor stochastic random_bits=12 random_seed=1");
}

TEST_CASE("a_field_that_is_left_out_fulfils_no_condition_of_another") {
  const auto list =
      points_of(sweep_of("scale = [\"e8m0\", \"ue4m3\"]\n"
                         "random_bits = { values = [8, 12], when = \"rounding == stochastic\" }\n"
                         "rounding = { values = [\"stochastic\"], when = \"scale == e8m0\" }\n"));
  CHECK(list.points.size() == 3);
  for (const sim::sweep_point& p : list.points) {
    const bool drawn = sim::word_at(p.words, "rounding") != nullptr;
    CHECK((sim::word_at(p.words, "random_bits") != nullptr) == drawn);
  }
}

TEST_CASE("a_constraint_on_a_field_that_is_left_out_is_on_its_default") {
  const auto list = points_of(
      sweep_of("scale = [\"e8m0\", \"ue4m3\"]\n"
               "scale_rule = { values = [\"floor\", \"rceil\"], when = \"scale == e8m0\" }\n",
               "constraints = [\"scale_rule != floor\"]\n"));
  REQUIRE(list.points.size() == 2);
  CHECK(list.points[1].name == "e2m1:ue4m3:32 ideal");
}

TEST_CASE("a_constraint_on_a_field_of_a_format_or_a_product_is_on_what_it_has") {
  const auto count = [](const std::string& axes, const std::string& constraint) {
    return points_of(sweep_of(axes, "constraints = [\"" + constraint + "\"]\n")).points.size();
  };
  const std::string formats = "format = [\"mxfp4\", \"nvfp4\", \"e2m1:ue4m3:16:row256\"]\n";
  CHECK(count(formats, "tensor == none") == 1);
  CHECK(count(formats, "tensor != tensor") == 2);
  CHECK(count(formats, "tensor == row256") == 1);
  CHECK(count("block = [16, 32]\n", "format == mxfp4") == 1);
  const std::string corrected =
      "format = [\"mxfp4\", \"mxfp4+rotate=32\", \"mxfp4+double+rotate=16,fixed+mbs=64,3\"]\n";
  CHECK(count(corrected, "rotate != 32") == 2);
  CHECK(count("format = [\"mxfp4\", \"mxfp4+rotate=32\", \"mxfp4+rotate=64\"]\n", "rotate <= 32") ==
        1);
  CHECK(count(corrected, "rotate == 16,fixed and mbs == 64,3 and double == true") == 1);
  CHECK(count(corrected, "double == false and gain == none and of == none") == 2);
  CHECK(count("variant = [\"none\", \"te.nvfp4\"]\n", "variant == none") == 1);
  CHECK(count("rounding = [\"nearest-even\", \"stochastic\"]\n",
              "random_bits == 8 and random_seed == 0 and byte_map == ptx") == 2);
  const std::string products =
      "format = \"mxfp4\"\nmodel = [\"none\", \"exact.rne\", \"blackwell.mxf4\"]\n";
  CHECK(count(products, "model == none") == 1);
  CHECK(count(products, "sum_alignment == exact") == 1);
  CHECK(count(products, "sum_fraction_bits == 35 and split_k <= 1 and output == f32") == 1);
}

TEST_CASE("a_constraint_that_orders_text_is_refused_also_where_a_point_lacks_the_field") {
  const std::string refused =
      grid_refusal("format = \"mxfp4\"\n", "constraints = [\"rotate < abc\"]\n");
  CHECK(contains(refused, "'abc' is no number"));
}

TEST_CASE("a_correction_is_on_or_off") {
  for (const char* word : {"\"yes\"", "1", "\"True\""}) {
    CHECK(
        contains(grid_refusal(std::string("double = [") + word + "]\n"), "expected true or false"));
  }
  CHECK(points_of(sweep_of("double = [\"none\", true]\n")).points.size() == 2);
}

TEST_CASE("a_correction_that_the_format_has_is_no_axis_beside_it") {
  const std::string refused =
      grid_refusal("format = [\"mxfp4+of=0.5\"]\nof = [\"1\"]\n", "invalid = \"refuse\"\n");
  CHECK(contains(refused, "already has a correction `of`"));
}

TEST_CASE("a_product_under_a_tensor_scale_for_each_row_is_left_out") {
  const auto list =
      points_of(sweep_of("element = \"e2m1\"\nscale = \"ue4m3\"\nblock = 16\n"
                         "tensor = [\"tensor\", \"row\", \"row256\"]\nmodel = \"exact.rne\"\n"));
  CHECK(list.points.size() == 1);
  REQUIRE(list.refused.size() == 2);
  CHECK(contains(list.refused.begin()->first, "has one for each row"));
}

TEST_CASE("points_that_make_no_sense_are_skipped_and_counted_or_refused") {
  const std::string axes =
      "element = [\"e2m1\", \"e3m2\"]\nscale_rule = [\"floor\", \"static-4\"]\n";
  const auto list = points_of(sweep_of(axes));
  CHECK(list.points.size() == 3);
  REQUIRE(list.refused.size() == 1);
  CHECK(list.refused.begin()->second.count == 1);
  CHECK(list.refused.begin()->second.example == "element=e3m2 scale_rule=static-4");
  const std::string refused = grid_refusal(axes, "invalid = \"refuse\"\n");
  CHECK(contains(refused, "element=e3m2 scale_rule=static-4"));
}

TEST_CASE("contradictory_constraints_leave_no_point_and_say_so") {
  const std::string refused =
      grid_refusal("block = [16, 32]\n", "constraints = [\"bits < 4.3\", \"bits > 4.4\"]\n");
  CHECK(contains(refused, "no point is left"));
  CHECK(contains(refused, "1 of 2: not bits < 4.3"));
  CHECK(contains(refused, "1 of 2: not bits > 4.4"));
}

TEST_CASE("random_points_depend_on_the_seed_alone") {
  const std::string axes =
      "block = { from = 8, to = 512, step = 8 }\nscale_rule = [\"floor\", \"rceil\"]\n";
  const auto drawn = [&](int seed) {
    std::vector<std::string> names;
    const auto list = points_of(
        sweep_of(axes, "search = \"random\"\npoints = 20\nseed = " + std::to_string(seed) + "\n"));
    for (const auto& p : list.points) names.push_back(p.name);
    return names;
  };
  CHECK(drawn(1).size() == 20);
  CHECK(drawn(1) == drawn(1));
  CHECK(drawn(1) != drawn(2));
}

TEST_CASE("fields_of_a_sum_need_a_model_and_formats_that_it_reads") {
  const auto reason = [](const std::string& axes) {
    return grid_refusal(axes, "invalid = \"refuse\"\n");
  };
  CHECK(contains(reason("sum_fraction_bits = 25\n"), "needs a model"));
  CHECK(contains(reason("model = \"blackwell.mxf4\"\nformat = \"mxfp8-e4m3\"\n"), "reads"));
  CHECK(contains(reason("model = \"exact.rne\"\nformat = \"mxfp4\"\nmbs = \"128,8\"\n"),
                 "uncorrected"));
  CHECK(contains(reason("model = \"exact.rne\"\nsum_cut = \"up\"\n"), "toward-zero"));
  for (const auto& [sum, why] :
       {std::pair{"sum_group = 0", "whole groups"}, std::pair{"sum_fraction_bits = -1", "0 to 60"},
        std::pair{"sum_output = \"f16\"", "fewer fraction bits"},
        std::pair{"sum_rounding = \"stochastic\"", "without random bits"},
        std::pair{"sum_fraction_bits = 60", "62 bits"}}) {
    CAPTURE(sum);
    CHECK(contains(reason(std::string("model = \"blackwell.mxf4\"\n") + sum + "\n"), why));
  }
  CHECK(contains(reason("format = \"mxfp4\"\nelement = \"e2m1\"\n"), "exclude each other"));
  const auto list =
      points_of(sweep_of("model = \"blackwell.mxf4\"\nsum_fraction_bits = [25, 30]\n"));
  REQUIRE(list.points.size() == 2);
  CHECK(list.points[1].plan->model.sum.fraction_bits == 30);
  const auto read =
      points_of(sweep_of("model = \"blackwell.mxf8f6f4.e2m1.e2m1\"\n"
                         "sum_factors = [\"own-field\", \"binary16\", \"normal-e2m1\"]\n"));
  REQUIRE(read.points.size() == 3);
  CHECK(read.points[2].plan->model.sum.factors == mx::factor_exponent::normal_e2m1);
}

TEST_CASE("fields_of_a_product_that_are_the_model_s_own_make_no_other_point") {
  const auto list = points_of(
      sweep_of("format = \"mxfp4\"\nmodel = \"blackwell.mxf4\"\nsum_fraction_bits = [35, 25]\n"
               "promote = [0]\nsplit_k = [1, 2]\noutput = [\"f32\", \"fp32\"]\n"));
  REQUIRE(list.points.size() == 4);
  CHECK(list.repeated == 4);
  CHECK(list.points[0].name == "mxfp4 floor blackwell.mxf4");
  CHECK(list.points[3].name == "mxfp4 floor blackwell.mxf4 sum_fraction_bits=25 split_k=2");
}

TEST_CASE("every_point_has_a_key_of_its_own") {
  const auto list =
      points_of(sweep_of("block = [16, 32]\nrounding = [\"nearest-even\", \"stochastic\"]\n"
                         "random_seed = { values = [1, 2], when = \"rounding == stochastic\" }\n"));
  std::set<std::string> keys;
  for (const auto& p : list.points) keys.insert(p.key);
  CHECK(list.points.size() == 6);
  CHECK(keys.size() == 6);
}
