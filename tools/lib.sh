# What ./loci, ./test and tools/setup.sh share. Sourced with $root set to the checkout. Everything is said on stderr:
# stdout may be read by an MCP client.

say() { printf 'loci: %s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

# Waits until no other process sets up or builds this checkout. The lock is held until this process and the compilers it
# started have ended, or until release_lock.
take_lock() {
  [[ ${LOCI_LOCK_HELD:-} == "$root" ]] && return
  mkdir -p "$root/build" 2>/dev/null && exec 9>"$root/build/.lock" ||
    fail "cannot write to $root/build; the program is built there, so use a checkout that you may write to"
  if ! flock --nonblock 9; then
    say "another process is setting up or building; waiting for it"
    flock 9
  fi
  export LOCI_LOCK_HELD=$root
}

release_lock() {
  exec 9>&-
  unset LOCI_LOCK_HELD
}

job_count() { printf '%s' "${LOCI_JOBS:-$(nproc)}"; }

# build PRESET [TARGET…]: configures when needed, then builds. One line of progress; the compilers' words go to a log,
# whose end is shown on failure.
build() {
  local preset=$1 folder=$root/build/$1 log=$root/build/$1.log
  shift
  say "building (build/$preset)"
  if ! configure "$preset" >"$log" 2>&1; then
    build_failed "$log"
    return 1
  fi
  if ! NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "$(job_count)" "${ninja_options[@]}" "$@" 2>&1 | show_progress "$log"; then
    build_failed "$log"
    return 1
  fi
}

# configure PRESET: ninja reruns cmake by itself, so this is for a new build folder, for one that came here with a moved
# or copied checkout, and for options that the caller asks for in configure_options.
configure() {
  local folder=$root/build/$1 fresh=()
  if [[ -e $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    fresh=(--fresh)
  elif [[ -e $folder/build.ninja && ${#configure_options[@]} -eq 0 ]]; then
    return
  fi
  (cd "$root" && cmake --preset "$1" "${fresh[@]}" "${configure_options[@]}")
}
configure_options=()
ninja_options=()

build_failed() {
  printf '\n' >&2
  tail -n 40 "$1" >&2
  say "the build failed; all of its output is in $1"
}

# Copies ninja's output to the log, and on a terminal its counter to one line that is overwritten.
show_progress() {
  local log=$1 line counter='' width=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ -t 2 && $line == \[*/*\]* ]] || continue
    counter="  ${line%%]*}] ${line##* }"
    counter=${counter:0:100}
    printf '\r%-*s' "$width" "$counter" >&2
    width=${#counter}
  done
  [[ $width -gt 0 ]] && printf '\r%-*s\r' "$width" '' >&2
  return 0
}
