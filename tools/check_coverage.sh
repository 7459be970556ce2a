#!/bin/bash
# Reports which lines the tests of build/coverage have run, and fails when the storage contract falls below its share.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
required=90

# report NAME OPTION…: a table on the terminal and a page build/coverage/NAME.html
report() {
  local name=$1
  shift
  gcovr --root . --object-directory build/coverage --exclude '.*_test\.cc' --exclude-throw-branches \
    --html-details "build/coverage/$name.html" --print-summary "$@" build/coverage
}

printf 'All of src and include:\n'
report all --filter src/ --filter include/ --output /dev/null
printf '\nsrc/store and include/loci, of which %d %% of the lines must run:\n' "$required"
report store --filter src/store/ --filter include/loci/ --fail-under-line "$required" --txt -
