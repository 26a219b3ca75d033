// SPDX-License-Identifier: Apache-2.0
// mx_tensor_core.sv: D = A * B + C for tiles of 16 x 8 with K = 64: lanes of mx_dot, fed by three
// streams with ready and valid.
/// Equals mx::mma of m16n8k64 (emulator/include/mx/dot/mma.h), checked by tests/rtl.
///
/// A tile is one word of B, then 16 rows of A and C, and yields 128 / Lanes words of D, in order.
/// With words always offered and taken it takes 128 / Lanes cycles: tiles follow without a gap.
///   word of D  lane l of word w is element w * Lanes + l of the tile, row by row
module mx_tensor_core #(
  /// Dot products a cycle: a power of two up to 128.
  parameter int Lanes = 8,
  /// Passed to mx_dot.
  parameter logic [mx_pkg::FormatWidth-1:0] FormatA = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatB = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatScale = mx_pkg::E8m0,
  parameter int Block = 32,
  parameter int Step = mx_pkg::TileK,
  parameter int Group = mx_pkg::Mxf4Group,
  parameter int Alignment = mx_pkg::AlignWindow,
  parameter int FractionBits = mx_pkg::Mxf4FractionBits,
  parameter int ZeroExponent = mx_pkg::Mxf4ZeroExponent,
  parameter int Rounding = mx_pkg::RoundTowardZero,
  parameter int ZeroResult = mx_pkg::ZeroResultPlus,
  parameter logic [31:0] NanCode = mx_pkg::CanonicalNan
) (
  input  logic clk_i,
  input  logic rst_ni,
  /// Column n of B is codes n * 64 and up, its scales likewise.
  input  logic b_valid_i,
  output logic b_ready_o,
  input  logic [mx_pkg::TileN*mx_pkg::TileK*mx_pkg::width(FormatB)-1:0] b_i,
  input  logic [mx_pkg::TileN*mx_pkg::TileK/Block*mx_pkg::width(FormatScale)-1:0] scale_b_i,
  /// One row of A and of C, or Lanes / 8 of them, the first lowest.
  input  logic a_valid_i,
  output logic a_ready_o,
  input  logic [mx_pkg::tile_rows(Lanes)*mx_pkg::TileK*mx_pkg::width(FormatA)-1:0] a_i,
  input  logic [mx_pkg::tile_rows(Lanes)*mx_pkg::TileK/Block*mx_pkg::width(FormatScale)-1:0]
      scale_a_i,
  input  logic [mx_pkg::tile_rows(Lanes)*mx_pkg::TileN*32-1:0] c_i,
  output logic d_valid_o,
  input  logic d_ready_i,
  output logic [Lanes*32-1:0] d_o
);
  localparam int N = mx_pkg::TileN;
  localparam int K = mx_pkg::TileK;
  localparam int Rows = mx_pkg::tile_rows(Lanes);
  localparam int Phases = Rows * N / Lanes;      // cycles a word of A stays
  localparam int Beats = mx_pkg::TileM / Rows;   // words of A in a tile
  localparam int ABits = K * mx_pkg::width(FormatA);
  localparam int BBits = K * mx_pkg::width(FormatB);
  localparam int SBits = K / Block * mx_pkg::width(FormatScale);
  localparam int CountWidth = $clog2(mx_pkg::TileM * N);

  logic a_valid, b_valid, issue, last_phase, last_beat;
  logic [CountWidth-1:0] phase_q, beat_q;
  logic [Lanes-1:0] lane_ready, lane_valid;
  logic [Rows*ABits-1:0] a;
  logic [Rows*SBits-1:0] scale_a;
  logic [Rows*N*32-1:0] c;
  logic [N*BBits-1:0] b;
  logic [N*SBits-1:0] scale_b;

  mx_register #(.Width(Rows * (ABits + SBits + N * 32))) u_a (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(a_valid_i), .ready_o(a_ready_o),
    .data_i({a_i, scale_a_i, c_i}), .valid_o(a_valid), .ready_i(issue && last_phase),
    .data_o({a, scale_a, c})
  );
  mx_register #(.Width(N * (BBits + SBits))) u_b (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(b_valid_i), .ready_o(b_ready_o),
    .data_i({b_i, scale_b_i}), .valid_o(b_valid), .ready_i(issue && last_phase && last_beat),
    .data_o({b, scale_b})
  );

  // Lanes run in lockstep: one represents all of them.
  assign issue = a_valid && b_valid && lane_ready[0];
  assign last_phase = phase_q == CountWidth'(Phases - 1);
  assign last_beat = beat_q == CountWidth'(Beats - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= '0;
      beat_q <= '0;
    end else if (issue) begin
      phase_q <= last_phase ? '0 : phase_q + 1'b1;
      if (last_phase) beat_q <= last_beat ? '0 : beat_q + 1'b1;
    end
  end

  // The columns of this cycle, the first lowest.
  localparam int Columns = Lanes < N ? Lanes : N;
  logic [Columns*BBits-1:0] b_columns;
  logic [Columns*SBits-1:0] scale_b_columns;
  logic [Rows*Columns*32-1:0] c_columns;

  if (Phases == 1) begin : gen_all_columns
    assign b_columns = b;
    assign scale_b_columns = scale_b;
    assign c_columns = c;
  end else begin : gen_some_columns
    // Words of Columns columns, shifted by the phase.
    assign b_columns = (Columns*BBits)'(b >> (32'(phase_q) * (Columns * BBits)));
    assign scale_b_columns = (Columns*SBits)'(scale_b >> (32'(phase_q) * (Columns * SBits)));
    assign c_columns = (Columns*32)'(c >> (32'(phase_q) * (Columns * 32)));
  end

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    localparam int Row = lane / N;
    localparam int Column = lane % N;

    mx_dot #(
      .FormatA(FormatA), .FormatB(FormatB), .FormatScale(FormatScale), .Block(Block), .K(K),
      .Step(Step), .Group(Group), .Alignment(Alignment), .FractionBits(FractionBits),
      .ZeroExponent(ZeroExponent), .Rounding(Rounding), .ZeroResult(ZeroResult), .NanCode(NanCode)
    ) u_dot (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(a_valid && b_valid), .ready_o(lane_ready[lane]),
      .a_i(a[Row*ABits +: ABits]), .b_i(b_columns[Column*BBits +: BBits]),
      .scale_a_i(scale_a[Row*SBits +: SBits]),
      .scale_b_i(scale_b_columns[Column*SBits +: SBits]),
      .c_i(c_columns[lane*32 +: 32]), .valid_o(lane_valid[lane]), .ready_i(d_ready_i),
      .d_o(d_o[lane*32 +: 32])
    );
  end
  assign d_valid_o = lane_valid[0];

  // Parameters that make no sense end the elaboration: no module has these names.
  if (Lanes < 1 || Lanes > mx_pkg::TileM * N ||
      (Lanes & (Lanes - 1)) != 0) begin : gen_refused_lanes
    mx_refused_Lanes_must_be_a_power_of_two_up_to_128 u_refused ();
  end

`ifndef SYNTHESIS
  mx_x_check #(.Port("mx_tensor_core.rst_ni")) u_x_rst (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(rst_ni)
  );
  mx_x_check #(.Port("mx_tensor_core.a_valid_i")) u_x_a_valid (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(a_valid_i)
  );
  mx_x_check #(.Port("mx_tensor_core.b_valid_i")) u_x_b_valid (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(b_valid_i)
  );
  mx_x_check #(.Port("mx_tensor_core.d_ready_i")) u_x_d_ready (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(1'b1), .parity_i(d_ready_i)
  );
  mx_x_check #(.Port("mx_tensor_core.a_i")) u_x_a (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(a_valid_i), .parity_i(^a_i)
  );
  mx_x_check #(.Port("mx_tensor_core.scale_a_i")) u_x_scale_a (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(a_valid_i), .parity_i(^scale_a_i)
  );
  mx_x_check #(.Port("mx_tensor_core.c_i")) u_x_c (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(a_valid_i), .parity_i(^c_i)
  );
  mx_x_check #(.Port("mx_tensor_core.b_i")) u_x_b (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(b_valid_i), .parity_i(^b_i)
  );
  mx_x_check #(.Port("mx_tensor_core.scale_b_i")) u_x_scale_b (
    .clk_i(clk_i), .rst_ni(rst_ni), .looked_at_i(b_valid_i), .parity_i(^scale_b_i)
  );
`endif
endmodule
