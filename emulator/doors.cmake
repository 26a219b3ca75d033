# SPDX-License-Identifier: Apache-2.0
# emulator/doors.cmake: headers under the names that they had before they lay in rooms, for users of
# what is installed and of add_subdirectory. Our own code does not see them.
set(MX_DOORS ${CMAKE_CURRENT_BINARY_DIR}/doors)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS doors.txt)
file(STRINGS doors.txt doors REGEX "^[^#]")
foreach(door IN LISTS doors)
  if(NOT door MATCHES "^(mx/[a-z0-9_]+[.]h) (mx/[a-z0-9_/]+[.]h)$")
    message(FATAL_ERROR "emulator/doors.txt: expected OLD NEW: ${door}")
  elseif(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/include/${CMAKE_MATCH_2})
    message(FATAL_ERROR "emulator/doors.txt: there is no ${CMAKE_MATCH_2}, to which ${CMAKE_MATCH_1} leads")
  endif()
  file(CONFIGURE OUTPUT ${MX_DOORS}/${CMAKE_MATCH_1} @ONLY CONTENT
    "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include \"${CMAKE_MATCH_2}\"\n")
endforeach()
if(NOT PROJECT_IS_TOP_LEVEL)
  target_include_directories(mx_core INTERFACE $<BUILD_INTERFACE:${MX_DOORS}>)
endif()
