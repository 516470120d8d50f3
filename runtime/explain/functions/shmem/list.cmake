# The functions of OpenSHMEM that its headers declare, of those that *.def describe, as `observed`.
#
# A line is a function for each type in the place of TYPE, for each size in that of ELEMENTS, and
# with and without what is in brackets. Libraries also have some with the prefix shmemx_.

set(source "#include <shmem.h>\n#if __has_include(<shmemx.h>)\n#include <shmemx.h>\n#endif\n")
preprocess("${source}" declared)
string(REGEX MATCHALL "[^A-Za-z0-9_](shmem[a-z0-9_]*|start_pes)[ ]*\\(" declared "${declared}")
list(TRANSFORM declared REPLACE "[^A-Za-z0-9_]([a-z0-9_]+).*" "\\1")
list(REMOVE_DUPLICATES declared)

string(
  JOIN " "
  types
  "char schar short int long longlong uchar ushort uint ulong ulonglong"
  "int8 int16 int32 int64 uint8 uint16 uint32 uint64 size ptrdiff"
  "float double longdouble complexf complexd"
)
separate_arguments(types)
set(in_other_registers float double longdouble)
separate_arguments(sizes UNIX_COMMAND "mem 8 16 32 64 128")

set(observed "")
set(id 0)
# Appends the function of this name, if there is one. `roles` are those of its line.
macro(observe name type element context)
  foreach(own ${name} shmemx${name})
    string(REGEX REPLACE "^shmemxshmem_" "shmemx_" own ${own})
    if(own IN_LIST declared)
      math(EXPR id "${id} + 1")
      math(EXPR words "${count} + ${context}")
      set(how Words)
      if("${type}" IN_LIST in_other_registers AND passing)
        set(how ${passing})
      endif()
      string(
        APPEND observed
        "LEADLINE_OBSERVED(${id}, ${handler}, ${own}, ${words}, ${how}, type_${type}, ${context}, "
        ".first = ${context}, ${element}${roles})\n"
      )
    endif()
  endforeach()
endmacro()

foreach(definition ${definitions})
  file(STRINGS ${definition} lines REGEX "^[a-z_]+ +[a-z]")
  foreach(line ${lines})
    string(
      REGEX MATCH
        "^([a-z_]+) +([A-Za-z0-9_]*)(\\[ctx_\\])?([A-Za-z0-9_]*)\\(([0-9]+)\\) *([A-Z][a-z]+)? *(\\..*)$"
      all
      "${line}"
    )
    if(NOT all)
      message(FATAL_ERROR "${definition}: not a function: ${line}")
    endif()
    set(handler ${CMAKE_MATCH_1})
    set(begin "${CMAKE_MATCH_2}")
    set(with_context "${CMAKE_MATCH_3}")
    set(end "${CMAKE_MATCH_4}")
    set(count ${CMAKE_MATCH_5})
    set(passing "${CMAKE_MATCH_6}")
    set(roles "${CMAKE_MATCH_7}")
    set(names "0 ${begin}${end}")
    if(with_context)
      list(APPEND names "1 ${begin}ctx_${end}")
    endif()
    foreach(each ${names})
      string(REGEX MATCH "^(.) (.*)$" all ${each})
      set(context ${CMAKE_MATCH_1})
      set(pattern ${CMAKE_MATCH_2})
      if(pattern MATCHES "TYPE")
        foreach(type ${types})
          string(REPLACE TYPE ${type} name ${pattern})
          observe(${name} ${type} ".element = sizeof(type_${type}), " ${context})
        endforeach()
      elseif(pattern MATCHES "ELEMENTS")
        foreach(size ${sizes})
          string(REPLACE ELEMENTS ${size} name ${pattern})
          set(bytes 1)
          if(NOT size STREQUAL "mem")
            math(EXPR bytes "${size} / 8")
          endif()
          observe(${name} none ".element = ${bytes}, " ${context})
        endforeach()
      else()
        observe(${pattern} none "" ${context})
      endif()
    endforeach()
  endforeach()
endforeach()
