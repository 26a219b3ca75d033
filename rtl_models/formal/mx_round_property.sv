// SPDX-License-Identifier: Apache-2.0
// mx_round_property.sv: the contract of mx_round, stated without normalization: the sum is divided
// by the unit in the last place of its binade, and the remainder decides.
// The constants are those of IEEE 754 binary32, deliberately not taken from mx_pkg.
module mx_round_property #(
  parameter int Width = 48,
  parameter int Rounding = mx_pkg::RoundTowardZero,
  parameter int ZeroResult = mx_pkg::ZeroResultOfTerms
) (
  input logic signed [Width-1:0] sum_i,
  input logic signed [mx_pkg::ExponentWidth-1:0] unit_i,
  input logic zero_is_negative_i
);
  logic [31:0] code;
  mx_round #(.Width(Width), .Rounding(Rounding), .ZeroResult(ZeroResult)) u_round (
    .sum_i(sum_i), .unit_i(unit_i), .zero_is_negative_i(zero_is_negative_i), .code_o(code)
  );

  localparam int Wide = Width + 24;
  logic [Width-1:0] magnitude;
  logic [Wide-1:0] quotient, remainder, half;
  logic [31:0] expected;
  (* keep *) logic [31:0] leading;  // the runner checks each value separately
  integer binade, quantum, places;

  always_comb begin
    magnitude = sum_i < 0 ? -sum_i : sum_i;
    leading = 0;
    for (int i = 0; i < Width; i++) if (magnitude[i]) leading = 32'(i);
    binade = 32'(unit_i) + $signed(leading);
    quantum = (binade < -126 ? -126 : binade) - 23;
    places = quantum - 32'(unit_i);
    remainder = '0;
    half = '0;
    if (places <= 0) begin
      quotient = Wide'(magnitude) << (-places);
    end else if (places > Width) begin
      quotient = '0;
    end else begin
      quotient = Wide'(magnitude) >> places;
      remainder = Wide'(magnitude) - (quotient << places);
      half = Wide'(1) << (places - 1);
    end
    expected = 32'(quotient) + ((quantum + 149) << 23);
    if (Rounding == mx_pkg::RoundTiesToEven && half != '0) begin
      if (remainder > half || (remainder == half && quotient[0])) expected = expected + 1;
    end
    if (quantum > 127 - 23 || expected >= 32'h7F80_0000) expected = 32'h7F80_0000;
    if (ZeroResult == mx_pkg::ZeroResultOfTerms || expected != '0) begin
      expected = expected | {sum_i < 0, 31'd0};
    end
    if (sum_i == 0) expected = {zero_is_negative_i, 31'd0};

    assume (unit_i >= -1536 && unit_i <= 1023);
    assert (code == expected);
  end
endmodule
