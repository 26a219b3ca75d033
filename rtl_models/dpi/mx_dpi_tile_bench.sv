// SPDX-License-Identifier: Apache-2.0
// mx_dpi_tile_bench.sv: mx_tensor_core against the golden model, under random stalls on its three
// streams. It ends at the first difference, with all its inputs, or when all tiles agree.
//   +seed=N +first=N +count=N  which tiles     +pace=N  each side proceeds in N of 16 cycles
module mx_dpi_tile_bench #(
  /// Dot products a cycle: a power of two up to 8.
  parameter int Lanes = 2,
  /// The hardware's; a value other than the model's is a fault.
  parameter int Group = mx_pkg::Mxf4Group
);
  import mx_dpi_pkg::*;

  localparam int CodeWidth = mx_pkg::width(mx_pkg::E2m1);
  localparam int ScaleWidth = mx_pkg::width(mx_pkg::E8m0);
  localparam int Block = mx_pkg::Mxfp4Block;
  localparam int LineBits = mx_dpi_k * CodeWidth;
  localparam int LineScaleBits = mx_dpi_k / Block * ScaleWidth;
  localparam int Elements = mx_dpi_rows * mx_dpi_columns;
  localparam int Patience = 20000;  // cycles without a result

  logic clk = 1'b0, rst_n = 1'b0;
  logic b_valid = 1'b0, b_ready, a_valid = 1'b0, a_ready, d_valid, d_ready = 1'b0;
  logic [mx_dpi_columns*LineBits-1:0] b = '0;
  logic [mx_dpi_columns*LineScaleBits-1:0] scale_b = '0;
  logic [LineBits-1:0] a = '0;
  logic [LineScaleBits-1:0] scale_a = '0;
  logic [mx_dpi_columns*32-1:0] c = '0;
  logic [Lanes*32-1:0] d;

  mx_tensor_core #(.Lanes(Lanes), .Group(Group)) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .b_valid_i(b_valid), .b_ready_o(b_ready), .b_i(b),
    .scale_b_i(scale_b), .a_valid_i(a_valid), .a_ready_o(a_ready), .a_i(a), .scale_a_i(scale_a),
    .c_i(c), .d_valid_o(d_valid), .d_ready_i(d_ready), .d_o(d)
  );

  mx_dpi_predictor golden;
  mx_dpi_scoreboard board;
  mx_dpi_dot_stimulus words, stalls;
  int unsigned seed, first, count, pace, waited;
  int unsigned b_taken, a_taken, predicted;  // words of B, of A, and tiles
  logic takes_b, takes_a;
  string fault;

  // The tile made last.
  mx_dpi_codes_t rows [0:15], columns [0:7];
  mx_dpi_scales_t row_scales [0:15], column_scales [0:7];
  bit [31:0] addends [0:127];

  function automatic bit goes();
    return unsigned'(stalls.below(16)) < pace;
  endfunction

  function automatic string command(input int unsigned from, input int unsigned tiles);
    return $sformatf("mx_dpi_tile_bench +seed=%0d +first=%0d +count=%0d +pace=%0d", seed, from,
                     tiles, pace);
  endfunction

  /// Row i of A and of C, of the tile of a number: word i and words i * 8 and up of its 128.
  function automatic void make_row(input int unsigned number, input int unsigned i);
    words.make(seed, number * Elements + i);
    {rows[i], row_scales[i]} = {words.a, words.scale_a};
    for (int unsigned j = 0; j < mx_dpi_columns; j++) begin
      words.make(seed, number * Elements + i * mx_dpi_columns + j);
      addends[i * mx_dpi_columns + j] = words.c;
    end
  endfunction
  function automatic void make_column(input int unsigned number, input int unsigned j);
    words.make(seed, number * Elements + j);
    {columns[j], column_scales[j]} = {words.b, words.scale_b};
  endfunction

  function automatic void fail(input int unsigned element);
    int unsigned number, i, j;
    number = first + element / Elements;
    i = element % Elements / mx_dpi_columns;
    j = element % mx_dpi_columns;
    make_row(number, i);
    make_column(number, j);
    $display("%s at tile %0d, row %0d, column %0d\n  A %x, scales %x\n  B %x, scales %x", fault,
             number, i, j, LineBits'(rows[i]), LineScaleBits'(row_scales[i]),
             LineBits'(columns[j]), LineScaleBits'(column_scales[j]));
    $display("  C %08x, expected %08x", addends[element % Elements],
             golden.dot(rows[i], columns[j], row_scales[i], column_scales[j],
                        addends[element % Elements]));
    golden.tell();
    board.report("mx_tensor_core");
    $display("  replay: %s", command(first, count));
    $display("  that tile alone: %s", command(number, 1));
    $fatal(1, "%s", fault);
  endfunction

  task automatic drive_b();
    for (int unsigned j = 0; j < mx_dpi_columns; j++) begin
      make_column(first + b_taken, j);
      b[j*LineBits +: LineBits] = LineBits'(columns[j]);
      scale_b[j*LineScaleBits +: LineScaleBits] = LineScaleBits'(column_scales[j]);
    end
    b_valid = 1'b1;
  endtask

  task automatic drive_a();
    int unsigned row;
    row = a_taken % mx_dpi_rows;
    make_row(first + a_taken / mx_dpi_rows, row);
    {a, scale_a} = {LineBits'(rows[row]), LineScaleBits'(row_scales[row])};
    for (int unsigned j = 0; j < mx_dpi_columns; j++) begin
      c[j*32 +: 32] = addends[row * mx_dpi_columns + j];
    end
    a_valid = 1'b1;
  endtask

  /// Sets the hardware's inputs until the next edge.
  task automatic drive();
    if (!b_valid && b_taken != count && goes()) drive_b();
    if (!a_valid && a_taken != count * mx_dpi_rows && goes()) drive_a();
    d_ready = goes();
  endtask

  function automatic void predict(input int unsigned number);
    bit [31:0] wanted [0:127];
    int status;
    for (int unsigned i = 0; i < mx_dpi_rows; i++) make_row(number, i);
    for (int unsigned j = 0; j < mx_dpi_columns; j++) make_column(number, j);
    status = mx_dpi_tile(golden.handle, rows, columns, row_scales, column_scales, addends, wanted);
    golden.expect_ok(status);
    for (int i = 0; i < Elements; i++) board.write_expected(wanted[i]);
    predicted++;
  endfunction

  /// Samples the handshakes of the next edge.
  task automatic observe();
    waited++;
    takes_b = b_valid && b_ready;
    takes_a = a_valid && a_ready;
    if (d_valid && d_ready) begin
      if (predicted != count && predicted * Elements == board.compared) predict(first + predicted);
      for (int lane = 0; lane < Lanes; lane++) board.write_actual(d[lane*32 +: 32]);
      waited = 0;
    end
    if (board.mismatches != 0) fault = "MISMATCH";
    if (board.actual.size() != 0) fault = "an unexpected word";
    if (waited == Patience && !done()) fault = "no word comes";
    if (fault != "") fail(board.mismatches != 0 ? board.first_mismatch : board.compared);
  endtask

  task automatic hand_over();
    if (takes_b) {b_valid, b_taken} = {1'b0, b_taken + 1};
    if (takes_a) {a_valid, a_taken} = {1'b0, a_taken + 1};
  endtask

  function automatic bit done();
    return board.compared == count * Elements;
  endfunction

  // Inputs change after a falling edge, and handshakes are sampled before the rising one.
  initial forever #5 clk = !clk;

  initial begin
    if ($value$plusargs("seed=%d", seed) == 0) seed = 1;
    if ($value$plusargs("first=%d", first) == 0) first = 0;
    if ($value$plusargs("count=%d", count) == 0) count = 300;
    if ($value$plusargs("pace=%d", pace) == 0) pace = 12;
    $display("%s", command(first, count));
    // None compared would count as success.
    if (count == 0 || pace == 0 || pace > 16) begin
      $fatal(1, "+count=%0d +pace=%0d: expected at least 1, and 1 to 16", count, pace);
    end
    golden = new();
    board = new(mx_dpi_nan_bit_exact, mx_dpi_zero_bit_exact);
    words = new(CodeWidth, ScaleWidth, Block, mx_pkg::Mxf4FractionBits);
    stalls = new(CodeWidth, ScaleWidth, Block, mx_pkg::Mxf4FractionBits);
    stalls.state = {~seed, first};
    {b_taken, a_taken, predicted, waited} = '0;
    @(negedge clk) rst_n = 1'b1;
    // After the last word, waits long enough to catch a surplus one.
    while (!done() || waited < 64) begin
      @(negedge clk);
      drive();
      #2;
      observe();
      @(posedge clk);
      #1;
      hand_over();
    end
    board.report("mx_tensor_core");
    golden.close();
    // Not both: a second end of the simulation would count as success.
    if (!board.check()) $fatal(1, "the scoreboard is not empty");
    else $finish;
  end
endmodule
