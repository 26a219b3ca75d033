# SPDX-License-Identifier: Apache-2.0
# sim/claims/build_origin.cmake: writes OUTPUT, the commit of SOURCE and the compiler, if it changed.
# A source tree without git has no commit.
execute_process(
  COMMAND git -C ${SOURCE} describe --always --abbrev=40 --exclude=* --dirty=-with-changes
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failure)
if(failure OR NOT EXISTS ${SOURCE}/.git)
  set(commit "unknown (built outside of a git checkout)")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "sim/claims/origin.h"
const char* sim::build_commit() noexcept { return "@commit@"; }
const char* sim::build_compiler() noexcept { return "@COMPILER@"; }
]])
