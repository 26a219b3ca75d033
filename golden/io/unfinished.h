// SPDX-License-Identifier: Apache-2.0
// golden/io/unfinished.h: the temporary files and folders of this process, for a signal that ends it.
#pragma once

namespace golden::io {

/// Names that are on the list from before the file or the folder exists until after it is gone.
///   name  stays where it is until it is forgotten; what does not fit in the list is not removed
void remember_unfinished_file(const char* name) noexcept;
void forget_unfinished_file(const char* name) noexcept;
void remember_unfinished_folder(const char* name) noexcept;
void forget_unfinished_folder(const char* name) noexcept;

/// Removes what is on the list: files, and folders with the files in them. A handler of a signal that
/// ends the program may call it, and nothing else may.
void remove_unfinished_files() noexcept;

}  // namespace golden::io
