#!/bin/sh
# Makes the virtual environment named by $1 from requirements.lock; says in one sentence what is missing.
set -eu
venv=$1
python=${PYTHON:-python3}
say() { printf '%s\n' "setup: $*" >&2; }

command -v "$python" >/dev/null 2>&1 || { say "no '$python' on the PATH; install Python 3.11 or newer."; exit 1; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  { say "Comitium needs Python 3.11 or newer; '$python' is $("$python" -V 2>&1). Try: make PYTHON=python3.12 ..."; exit 1; }
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing python3-venv"
    apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
  else
    say "this Python has no venv module; install it (Debian: apt-get install python3-venv) and run make again."
    exit 1
  fi
fi
[ -x "$venv/bin/python" ] || { say "making $venv"; "$python" -m venv "$venv"; }
say "installing the locked requirements into $venv (about a minute the first time)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
say "ready"
