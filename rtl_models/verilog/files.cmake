# SPDX-License-Identifier: Apache-2.0
# files.cmake: the synthesizable files, the package first.
set(mx_verilog_files
  mx_pkg.sv
  mx_element.sv mx_product.sv mx_sum.sv mx_group.sv mx_scale.sv
  mx_largest.sv mx_align.sv mx_round.sv mx_register.sv mx_step.sv
  mx_dot.sv mx_dot_models.sv mx_tensor_core.sv
  mx_amax.sv mx_shared_scale.sv mx_macro_factor.sv mx_element_round.sv
  mx_quantizer.sv mx_quantizer_models.sv
  mx_x_check.sv)
list(TRANSFORM mx_verilog_files PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
