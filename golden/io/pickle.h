// SPDX-License-Identifier: Apache-2.0
// golden/io/pickle.h: Python pickles, which are programs: told, refused, never read.
// Source: Python, pickletools (PROTO is byte 0x80); PKWARE, APPNOTE.TXT, "Local file header" (PK\3\4).
#pragma once
#include <string>

#include "golden/io/file.h"

namespace golden::io {

/// Throws a file_error that says what to do instead, where a name says that a file is a pickle.
void refuse_pickle_name(const std::string& path);

/// The same where the first bytes say so, or that it is an archive of arrays, whatever its name.
void refuse_pickle(const std::string& path, byte_view file);

}  // namespace golden::io
