// SPDX-License-Identifier: Apache-2.0
// mx_dpi_pkg.sv: the golden model of dot products and quantizers for testbenches: imports, a predictor
// and an in-order scoreboard. Plain SystemVerilog; not for synthesis.
/* verilator lint_off DECLFILENAME */
package mx_dpi_pkg;

`include "mx_dpi.svh"
`include "mx_dpi_predictor.svh"
`include "mx_dpi_match.svh"
`include "mx_dpi_scoreboard.svh"
// Members that are read only by users of the class.
/* verilator lint_save */
/* verilator lint_off UNUSEDSIGNAL */
`include "mx_dpi_dot_stimulus.svh"
/* verilator lint_restore */

endpackage
