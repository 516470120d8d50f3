#!/bin/sh
# leadline @VERSION@ for Linux on @MACHINE@: `sh FILE [FOLDER]` makes an environment of its own there.
# Neither root nor network nor a compiler is needed. Behind these lines is an archive of wheels.
if [ "$(uname -m)" != "@MACHINE@" ]; then
  echo "leadline: this is a machine of $(uname -m), and $0 is for @MACHINE@" >&2
  exit 2
fi
for python in "${PYTHON:-}" @PROGRAMS@ python3; do
  if "$python" -c 'import sys, venv, zlib
sys.exit("%d.%d" % sys.version_info[:2] not in "@PYTHONS@".split())' 2>/dev/null; then
    exec "$python" "$0" "$@"
  fi
done
echo "leadline: no Python @PYTHONS@ here: dnf install @DNF@ (RHEL), apt install @DNF@ (Debian," \
  "Ubuntu), a module, or PYTHON=/path/to/python sh $0; \`leadline pack --python\` packs for another" >&2
exit 2
