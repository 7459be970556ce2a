#!/usr/bin/env python3
"""clients.py LOCI: the official TypeScript clients run a session with Loci over stdio and HTTP, in both eras."""

import pathlib
import sys
import tempfile

import official

HERE = pathlib.Path(__file__).parent
FEW, MANY = 20, 4000


def make_files(folder):
    for name, count in (("few", FEW), ("many", MANY)):
        (folder / name).mkdir()
        for i in range(count):
            text = f"# Note {i}\n\nThe lighthouse of {name} number {i} was painted.\n" + f"Line {i} of the log.\n" * 100
            (folder / name / f"note_{i}.md").write_text(text, encoding="utf-8")


def session(kind, transport, folder, *target):
    code, text = official.node(HERE / "session.mjs", official.tools() / "node_modules", kind, transport, folder, *target,
                               timeout=60)
    print(text.strip())
    return code == 0


def main():
    loci = sys.argv[1]
    official.tools()
    all_well = True
    with tempfile.TemporaryDirectory() as name:
        files = pathlib.Path(name) / "files"
        files.mkdir()
        make_files(files)
        for kind in ("v1", "legacy", "modern"):
            for transport in ("stdio", "http"):
                home = pathlib.Path(name) / f"{kind}_{transport}"
                options = ["--palace", home / "palace", "--embedder", "none"]
                environment = {"LOCI_HOME": str(home)}
                if transport == "stdio":
                    all_well &= session(kind, transport, files, loci, "mcp", *options)
                    continue
                with official.serving([loci, "serve", "--listen", "127.0.0.1:0", *options], environment) as (url, server):
                    token = server.stdout.readline().split()[1]
                    all_well &= session(kind, transport, files, url, token)
    return 0 if all_well else 1


if __name__ == "__main__":
    sys.exit(main())
