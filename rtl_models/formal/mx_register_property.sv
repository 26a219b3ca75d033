// SPDX-License-Identifier: Apache-2.0
// mx_register_property.sv: a chain of mx_register is a queue: each word comes out once, in order,
// and is stable while it waits. By induction: a reference queue holds the same words as the chain.
module mx_register_property #(
  parameter int Stages = 4,
  parameter int Width = 8
) (
  input logic clk_i,
  input logic rst_ni,
  input logic valid_i,
  input logic [Width-1:0] data_i,
  input logic ready_i
);
  logic [Stages:0] valid, ready;
  logic [(Stages+1)*Width-1:0] data;

  assign valid[0] = valid_i;
  assign data[Width-1:0] = data_i;
  assign ready[Stages] = ready_i;
  for (genvar i = 0; i < Stages; i++) begin : gen_stage
    mx_register #(.Width(Width)) u_register (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid[i]), .ready_o(ready[i]),
      .data_i(data[i*Width +: Width]), .valid_o(valid[i+1]), .ready_i(ready[i+1]),
      .data_o(data[(i+1)*Width +: Width])
    );
  end

  logic taken, given;
  assign taken = valid_i && ready[0];
  assign given = valid[Stages] && ready_i;

  // Entry 0 is the oldest; bit i is set if entry i is occupied.
  logic [Stages:0] filled_q, kept;
  logic [(Stages+1)*Width-1:0] queue_q, shifted, queue_d;
  assign kept = given ? filled_q >> 1 : filled_q;
  assign shifted = given ? queue_q >> Width : queue_q;
  for (genvar i = 0; i <= Stages; i++) begin : gen_entry
    assign queue_d[i*Width +: Width] = kept[i] ? shifted[i*Width +: Width] : data_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q <= '0;
    end else begin
      filled_q <= taken ? {kept[Stages-1:0], 1'b1} : kept;
    end
  end
  always_ff @(posedge clk_i) queue_q <= queue_d;

  logic waited_q;
  logic [Width-1:0] waiting_q;
  always_ff @(posedge clk_i) begin
    waited_q <= rst_ni && valid[Stages] && !ready_i;
    waiting_q <= data[Stages*Width +: Width];
  end

  // The words of the chain from its end on, as the queue must hold them.
  logic [Stages:0] filled;
  logic [(Stages+1)*Width-1:0] words;
  initial assume (!rst_ni);
  always_comb begin
    filled = '0;
    words = '0;
    for (int i = 1; i <= Stages; i++) begin
      if (valid[i]) begin
        filled = {filled[Stages-1:0], 1'b1};
        words = {words[Stages*Width-1:0], data[i*Width +: Width]};
      end
    end
    if (rst_ni) begin
      assert (filled_q == filled);
      for (int i = 0; i < Stages; i++) begin
        if (filled[i]) assert (queue_q[i*Width +: Width] == words[i*Width +: Width]);
      end
      // The output is the oldest word held.
      if (given) assert (data[Stages*Width +: Width] == queue_q[Width-1:0]);
      // A word that is not taken stays.
      if (waited_q) assert (valid[Stages] && data[Stages*Width +: Width] == waiting_q);
      // A word is taken in every cycle in which one can leave, or there is room.
      assert (ready[0] == (ready_i || !filled[Stages-1]));
    end else begin
      assert (valid[Stages:1] == '0);
    end
  end
endmodule
