// SPDX-License-Identifier: Apache-2.0
// tests/catch_main.cpp: main() of every test under Catch2 version 2; version 3 brings its own.
#define CATCH_CONFIG_MAIN
#include "catch.h"
