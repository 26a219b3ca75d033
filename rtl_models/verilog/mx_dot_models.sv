// SPDX-License-Identifier: Apache-2.0
// mx_dot_models.sv: mx_dot under the emulator's models, by their names.
// Written by emulator/tools/emit_package.cpp; do not edit.
/* verilator lint_off DECLFILENAME */

module mx_dot_blackwell_mxf4 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [15:0] scale_a_i,
  input  logic [15:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(64),
    .Step(64),
    .Group(16),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(35),
    .ZeroExponent(-139),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_blackwell_mxf4nvf4 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [27:0] scale_a_i,
  input  logic [27:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::Ue4m3),
    .Block(16),
    .K(64),
    .Step(64),
    .Group(16),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(35),
    .ZeroExponent(-139),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_blackwell_mxf4_e8m3 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [21:0] scale_a_i,
  input  logic [21:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::E8m3),
    .Block(32),
    .K(64),
    .Step(64),
    .Group(16),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(35),
    .ZeroExponent(-139),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_blackwell_mxf4_ue4m3 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [13:0] scale_a_i,
  input  logic [13:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::Ue4m3),
    .Block(32),
    .K(64),
    .Step(64),
    .Group(16),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(35),
    .ZeroExponent(-139),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_blackwell_mxf8f6f4_e2m1 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [127:0] a_i,
  input  logic [127:0] b_i,
  input  logic [7:0] scale_a_i,
  input  logic [7:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(32),
    .Step(32),
    .Group(1),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(25),
    .ZeroExponent(-133),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_blackwell_mxf8f6f4_e2m3 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [191:0] a_i,
  input  logic [191:0] b_i,
  input  logic [7:0] scale_a_i,
  input  logic [7:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m3),
    .FormatB(mx_pkg::E2m3),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(32),
    .Step(32),
    .Group(1),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(25),
    .ZeroExponent(-133),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_blackwell_mxf8f6f4_e3m2 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [191:0] a_i,
  input  logic [191:0] b_i,
  input  logic [7:0] scale_a_i,
  input  logic [7:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E3m2),
    .FormatB(mx_pkg::E3m2),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(32),
    .Step(32),
    .Group(1),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(25),
    .ZeroExponent(-133),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_blackwell_mxf8f6f4_e4m3 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [7:0] scale_a_i,
  input  logic [7:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E4m3),
    .FormatB(mx_pkg::E4m3),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(32),
    .Step(32),
    .Group(1),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(25),
    .ZeroExponent(-133),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_blackwell_mxf8f6f4_e5m2 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [7:0] scale_a_i,
  input  logic [7:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E5m2),
    .FormatB(mx_pkg::E5m2),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(32),
    .Step(32),
    .Group(1),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(25),
    .ZeroExponent(-133),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_blackwell_mxf8f6f4_e4m3_e5m2 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [7:0] scale_a_i,
  input  logic [7:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E4m3),
    .FormatB(mx_pkg::E5m2),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(32),
    .Step(32),
    .Group(1),
    .Alignment(mx_pkg::AlignWindow),
    .FractionBits(25),
    .ZeroExponent(-133),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultPlus),
    .NanCode(32'h7FFFFFFF)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_exact_rne_mxfp4 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [15:0] scale_a_i,
  input  logic [15:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(64),
    .Step(64),
    .Group(32),
    .Alignment(mx_pkg::AlignExact),
    .Rounding(mx_pkg::RoundTiesToEven),
    .ZeroResult(mx_pkg::ZeroResultOfTerms),
    .NanCode(32'h7FC00000)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_exact_rz_mxfp4 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [15:0] scale_a_i,
  input  logic [15:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(64),
    .Step(64),
    .Group(32),
    .Alignment(mx_pkg::AlignExact),
    .Rounding(mx_pkg::RoundTowardZero),
    .ZeroResult(mx_pkg::ZeroResultOfTerms),
    .NanCode(32'h7FC00000)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_exact_rne_nvfp4 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [27:0] scale_a_i,
  input  logic [27:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::Ue4m3),
    .Block(16),
    .K(64),
    .Step(64),
    .Group(16),
    .Alignment(mx_pkg::AlignExact),
    .Rounding(mx_pkg::RoundTiesToEven),
    .ZeroResult(mx_pkg::ZeroResultOfTerms),
    .NanCode(32'h7FC00000)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_fp32_sequential_mxfp4 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [15:0] scale_a_i,
  input  logic [15:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(64),
    .Step(32),
    .Group(32),
    .Alignment(mx_pkg::AlignSticky),
    .Rounding(mx_pkg::RoundTiesToEven),
    .ZeroResult(mx_pkg::ZeroResultOfTerms),
    .NanCode(32'h7FC00000)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_fp32_sequential_nvfp4 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [255:0] a_i,
  input  logic [255:0] b_i,
  input  logic [27:0] scale_a_i,
  input  logic [27:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m1),
    .FormatB(mx_pkg::E2m1),
    .FormatScale(mx_pkg::Ue4m3),
    .Block(16),
    .K(64),
    .Step(16),
    .Group(16),
    .Alignment(mx_pkg::AlignSticky),
    .Rounding(mx_pkg::RoundTiesToEven),
    .ZeroResult(mx_pkg::ZeroResultOfTerms),
    .NanCode(32'h7FC00000)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_fp32_sequential_mxfp6_e2m3 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [383:0] a_i,
  input  logic [383:0] b_i,
  input  logic [15:0] scale_a_i,
  input  logic [15:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E2m3),
    .FormatB(mx_pkg::E2m3),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(64),
    .Step(32),
    .Group(32),
    .Alignment(mx_pkg::AlignSticky),
    .Rounding(mx_pkg::RoundTiesToEven),
    .ZeroResult(mx_pkg::ZeroResultOfTerms),
    .NanCode(32'h7FC00000)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_fp32_sequential_mxfp6_e3m2 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [383:0] a_i,
  input  logic [383:0] b_i,
  input  logic [15:0] scale_a_i,
  input  logic [15:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E3m2),
    .FormatB(mx_pkg::E3m2),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(64),
    .Step(32),
    .Group(32),
    .Alignment(mx_pkg::AlignSticky),
    .Rounding(mx_pkg::RoundTiesToEven),
    .ZeroResult(mx_pkg::ZeroResultOfTerms),
    .NanCode(32'h7FC00000)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule

module mx_dot_fp32_sequential_mxfp8_e4m3 (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [511:0] a_i,
  input  logic [511:0] b_i,
  input  logic [15:0] scale_a_i,
  input  logic [15:0] scale_b_i,
  input  logic [31:0] c_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o
);
  mx_dot #(
    .FormatA(mx_pkg::E4m3),
    .FormatB(mx_pkg::E4m3),
    .FormatScale(mx_pkg::E8m0),
    .Block(32),
    .K(64),
    .Step(32),
    .Group(32),
    .Alignment(mx_pkg::AlignSticky),
    .Rounding(mx_pkg::RoundTiesToEven),
    .ZeroResult(mx_pkg::ZeroResultOfTerms),
    .NanCode(32'h7FC00000)
  ) u_dot (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o), .a_i(a_i), .b_i(b_i),
    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), .valid_o(valid_o), .ready_i(ready_i),
    .d_o(d_o)
  );
endmodule
