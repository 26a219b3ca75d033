// SPDX-License-Identifier: Apache-2.0
// golden/io/pickle.h: recognizes and refuses Python pickles, which are programs; never reads them.
// Source: Python, pickletools (PROTO is byte 0x80); PKWARE, APPNOTE.TXT, "Local file header"
// (PK\3\4).
#pragma once
#include <string>

#include "golden/io/file.h"

namespace golden::io {

/// Throws a file_error with the alternative, if the name is that of a pickle.
void refuse_pickle_name(const std::string& path);

/// Throws it if the first bytes are those of a pickle or of an archive of arrays, whatever the
/// name.
void refuse_pickle(const std::string& path, byte_view file);

}  // namespace golden::io
