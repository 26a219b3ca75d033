// SPDX-License-Identifier: Apache-2.0
// mx_dpi_dot_bench.sv: mx_dot against the golden model, under random stalls on both sides. It ends
// at the first difference, with all its inputs, or when all words agree.
//   +seed=N +first=N +count=N  which words     +pace=N  each side proceeds in N of 16 cycles
//   +model=NAME                the golden model, instead of the parameter
//   +coverage                  prints the bins of functional coverage at the end
module mx_dpi_dot_bench #(
  /// The golden model's name, and the hardware's parameters.
  parameter string Model = "blackwell.mxf4",
  parameter logic [mx_pkg::FormatWidth-1:0] FormatScale = mx_pkg::E8m0,
  parameter int Block = 32,
  parameter int FractionBits = mx_pkg::Mxf4FractionBits
);
  import mx_dpi_pkg::*;

  localparam int CodeWidth = mx_pkg::width(mx_pkg::E2m1);
  localparam int ScaleWidth = mx_pkg::width(FormatScale);
  localparam int CodeBits = mx_dpi_k * CodeWidth;
  localparam int ScaleBits = mx_dpi_k / Block * ScaleWidth;
  localparam int Patience = 1000;  // cycles without a result

  logic clk = 1'b0, rst_n = 1'b0;
  logic valid_in = 1'b0, ready_in, valid_out, ready_out = 1'b0;
  logic [CodeBits-1:0] a = '0, b = '0;
  logic [ScaleBits-1:0] scale_a = '0, scale_b = '0;
  logic [31:0] c = '0, d;

  mx_dot #(.FormatScale(FormatScale), .Block(Block), .FractionBits(FractionBits)) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .valid_i(valid_in), .ready_o(ready_in), .a_i(a), .b_i(b),
    .scale_a_i(scale_a), .scale_b_i(scale_b), .c_i(c), .valid_o(valid_out), .ready_i(ready_out),
    .d_o(d)
  );

  mx_dpi_predictor golden;
  mx_dpi_scoreboard board;
  mx_dpi_dot_stimulus words, stalls;
  int unsigned seed, first, count, pace, offered, waited;
  // A word that is offered and not taken must not change.
  logic held, taken;
  logic [31:0] held_d;
  string fault, model;

  function automatic bit goes();
    return unsigned'(stalls.below(16)) < pace;
  endfunction

  function automatic string command(input int unsigned from, input int unsigned words_of_it);
    return $sformatf("mx_dpi_dot_bench +seed=%0d +first=%0d +count=%0d +pace=%0d +model=%s", seed,
                     from, words_of_it, pace, model);
  endfunction

  function automatic void fail(input int unsigned number);
    bit [31:0] wanted;
    words.make(seed, number);
    wanted = golden.dot(words.a, words.b, words.scale_a, words.scale_b, words.c);
    $display("%s at word %0d\n  A %x, scales %x\n  B %x, scales %x\n  C %08x, expected %08x", fault,
             number, CodeBits'(words.a), ScaleBits'(words.scale_a), CodeBits'(words.b),
             ScaleBits'(words.scale_b), words.c, wanted);
    golden.tell();
    board.report("mx_dot");
    $display("  replay: %s", command(first, count));
    $display("  that word alone: %s", command(number, 1));
    $fatal(1, "%s", fault);
  endfunction

  /// Sets the hardware's inputs until the next edge.
  task automatic drive();
    if (!valid_in && offered != count && goes()) begin
      words.make(seed, first + offered);
      {a, b} = {CodeBits'(words.a), CodeBits'(words.b)};
      {scale_a, scale_b} = {ScaleBits'(words.scale_a), ScaleBits'(words.scale_b)};
      c = words.c;
      valid_in = 1'b1;
    end
    ready_out = goes();
  endtask

  /// Samples the handshakes of the next edge.
  task automatic observe();
    waited++;
    if (held && (!valid_out || d !== held_d)) fault = "a word changed before it was taken";
    held = valid_out && !ready_out;
    held_d = d;
    taken = valid_in && ready_in;
    if (taken) begin
      board.write_expected(golden.dot(words.a, words.b, words.scale_a, words.scale_b, words.c));
      golden.sample();
      offered++;
    end
    if (valid_out && ready_out) begin
      board.write_actual(d);
      waited = 0;
    end
    if (board.mismatches != 0) fault = "MISMATCH";
    if (board.actual.size() != 0) fault = "an unexpected word";
    if (waited == Patience && !done()) fault = "no word comes";
    if (fault != "") fail(first + (board.mismatches != 0 ? board.first_mismatch : board.compared));
  endtask

  function automatic bit done();
    return offered == count && board.compared == count;
  endfunction

  // Inputs change after a falling edge, and handshakes are sampled before the rising one.
  initial forever #5 clk = !clk;

  initial begin
    if ($value$plusargs("seed=%d", seed) == 0) seed = 1;
    if ($value$plusargs("first=%d", first) == 0) first = 0;
    if ($value$plusargs("count=%d", count) == 0) count = 100000;
    if ($value$plusargs("pace=%d", pace) == 0) pace = 12;
    if ($value$plusargs("model=%s", model) == 0) model = Model;
    $display("%s", command(first, count));
    // None compared would count as success.
    if (count == 0 || pace == 0 || pace > 16) begin
      $fatal(1, "+count=%0d +pace=%0d: expected at least 1, and 1 to 16", count, pace);
    end
    golden = new();
    golden.select(model, "", "", "", 0);
    board = new(mx_dpi_nan_bit_exact, mx_dpi_zero_bit_exact);
    words = new(CodeWidth, ScaleWidth, Block, FractionBits);
    stalls = new(CodeWidth, ScaleWidth, Block, FractionBits);
    stalls.state = {~seed, first};
    offered = 0;
    waited = 0;
    held = 1'b0;
    @(negedge clk) rst_n = 1'b1;
    // After the last word, waits long enough to catch a surplus one.
    while (!done() || waited < 32) begin
      @(negedge clk);
      drive();
      #2;
      observe();
      @(posedge clk);
      #1;
      if (taken) valid_in = 1'b0;
    end
    board.report("mx_dot");
    golden.report_coverage();
    golden.close();
    // Not both: a second end of the simulation would count as success.
    if (!board.check()) $fatal(1, "the scoreboard is not empty");
    else $finish;
  end
endmodule
