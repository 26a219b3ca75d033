// SPDX-License-Identifier: Apache-2.0
// mx_tensor_core_property.sv: word w of D is of the operands given by the order of the streams: no
// word is lost or duplicated, and each is stable while it waits. By induction, with counters of
// the words. Operands are numbers that count rows and columns; mx_dot is tagged_dot.sv, whose
// result identifies its operands. Data is moved and never inspected, so that what holds for numbers
// holds for any data.
module mx_tensor_core_property #(
  parameter int Lanes = 1
) (
  input logic clk_i,
  input logic rst_ni,
  input logic b_valid_i,
  input logic a_valid_i,
  input logic d_ready_i
);
  localparam int Stages = 4;  // of tagged_dot.sv
  localparam int Rows = Lanes > 8 ? Lanes / 8 : 1;
  localparam int Phases = Rows * 8 / Lanes;
  localparam int Beats = 16 / Rows;
  localparam int RowBits = 256, ScaleBits = 16;

  // Row number r and column number n of the streams, and where element e of D comes from.
  function automatic logic [31:0] tags_of(input logic [31:0] element);
    logic [4:0] row, column;
    begin
      row = element[7:3];
      column = {element[8:7], element[2:0]};
      tags_of = {row, column, row, column, element[11:0]};
    end
  endfunction

  // Words of A, B and D transferred so far.
  logic [31:0] a_count_q, b_count_q, d_count_q;
  logic a_ready, b_ready, d_valid;
  logic [Rows*RowBits-1:0] a;
  logic [Rows*ScaleBits-1:0] scale_a;
  logic [Rows*8*32-1:0] c;
  logic [8*RowBits-1:0] b;
  logic [8*ScaleBits-1:0] scale_b;
  logic [Lanes*32-1:0] d;
  for (genvar row = 0; row < Rows; row++) begin : gen_row
    assign a[row*RowBits +: RowBits] = RowBits'(a_count_q * Rows + row);
    assign scale_a[row*ScaleBits +: ScaleBits] = ScaleBits'(a_count_q * Rows + row);
  end
  for (genvar i = 0; i < Rows * 8; i++) begin : gen_c
    assign c[i*32 +: 32] = a_count_q * (Rows * 8) + i;
  end
  for (genvar column = 0; column < 8; column++) begin : gen_column
    assign b[column*RowBits +: RowBits] = RowBits'(b_count_q * 8 + column);
    assign scale_b[column*ScaleBits +: ScaleBits] = ScaleBits'(b_count_q * 8 + column);
  end

  mx_tensor_core #(.Lanes(Lanes)) u_core (
    .clk_i(clk_i), .rst_ni(rst_ni), .b_valid_i(b_valid_i), .b_ready_o(b_ready), .b_i(b),
    .scale_b_i(scale_b), .a_valid_i(a_valid_i), .a_ready_o(a_ready), .a_i(a), .scale_a_i(scale_a),
    .c_i(c), .d_valid_o(d_valid), .d_ready_i(d_ready_i), .d_o(d)
  );

  logic waited_q;
  logic [Lanes*32-1:0] waiting_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      a_count_q <= '0;
      b_count_q <= '0;
      d_count_q <= '0;
    end else begin
      a_count_q <= a_count_q + 32'(a_valid_i && a_ready);
      b_count_q <= b_count_q + 32'(b_valid_i && b_ready);
      d_count_q <= d_count_q + 32'(d_valid && d_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    waited_q <= rst_ni && d_valid && !d_ready_i;
    waiting_q <= d;
  end

  // Driven by the runner: contents of the core's registers, those of lane 0 lowest.
  (* keep *) logic a_held, b_held;
  (* keep *) logic [6:0] phase, beat;
  (* keep *) logic [Rows*RowBits-1:0] held_a;
  (* keep *) logic [Rows*ScaleBits-1:0] held_scale_a;
  (* keep *) logic [Rows*8*32-1:0] held_c;
  (* keep *) logic [8*RowBits-1:0] held_b;
  (* keep *) logic [8*ScaleBits-1:0] held_scale_b;
  (* keep *) logic [Lanes*Stages-1:0] held;
  (* keep *) logic [Lanes*Stages*32-1:0] held_tags;

  // Words of A and B that are finished, and words of D in flight.
  logic [31:0] a_done, b_done, issued, under_way;
  logic room, moves, a_leaves;
  assign a_done = a_count_q - 32'(a_held);
  assign b_done = b_count_q - 32'(b_held);
  assign issued = a_done * Phases + 32'(phase);
  assign room = d_ready_i || under_way < Stages;
  assign moves = a_held && b_held && room;
  assign a_leaves = moves && phase == Phases - 1;

  logic [31:0] number;
  initial assume (!rst_ni);
  always_comb begin
    number = '0;
    under_way = '0;
    for (int i = 0; i < Stages; i++) under_way = under_way + 32'(held[i]);
    if (rst_ni) begin
      // Each word of B is in use for all rows, each row for all columns, each result leaves once.
      assert (phase < Phases && beat < Beats);
      assert (a_held || phase == 0);
      assert (b_held || (phase == 0 && beat == 0));
      assert (a_done == b_done * Beats + 32'(beat));
      assert (d_count_q + under_way == issued);
      // The registers hold the latest words.
      for (int i = 0; i < Rows; i++) begin
        number = a_done * Rows + i;
        if (a_held) assert (held_a[i*RowBits +: 5] == number[4:0]);
        if (a_held) assert (held_scale_a[i*ScaleBits +: 5] == number[4:0]);
      end
      for (int i = 0; i < Rows * 8; i++) begin
        number = a_done * (Rows * 8) + i;
        if (a_held) assert (held_c[i*32 +: 12] == number[11:0]);
      end
      for (int i = 0; i < 8; i++) begin
        number = b_done * 8 + i;
        if (b_held) assert (held_b[i*RowBits +: 5] == number[4:0]);
        if (b_held) assert (held_scale_b[i*ScaleBits +: 5] == number[4:0]);
      end
      // Lanes run in lockstep, and their results are in flight in order.
      for (int lane = 0; lane < Lanes; lane++) begin
        assert (held[lane*Stages +: Stages] == held[Stages-1:0]);
        number = d_count_q * Lanes + lane;
        if (d_valid) assert (d[lane*32 +: 32] == tags_of(number));
        for (int i = Stages - 1; i >= 0; i--) begin
          if (held[i]) begin
            assert (held_tags[(lane*Stages+i)*32 +: 32] == tags_of(number));
            number = number + Lanes;
          end
        end
      end
      if (waited_q) assert (d_valid && d == waiting_q);
      // No stage waits that could move.
      assert (d_valid == held[Stages-1]);
      assert (a_ready == (!a_held || a_leaves));
      assert (b_ready == (!b_held || (a_leaves && beat == Beats - 1)));
    end else begin
      assert (!a_held && !b_held && held == '0 && phase == 0 && beat == 0);
    end
  end
endmodule
