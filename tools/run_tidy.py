#!/usr/bin/env python3
"""run_tidy.py --build BUILD [--jobs N] [FILE…]: clang-tidy over our .cc files, and through them over our headers.

Files that the build compiles together are looked at together. What passed is not looked at again until it, one of our
headers or .clang-tidy changes.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def our_files(build):
    """What the build compiles from our folders, each once. (A .cc elsewhere is not our code or is generated, unless it
    only includes several of ours.)"""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    files = {pathlib.Path(command["directory"], command["file"]).resolve() for command in commands}
    folders = [ROOT / "src", ROOT / "tests", ROOT / "bench"]
    return sorted(
        file for file in files if file.parent.name == "Unity" or any(file.is_relative_to(folder) for folder in folders))


def dependencies(build):
    """Source -> the files of this project that its compilation read, from ninja's own log."""
    result, current = {}, []
    output = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        if not line.startswith("    "):
            current = []
        else:
            file = pathlib.Path(build, line.strip()).resolve()
            if file.is_relative_to(ROOT):
                if not current:
                    result[file] = current
                current.append(file)
    return result


def fingerprint(files):
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for file in sorted(set(files)):
        digest.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def tidy(build, file):
    command = ["clang-tidy", "--quiet", "-p", build]
    of_tests = "_tests.dir/" in file.as_posix()  # a file that includes several
    if of_tests or file.stem.endswith("_test") or file.is_relative_to(ROOT / "tests"):
        command.append("--checks=-performance-*")  # a copy more does not matter there
    return subprocess.run([*command, file], capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    build = arguments.build.resolve()

    passed_folder = build / "tidy"
    passed_folder.mkdir(exist_ok=True)
    known = dependencies(build)
    prints = {}
    for file in [file.resolve() for file in arguments.files] or our_files(build):
        if file in known:
            prints[file] = passed_folder / fingerprint(known[file])
        else:
            prints[file] = None  # not compiled yet, so what it includes is not known
    todo = [file for file, passed in prints.items() if passed is None or not passed.exists()]
    print(f"clang-tidy: {len(todo)} files to check, {len(prints) - len(todo)} passed before", flush=True)

    failures = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = {pool.submit(tidy, build, file): file for file in todo}
        for run in concurrent.futures.as_completed(runs):
            file, result = runs[run], run.result()
            if result.returncode == 0:
                if prints[file] is not None:
                    prints[file].touch()
            else:
                failures += 1
                print(result.stdout + (result.stderr if not result.stdout else ""), flush=True)
    print(f"clang-tidy: {failures} files with findings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
