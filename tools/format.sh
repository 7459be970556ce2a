#!/bin/bash
# tools/format.sh [--check] [FILE…]: brings our C++ files into the form of .clang-format, or says which are not.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
mode=(-i)
if [[ ${1:-} == --check ]]; then
  mode=(--dry-run --Werror)
  shift
fi
files=("$@")
[[ $# -gt 0 ]] || mapfile -d '' -t files < <(git ls-files -z --cached --others --exclude-standard -- '*.cc' '*.h')
for index in "${!files[@]}"; do
  [[ -e ${files[index]} ]] || unset "files[index]"  # deleted, not yet committed
done
clang-format "${mode[@]}" "${files[@]}"
