// SPDX-License-Identifier: Apache-2.0
// pipeline_property.sv: a pipeline outputs one result for each word it took, stable while it waits,
// and takes a word a cycle. By induction over the contents of its registers.
module pipeline_property #(
  parameter int Stages = 4,
  parameter int Width = 32
) (
  input logic clk_i,
  input logic rst_ni,
  input logic in_valid_i,
  input logic in_ready_i,
  input logic out_valid_i,
  input logic out_ready_i,
  input logic [Width-1:0] result_i,
  /// Set for registers that hold a word.
  input logic [Stages-1:0] held_i
);
  logic [31:0] count_q, words;
  logic waited_q;
  logic [Width-1:0] waiting_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      count_q <= count_q + 32'(in_valid_i && in_ready_i) - 32'(out_valid_i && out_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    waited_q <= rst_ni && out_valid_i && !out_ready_i;
    waiting_q <= result_i;
  end

  initial assume (!rst_ni);
  always_comb begin
    words = '0;
    for (int i = 0; i < Stages; i++) words = words + 32'(held_i[i]);
    if (rst_ni) begin
      assert (count_q == words);
      if (waited_q) assert (out_valid_i && result_i == waiting_q);
      assert (in_ready_i == (out_ready_i || words < Stages));
    end else begin
      assert (words == '0 && !out_valid_i);
    end
  end
endmodule
