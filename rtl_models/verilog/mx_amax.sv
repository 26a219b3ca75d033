// SPDX-License-Identifier: Apache-2.0
// mx_amax.sv: the largest finite magnitude of a block, and whether it contains a NaN or an Inf.
/// Equals mx::extent_of (emulator/include/mx/block/block.h), checked by tests/rtl.
module mx_amax #(
  /// A format with Inf and NaN in the top exponent field.
  parameter logic [mx_pkg::FormatWidth-1:0] Format = mx_pkg::Binary32,
  parameter int Count = mx_pkg::Mxfp4Block
) (
  /// Element i is bits i * width and up.
  input  logic [Count*mx_pkg::width(Format)-1:0] x_i,
  /// Without the sign; zero if no element is finite.
  output logic [mx_pkg::width(Format)-2:0] amax_o,
  output logic special_o
);
  localparam int Width = mx_pkg::width(Format);
  localparam int FractionBits = mx_pkg::fraction_bits(Format);

  logic [Count-1:0] special;
  // Magnitudes have the order of their codes as integers; the sign is cleared.
  logic [Count*Width-1:0] magnitudes;
  logic unused_sign;

  for (genvar i = 0; i < Count; i++) begin : gen_element
    assign special[i] = &x_i[i*Width + FractionBits +: Width-1-FractionBits];
    assign magnitudes[i*Width +: Width] = special[i] ? '0 : {1'b0, x_i[i*Width +: Width-1]};
  end
  mx_largest #(.Terms(Count), .Width(Width)) u_largest (
    .terms_i(magnitudes), .largest_o({unused_sign, amax_o})
  );
  assign special_o = |special;

  // Parameters that make no sense end the elaboration: no module has these names.
  if (Count < 1) begin : gen_refused_count
    mx_refused_Count_must_be_at_least_1 u_refused ();
  end
  if (mx_pkg::specials(Format) != mx_pkg::SpecialsIeee) begin : gen_refused_format
    mx_refused_Format_must_have_Inf u_refused ();
  end
endmodule
