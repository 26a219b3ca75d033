# SPDX-License-Identifier: Apache-2.0
# emulator/doors.cmake: headers under their names from before the rooms, for users of the
# installed package and of add_subdirectory. Our own code does not use them.
set(MX_DOORS ${CMAKE_CURRENT_BINARY_DIR}/doors)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS doors.txt)
file(STRINGS doors.txt doors REGEX "^[^#]")
foreach(door IN LISTS doors)
  if(NOT door MATCHES "^(mx/[a-z0-9_]+[.]h) (mx/[a-z0-9_/]+[.]h)$")
    message(FATAL_ERROR "emulator/doors.txt: expected OLD NEW: ${door}")
  elseif(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/include/${CMAKE_MATCH_2})
    message(FATAL_ERROR "emulator/doors.txt: ${CMAKE_MATCH_2}, named by ${CMAKE_MATCH_1}, does not exist")
  endif()
  file(CONFIGURE OUTPUT ${MX_DOORS}/${CMAKE_MATCH_1} @ONLY CONTENT
    "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include \"${CMAKE_MATCH_2}\"\n")
endforeach()
if(NOT PROJECT_IS_TOP_LEVEL)
  target_include_directories(mx_core INTERFACE $<BUILD_INTERFACE:${MX_DOORS}>)
endif()
