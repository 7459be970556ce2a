#!/usr/bin/env python3
"""check_sources.py BUILD [ROOT]: says which .cc files below src/, tests/ and bench/ are compiled by no target.

A test that is left out of the build passes for ever.
"""

import json
import pathlib
import re
import sys


# Built with LOCI_PEERS only: their libraries are not those of the tests.
PEERS = {"bench/peers/faiss_peer.cc", "bench/peers/hnswlib_peer.cc", "bench/peers/sqlite_vec_peer.cc"}


def check(root, compiled):
    """The files on disk that are not among the compiled ones."""
    for top in ("src", "tests", "bench"):
        for path in sorted((root / top).rglob("*.cc")):
            if path.resolve() not in compiled and path.relative_to(root).as_posix() not in PEERS:
                yield f"{path.relative_to(root)}: no target compiles this file"


def compiled_files(build):
    """What the build compiles by itself or as a part of a file that includes several (a unity build)."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    files = {(pathlib.Path(command["directory"]) / command["file"]).resolve() for command in commands}
    for unity in [file for file in files if file.parent.name == "Unity"]:
        files.update(pathlib.Path(path).resolve() for path in re.findall(r'#include "(.+\.cc)"', unity.read_text(encoding="utf-8")))
    return files


def main():
    build = pathlib.Path(sys.argv[1])
    root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent.parent).resolve()
    violations = list(check(root, compiled_files(build)))
    print("\n".join(violations) if violations else "Every file is compiled.")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
