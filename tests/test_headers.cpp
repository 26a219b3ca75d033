// SPDX-License-Identifier: Apache-2.0
// tests/test_headers.cpp: the source whose compilation precompiles test_headers.h.
#include "test_headers.h"
