"""What the tests with the official tools of the Model Context Protocol share: finding the tools, running servers.

A test ends with SKIPPED when the tools are not there (tools/mcp_tools.sh install fetches them), unless LOCI_PROMISED
names "mcp": then that is a failure.
"""

import contextlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def tools():
    """The folder with bin/node and node_modules; ends the test when it is not there."""
    found = subprocess.run([ROOT / "tools/mcp_tools.sh", "path"], capture_output=True, text=True, check=False)
    if found.returncode == 0:
        return pathlib.Path(found.stdout.strip())
    print(found.stderr.strip())
    if "mcp" in os.environ.get("LOCI_PROMISED", "").split(","):
        print("LOCI_PROMISED promises them")
        sys.exit(1)
    print("skipped: the official tools of MCP")
    sys.exit(SKIPPED)


def node(*arguments, timeout=120, cwd=None, environment=None):
    """Runs a script with the fetched Node; its output and its exit code."""
    folder = tools()
    variables = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", **(environment or {})}
    run = subprocess.run([folder / "bin/node", *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                         cwd=cwd, env=variables, check=False)
    return run.returncode, run.stdout + run.stderr


@contextlib.contextmanager
def serving(command, environment=None):
    """Runs a server that prints "listening on URL" first; yields the URL and all it said, and stops it by a signal."""
    server = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env={**os.environ, **(environment or {})})
    try:
        line = server.stdout.readline()
        if not line.startswith("listening on "):
            raise RuntimeError(f"{command[0]} said {line!r}")
        yield line.split()[-1], server
    finally:
        server.terminate()
        if server.wait(timeout=20) != 0:
            raise RuntimeError(f"{command[0]} ended with {server.returncode}")
