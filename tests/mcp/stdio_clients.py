#!/usr/bin/env python3
"""stdio_clients.py LOCI: a thousand clients start `loci mcp` on one palace and go, each in a way that clients go.

Afterwards no process, lock or log of theirs is left, and the palace has what was acknowledged. Needs nothing but Python.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

CLIENTS = 1000
PATIENCE_SECONDS = 60


def call(number, tool, arguments):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                       "params": {"name": tool, "arguments": arguments}}).encode() + b"\n"


INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                         "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "test", "version": "1"}}}).encode() + b"\n"


def says_nothing(server, _):
    server.stdin.close()


def breaks_off(server, number):
    server.stdin.write(call(number, "loci_search", {"query": "harbour"})[:40])
    server.stdin.close()


def does_not_listen(server, number):
    server.stdout.close()
    server.stdin.write(INITIALIZE + call(number, "loci_search", {"query": "harbour"}))
    server.stdin.close()


def is_killed(server, number):
    """The server dies with its client, in the middle of something."""
    server.stdin.write(call(number, "loci_search", {"query": "harbour"}))
    server.stdin.flush()
    server.kill()


def adds(server, number):
    server.stdin.write(INITIALIZE + call(number, "loci_add", {"document": f"harbour note {number}"}))
    server.stdin.flush()
    answer = {}
    while answer.get("id") != number:  # the first write also tells that the lists have changed
        answer = json.loads(server.stdout.readline())
    assert not answer["result"].get("isError"), answer
    server.stdin.close()


WAYS = [says_nothing, breaks_off, does_not_listen, is_killed, adds]


def processes_with(text):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and text.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def locks_on(folder):
    inodes = {f":{file.stat().st_ino}" for file in pathlib.Path(folder).iterdir()}
    with open("/proc/locks", encoding="ascii") as locks:
        return [line for line in locks if any(word.endswith(tuple(inodes)) for word in line.split())]


def expect(holds, what):
    print(("ok      " if holds else "FAILED  ") + what)
    return holds


def main():
    loci = sys.argv[1]
    with tempfile.TemporaryDirectory() as home:
        palace = f"{home}/palace"
        environment = {**os.environ, "LOCI_HOME": home}
        command = [loci, "mcp", "--palace", palace, "--embedder", "none"]
        bad_ends = 0
        for number in range(1, CLIENTS + 1):
            way = WAYS[number % len(WAYS)]
            server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, env=environment)
            try:
                way(server, number)
            except BrokenPipeError:
                pass
            code = server.wait(timeout=PATIENCE_SECONDS)
            bad_ends += code not in ((-9,) if way is is_killed else (0,))
            server.stdout.close()
            if not server.stdin.closed:
                server.stdin.close()
        well = expect(bad_ends == 0, f"{CLIENTS} servers went with their clients; {bad_ends} of them badly")
        well &= expect(processes_with(palace) == [], f"processes left: {processes_with(palace)}")
        well &= expect(locks_on(palace) == [], f"locks left: {locks_on(palace)}")
        status = subprocess.run([loci, "status", "--json", "--palace", palace], capture_output=True, env=environment,
                                timeout=PATIENCE_SECONDS, check=True)
        drawers = json.loads(status.stdout)["drawers"]
        well &= expect(drawers == CLIENTS // len(WAYS), f"drawers: {drawers}")
        left = sorted(file.name for file in pathlib.Path(palace).iterdir())
        well &= expect("palace.db-wal" not in left, f"files: {left}")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
