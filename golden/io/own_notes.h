// SPDX-License-Identifier: Apache-2.0
// golden/io/own_notes.h: interprets the metadata that `mxprism quantize` writes for codes and
// scales.
#pragma once
#include <string>

#include "golden/io/coded_view.h"

namespace golden::io {

/// Sets format, block, order, shape and axis of a view of codes in U8. The defaults without
/// metadata are MXFP4 in whole blocks along the last axis, low nibble first, as in the command.
///   refused  formats that are spelled out, tiles, and layouts other than linear: the command reads
///            these, and dequantizes them
///   errors   file_error if the metadata are wrong or the arrays do not match them
void place_by_notes(const tensor_file& file, const std::string& prefix, const tensor& codes,
                    const tensor& scales, coded_view& view);

}  // namespace golden::io
