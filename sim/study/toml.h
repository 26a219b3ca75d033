// SPDX-License-Identifier: Apache-2.0
// sim/study/toml.h: toml++, without its assertions.
#pragma once

// They assert what the parser then checks and refuses with a line: if enabled, an invalid text
// would abort the program instead.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>
