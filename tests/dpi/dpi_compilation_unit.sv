// SPDX-License-Identifier: Apache-2.0
// dpi_compilation_unit.sv: the imports without the package, for simulators that look for them in
// each compilation unit.
`include "mx_dpi.svh"

module dpi_compilation_unit;
  initial begin
    $display("%s", mx_dpi_version());
    $finish;
  end
endmodule
