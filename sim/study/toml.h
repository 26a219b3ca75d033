// SPDX-License-Identifier: Apache-2.0
// sim/study/toml.h: toml++, without its assertions.
#pragma once

// They state what the parser then checks, and refuses with a line: where they are compiled in, a wrong
// text ends the program instead.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>
