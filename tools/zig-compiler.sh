#!/bin/sh
# A C or C++ compiler whose results run on any Linux with the C library of @TARGET@: Clang of
# Zig @VERSION@.
#
# C++'s own library is in programs as a whole, for the parts that they load; a part has none, and
# what others preload has its own, which nobody sees. Zig's linker knows neither a list of symbols,
# for which all are exported, nor -Bsymbolic-functions, which Clang does by itself.
kind=program
for word in "$@"; do
  shift
  case $word in
    -c | -E | -S | -fsyntax-only) kind=compiled ;;
    -shared) [ $kind = library ] || kind=part ;;
    -Wl,-soname,*) kind=library ;;
    *--dynamic-list=*) word=-rdynamic ;;
    -Xlinker | *-Bsymbolic-functions) continue ;;
  esac
  set -- "$@" "$word"
done
case $kind in
  compiled) ;;
  library) set -- "$@" -s ;;
  part) set -- "$@" -s -nostdlib++ ;;
  program) set -- "$@" -s -nostdlib++ "@RUNTIME@" ;;
esac
exec "@ZIG@" @LANGUAGE@ -target @TARGET@ -mcpu=baseline -fno-sanitize=all "$@"
