// SPDX-License-Identifier: Apache-2.0
// dpi_scoreboard_check.sv: the scoreboard class compares in order, whichever side writes first, and
// treats NaN and zeros as configured.
module dpi_scoreboard_check;
  import mx_dpi_pkg::*;

  localparam bit [31:0] One = 32'h3F800000, Two = 32'h40000000;
  localparam bit [31:0] Nan = 32'h7FFFFFFF, OtherNan = 32'hFFC00001, Infinity = 32'h7F800000;
  localparam bit [31:0] Zero = 32'd0, NegativeZero = 32'h80000000;

  mx_dpi_scoreboard board;
  int failures = 0;

  function automatic void expect_true(input bit holds, input string what);
    if (holds) return;
    failures++;
    $display("not so: %s", what);
  endfunction

  function automatic bit agree(input mx_dpi_nan_policy_e nan, input mx_dpi_zero_policy_e zero,
                               input bit [31:0] wanted, input bit [31:0] got);
    mx_dpi_scoreboard one;
    one = new(nan, zero);
    one.write_expected(wanted);
    one.write_actual(got);
    return one.check();
  endfunction
  function automatic bit exactly(input bit [31:0] wanted, input bit [31:0] got);
    return agree(mx_dpi_nan_bit_exact, mx_dpi_zero_bit_exact, wanted, got);
  endfunction
  function automatic bit any_nan(input bit [31:0] wanted, input bit [31:0] got);
    return agree(mx_dpi_nan_any, mx_dpi_zero_bit_exact, wanted, got);
  endfunction
  function automatic bit any_zero(input bit [31:0] wanted, input bit [31:0] got);
    return agree(mx_dpi_nan_bit_exact, mx_dpi_zero_any_sign, wanted, got);
  endfunction

  function automatic void check_policies();
    expect_true(exactly(One, One) && !exactly(One, Two), "words are compared");
    expect_true(exactly(Nan, Nan) && !exactly(Nan, OtherNan), "NaN is bit exact");
    expect_true(!exactly(Zero, NegativeZero), "zeros have a sign");
    expect_true(any_nan(Nan, OtherNan) && any_nan(OtherNan, Nan), "any NaN is a NaN");
    expect_true(!any_nan(Nan, Infinity) && !any_nan(Infinity, Nan), "Inf is no NaN");
    expect_true(!any_nan(Nan, One) && !any_nan(One, Nan), "a number is no NaN");
    expect_true(!any_nan(Zero, NegativeZero), "zeros keep their sign where NaN is any");
    expect_true(any_zero(Zero, NegativeZero) && any_zero(NegativeZero, Zero), "any zero is zero");
    expect_true(!any_zero(Zero, One) && !any_zero(One, Zero), "a number is no zero");
    expect_true(!any_zero(Nan, OtherNan), "NaN is bit exact where zeros are any");
  endfunction

  function automatic void check_order();
    board = new(mx_dpi_nan_bit_exact, mx_dpi_zero_bit_exact);
    expect_true(board.check(), "an empty scoreboard is right");
    board.write_actual(One);
    expect_true(!board.check() && board.compared == 0, "an actual word waits");
    board.write_actual(Two);
    board.write_expected(One);
    board.write_expected(Two);
    expect_true(board.check() && board.compared == 2, "actual words may come first, in order");
    board.write_expected(One);
    expect_true(!board.check(), "an expected word waits");
    board.write_expected(Two);
    board.write_actual(Two);
    expect_true(board.mismatches == 1 && board.first_mismatch == 2, "order matters");
    board.write_actual(Nan);
    expect_true(board.mismatches == 2 && board.first_mismatch == 2, "the first mismatch is kept");
    expect_true(board.mismatch_expected == One && board.mismatch_actual == Two, "both its sides");
    expect_true(!board.check() && board.compared == 4, "a mismatch stays");
  endfunction

  initial begin
    check_policies();
    check_order();
    board.report("scoreboard");
    // Not both: a second end of the simulation is a good one.
    if (failures != 0) $fatal(1, "%0d failures", failures);
    else $finish;
  end
endmodule
