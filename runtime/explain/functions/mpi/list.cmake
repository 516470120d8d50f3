# The functions of MPI that mpi.h declares, of those that *.def describe, as `observed`.

# All names that look like functions in mpi.h and what it includes.
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE include_options)
if(LEADLINE_STANDARD_ABI)
  list(APPEND include_options -DMPI_ABI)
endif()
preprocess("#include <mpi.h>\n" declared ${include_options} -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX
)
string(REGEX MATCHALL "[^A-Za-z0-9_]MPI_[A-Z][a-z0-9_]+[ ]*\\(" declared "${declared}")
list(TRANSFORM declared REPLACE "[^A-Za-z0-9_]MPI_([A-Za-z0-9_]+).*" "\\1")

# Whom a collective makes wait for whom.
set(shape_of_kNToN kAll)
set(shape_of_kOneToN kFromRoot)
set(shape_of_kNToOne kToRoot)
set(shape_of_kScan kFromLower)
# Appends the non-blocking form of the collective in a line to `lines`, whose request comes last, and
# the persistent one, whose info comes before that.
macro(append_starts line)
  if("${line}" MATCHES "^collective +([A-Z])([a-z_]+)\\(([0-9]+)\\) +.kind = (k[A-Za-z]+), (.*)$")
    set(kind ${CMAKE_MATCH_4})
    if(DEFINED shape_of_${kind})
      set(first ${CMAKE_MATCH_1})
      set(rest ${CMAKE_MATCH_2})
      set(roles ".kind = kStart, .shape = ${shape_of_${kind}}, ${CMAKE_MATCH_5}")
      string(TOLOWER ${first} lower)
      math(EXPR one_more "${CMAKE_MATCH_3} + 1")
      math(EXPR two_more "${CMAKE_MATCH_3} + 2")
      list(
        APPEND lines
        "collective_start I${lower}${rest}(${one_more}) ${roles}, .request = ${CMAKE_MATCH_3}"
        "persistent_start ${first}${rest}_init(${two_more}) ${roles}, .request = ${one_more}"
      )
    endif()
  endif()
endmacro()

set(observed "")
set(id 0)
foreach(definition ${definitions})
  file(STRINGS ${definition} described REGEX "^[a-z_]+ +[A-Z]")
  set(lines ${described})
  foreach(line ${described})
    append_starts("${line}")
  endforeach()
  foreach(line ${lines})
    string(REGEX MATCH "^([a-z_]+) +([A-Za-z_]+)\\(([0-9]+),? *([0-9]*)\\) *(.*)$" all "${line}")
    set(handler ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    set(count ${CMAKE_MATCH_3})
    set(in_fortran "${CMAKE_MATCH_4}")
    set(roles "${CMAKE_MATCH_5}")
    if(NOT all)
      message(FATAL_ERROR "${definition}: not a function: ${line}")
    endif()
    if(NOT name IN_LIST declared)
      continue()
    endif()
    # With ierror.
    if(in_fortran STREQUAL "")
      math(EXPR in_fortran "${count} + 1")
    endif()
    math(EXPR id "${id} + 1")
    string(TOLOWER ${name} lower)
    string(TOUPPER ${name} upper)
    string(
      APPEND observed
      "LEADLINE_OBSERVED(${id}, ${handler}, ${name}, ${lower}, ${upper}, ${count}, ${in_fortran}, "
      "${roles})\n"
    )
    if(${name}_c IN_LIST declared)
      string(APPEND observed "LEADLINE_OBSERVED_LARGE(${id}, ${name}_c, ${count})\n")
    endif()
  endforeach()
endforeach()
