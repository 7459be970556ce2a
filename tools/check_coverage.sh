#!/bin/bash
# Reports which lines the tests of build/coverage have run, and fails when the storage contract falls below its share.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
required=90
counts=build/coverage/counts.json

gcovr --root . --object-directory build/coverage --filter src/ --filter include/ --exclude '.*_test\.cc' \
  -j "$(nproc)" --json "$counts" build/coverage

printf 'All of src and include (build/coverage/index.html shows the lines):\n'
gcovr --root . --add-tracefile "$counts" --html-details build/coverage/index.html --print-summary

printf '\nsrc/store and include/loci, of which %d %% of the lines must run:\n' "$required"
gcovr --root . --add-tracefile "$counts" --filter src/store/ --filter include/loci/ --fail-under-line "$required" --txt -
