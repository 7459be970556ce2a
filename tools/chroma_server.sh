#!/bin/sh
# A real Chroma server on the loopback interface, for the tests and benches that need one.
#
#   tools/chroma_server.sh install      fetches the server into .deps/ (start does it too)
#   tools/chroma_server.sh start DIR    starts it with its data in DIR/data, waits until it answers, prints its URL
#   tools/chroma_server.sh stop DIR     stops the server that was started with DIR; its data stays
#   tools/chroma_server.sh run COMMAND… runs the command with LOCI_CHROMA_SERVER set to a new server's URL, for its time;
#                                       77 where no server can be had, or 1 when LOCI_PROMISED names chroma
#
# DIR also gets server.pid, server.url and server.log. The server is the Chroma program as its authors publish it for
# Node: a native module whose one function is Chroma's command line (1.0.20; later ones need a newer glibc than Debian 12
# has).
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
module=$root/.deps/chroma/server/chromadb-js-bindings.linux-x64-gnu.node
start_seconds=60

fail() {
  echo "chroma_server: $*" >&2
  exit 1
}

usage() {
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

install_server() {
  command -v node >/dev/null || fail "node is missing; apt-get install nodejs npm"
  [ -e "$module" ] || "$root/tools/setup.sh" chroma-server || fail "the server cannot be fetched"
}

# The process is ours only if it still runs this very module: after a reboot the number may be another's.
is_running() {
  [ -n "$1" ] && [ -r "/proc/$1/cmdline" ] && tr '\0' ' ' <"/proc/$1/cmdline" | grep -qF "$module"
}

free_port() {
  node -e 'const s = require("net").createServer();
           s.listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); });'
}

answers() {
  node -e 'fetch(process.argv[1] + "/api/v2/heartbeat", {signal: AbortSignal.timeout(2000)})
             .then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1));' "$1"
}

start() {
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  if is_running "$(cat "$dir/server.pid" 2>/dev/null)"; then
    fail "a server of $dir is running already at $(cat "$dir/server.url")"
  fi
  install_server
  port=$(free_port)
  # A session of its own: stopping the caller's terminal or process group must not take the server along half-way.
  setsid node -e 'require(process.argv[1]).cli(
      ["chroma", "run", "--path", process.argv[2], "--host", "127.0.0.1", "--port", process.argv[3]]);' \
    "$module" "$dir/data" "$port" >"$dir/server.log" 2>&1 </dev/null &
  pid=$!
  echo "$pid" >"$dir/server.pid"
  url=http://127.0.0.1:$port
  echo "$url" >"$dir/server.url"
  deadline=$(($(date +%s) + start_seconds))
  until answers "$url"; do
    kill -0 "$pid" 2>/dev/null || fail "the server ended at once; see $dir/server.log"
    if [ "$(date +%s)" -ge "$deadline" ]; then
      kill "$pid"
      fail "no answer within $start_seconds s; see $dir/server.log"
    fi
    sleep 0.2
  done
  echo "$url"
}

stop() {
  pid=$(cat "$1/server.pid" 2>/dev/null) || return 0
  if is_running "$pid"; then
    kill "$pid" 2>/dev/null || true
    waited=0
    while is_running "$pid"; do
      [ "$waited" -eq 100 ] && kill -9 "$pid" 2>/dev/null
      waited=$((waited + 1))
      sleep 0.1
    done
  fi
  rm -f "$1/server.pid" "$1/server.url"
}

run() {
  dir=$(mktemp -d "${TMPDIR:-/tmp}/chroma_server.XXXXXX")
  trap 'stop "$dir"; rm -rf "$dir"' EXIT
  trap 'exit 130' INT TERM
  if ! LOCI_CHROMA_SERVER=$("$0" start "$dir"); then
    case ",${LOCI_PROMISED:-}," in
      *,chroma,*) fail "the Chroma server is required and absent" ;;
    esac
    echo "chroma_server: no Chroma server can be had here" >&2
    exit 77
  fi
  export LOCI_CHROMA_SERVER
  status=0
  "$@" || status=$?
  exit "$status"
}

case "${1:-}" in
  install) install_server ;;
  start) [ $# -eq 2 ] || usage; start "$2" ;;
  stop) [ $# -eq 2 ] || usage; stop "$2" ;;
  run) [ $# -ge 2 ] || usage; shift; run "$@" ;;
  *) usage ;;
esac
