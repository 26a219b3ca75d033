// SPDX-License-Identifier: Apache-2.0
// sim/cli/precompiled.cpp: the source whose compilation precompiles precompiled.h.
#include "precompiled.h"
