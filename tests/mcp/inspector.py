#!/usr/bin/env python3
"""inspector.py LOCI: the official inspector, strict, over stdio and HTTP, in both eras."""

import json
import pathlib
import sys
import tempfile

import official

REQUESTS = [
    ["--method", "tools/list"],
    ["--method", "resources/list"],
    ["--method", "resources/templates/list"],
    ["--method", "prompts/list"],
    ["--method", "tools/call", "--tool-name", "loci_add", "--tool-arg", "document=kept", "--tool-arg", "wing=w",
     "--tool-arg", "room=r"],
    ["--method", "tools/call", "--tool-name", "loci_search", "--tool-arg", "query=kept"],
]


def inspect(target, request):
    """Whether the inspector was content with the answer."""
    launcher = official.tools() / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    strict = ["--strict"] if request[1] == "tools/list" else []
    code, text = official.node(launcher, "--cli", *target, *request, *strict, "--format", "json", timeout=60)
    if code != 0:
        print(f"{' '.join(map(str, target))} {' '.join(request)}: ended with {code}\n{text[-2000:]}")
        return False
    json.loads(text[text.index("{"):])
    return True


def main():
    loci = sys.argv[1]
    official.tools()
    good = 0
    runs = 0
    with tempfile.TemporaryDirectory() as name:
        home = pathlib.Path(name)
        options = ["--palace", home / "palace", "--embedder", "none"]
        variables = ["-e", f"LOCI_PALACE={home / 'palace'}", "-e", "LOCI_EMBEDDER=none", "-e", f"LOCI_HOME={home}"]
        with official.serving([loci, "serve", "--listen", "127.0.0.1:0", "--no-token", *options],
                              {"LOCI_HOME": name}) as (url, _):
            for era in ("legacy", "modern"):
                for target in ([loci, "mcp", *variables], ["--server-url", url]):
                    for request in REQUESTS:
                        runs += 1
                        good += inspect([*target, "--protocol-era", era], request)
    print(f"{good} of {runs} requests of the inspector were answered as it wants")
    return 0 if good == runs else 1


if __name__ == "__main__":
    sys.exit(main())
