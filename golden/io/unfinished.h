// SPDX-License-Identifier: Apache-2.0
// golden/io/unfinished.h: temporary files and folders of this process, removed by a fatal signal.
#pragma once

namespace golden::io {

/// Names are listed from before the file or folder exists until after it is removed.
///   name  must not move until it is forgotten; names beyond the list's capacity are not removed
void remember_unfinished_file(const char* name) noexcept;
void forget_unfinished_file(const char* name) noexcept;
void remember_unfinished_folder(const char* name) noexcept;
void forget_unfinished_folder(const char* name) noexcept;

/// Removes a folder of files, without memory or locks.
void remove_folder_of_files(const char* name) noexcept;

/// Removes what is listed: files, and folders with their files. To be called only by the handler of
/// a signal that ends the program.
void remove_unfinished_files() noexcept;

}  // namespace golden::io
