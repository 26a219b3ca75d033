// SPDX-License-Identifier: Apache-2.0
// golden/io/own_notes.h: what the metadata of `mxprism quantize` say of codes and scales.
#pragma once
#include <string>

#include "golden/io/coded_view.h"

namespace golden::io {

/// Fills format, block, order, shape and axis of a view of codes in U8. Without metadata these are
/// MXFP4 in whole blocks along the last axis, low nibble first, as the command takes them.
///   refused  formats that are spelled out, tiles, and layouts other than linear: the command reads
///            these, and dequantizes them
///   errors   file_error where the metadata are wrong or the arrays do not fit them
void place_by_notes(const tensor_file& file, const std::string& prefix, const tensor& codes,
                    const tensor& scales, coded_view& view);

}  // namespace golden::io
