// SPDX-License-Identifier: Apache-2.0
// sim/cli/precompiled.h: headers that commands take longest to read.
#pragma once
#include <CLI/CLI.hpp>

#include "sim/precompiled.h"
