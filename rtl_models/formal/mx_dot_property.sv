// SPDX-License-Identifier: Apache-2.0
// mx_dot_property.sv: a whole dot product is a pipeline, as pipeline_property.sv defines it.
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

  (* keep *) logic [Stages-1:0] held;  // driven by the runner
  pipeline_property #(.Stages(Stages), .Width(32)) u_pipeline (
    .clk_i(clk_i), .rst_ni(rst_ni), .in_valid_i(valid_i), .in_ready_i(ready), .out_valid_i(valid),
    .out_ready_i(ready_i), .result_i(d), .held_i(held)
  );
endmodule
