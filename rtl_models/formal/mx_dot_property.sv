// SPDX-License-Identifier: Apache-2.0
// mx_dot_property.sv: a whole dot product gives one result for each word it took, which waits
// unchanged, and takes a word a cycle. By induction over what its registers hold.
module mx_dot_property #(
  parameter int Stages = 4
) (
  input logic clk_i,
  input logic rst_ni,
  input logic valid_i,
  input logic [255:0] a_i,
  input logic [255:0] b_i,
  input logic [15:0] scale_a_i,
  input logic [15:0] scale_b_i,
  input logic [31:0] c_i,
  input logic ready_i
);
  logic ready, valid;
  logic [31:0] d;
  `MX_DOT u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid), .ready_i(ready_i),
    .d_o(d)
  );

  // Driven by the runner: which of the registers hold a word.
  (* keep *) logic [Stages-1:0] held;

  logic [31:0] count_q, words;
  logic waited_q;
  logic [31:0] waiting_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      count_q <= count_q + 32'(valid_i && ready) - 32'(valid && ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    waited_q <= rst_ni && valid && !ready_i;
    waiting_q <= d;
  end

  initial assume (!rst_ni);
  always_comb begin
    words = '0;
    for (int i = 0; i < Stages; i++) words = words + 32'(held[i]);
    if (rst_ni) begin
      assert (count_q == words);
      if (waited_q) assert (valid && d == waiting_q);
      assert (ready == (ready_i || words < Stages));
    end else begin
      assert (words == '0 && !valid);
    end
  end
endmodule
