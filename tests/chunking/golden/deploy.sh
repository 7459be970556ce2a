#!/bin/bash
# Puts the program where it runs.
set -euo pipefail

host=${1:-localhost}
count=$#

# usage: says how to call this.
usage() {
  cat <<'END'
usage: deploy.sh HOST

# not a comment, don't
not_a_function() {
END
}

if [[ $count -eq 0 ]]; then
  usage
  exit 2
fi

# Builds what is to be deployed.
build() {
  local target=$1
  awk '
    /^#/ { next }
    { print "it is", $1 }
  ' targets.txt
  make "$target" || {
    echo "build of $target failed" >&2
    return 1
  }
}

for target in program docs; do
  build "$target"
done
scp build/program "$host:/usr/local/bin/"
