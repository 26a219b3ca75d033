// SPDX-License-Identifier: Apache-2.0
// dpi_bench_tops.sv: testbenches of the DPI package with other parameters: NVFP4, and hardware that
// differs from the model, which they must detect.
/* verilator lint_off DECLFILENAME */

module dpi_dot_bench_nvfp4;
  mx_dpi_dot_bench #(
    .Model("blackwell.mxf4nvf4"), .FormatScale(mx_pkg::Ue4m3), .Block(16)
  ) u_bench ();
endmodule

/// A window that is one bit too narrow.
module dpi_dot_bench_narrow;
  mx_dpi_dot_bench #(.FractionBits(mx_pkg::Mxf4FractionBits - 1)) u_bench ();
endmodule

/// Hardware whose registers accept words when full.
module dpi_dot_bench_overwritten;
  mx_dpi_dot_bench u_bench ();
endmodule

/// Groups of 32 instead of 16.
module dpi_tile_bench_groups;
  mx_dpi_tile_bench #(.Lanes(1), .Group(2 * mx_pkg::Mxf4Group)) u_bench ();
endmodule
