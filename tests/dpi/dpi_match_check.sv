// SPDX-License-Identifier: Apache-2.0
// dpi_match_check.sv: in a simulator of four states, a word with X or Z matches no expected word.
`include "mx_dpi_match.svh"

module dpi_match_check;
  int failures = 0;

  task automatic expect_one(input mx_dpi_nan_policy_e nan, input mx_dpi_zero_policy_e zero,
                            input bit holds, input bit [31:0] wanted, input logic [31:0] word);
    if (mx_dpi_matches(nan, zero, wanted, word) != holds) begin
      failures++;
      $display("%x and %x, policies %0d and %0d", wanted, word, nan, zero);
    end
  endtask

  task automatic expect_match(input bit holds, input bit [31:0] wanted,
                              input logic [31:0] word);
    expect_one(mx_dpi_nan_bit_exact, mx_dpi_zero_bit_exact, holds, wanted, word);
    expect_one(mx_dpi_nan_bit_exact, mx_dpi_zero_any_sign, holds, wanted, word);
    expect_one(mx_dpi_nan_any, mx_dpi_zero_bit_exact, holds, wanted, word);
    expect_one(mx_dpi_nan_any, mx_dpi_zero_any_sign, holds, wanted, word);
  endtask

  initial begin
    expect_match(1'b1, 32'h3F800000, 32'h3F800000);
    expect_match(1'b0, 32'h3F800000, 32'h3F800001);
    expect_match(1'b0, 32'd0, 32'hxxxxxxxx);
    expect_match(1'b0, 32'd0, 32'hx0000000);
    expect_match(1'b0, 32'd0, 32'hzzzzzzzz);
    expect_match(1'b0, 32'h3F800000, 32'h3F8000xx);
    expect_match(1'b0, 32'h7FFFFFFF, 32'hx7FFFFFF);
    expect_match(1'b0, 32'h7FFFFFFF, 32'h7FFFFFFx);
    if (failures == 0) $display("all match as they should");
  end
endmodule
