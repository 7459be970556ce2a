#!/usr/bin/env python3
"""hostile.py LOCI: clients that come and go, send too much, too deep or too slowly, against `loci serve`.

Needs nothing but Python. While each of them tries, an ordinary client is served.
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import official

CLIENTS = 1000
SLOW = 50
IDLE_MEMORY_KB = 15 * 1024
# Long before the slow ones are dropped, and far more than a loaded machine needs.
ANSWER_SECONDS = 8.0
# Threads that answer at once keep connections to the palace, with a few files each.
POOLED_DESCRIPTORS = 30


class Server:
    """A running `loci serve`, as a client and as the system sees it."""

    def __init__(self, url, process):
        self.process = process
        self.port = int(re.search(r":(\d+)/", url)[1])
        self.url = url
        self.token = process.stdout.readline().split()[1]

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def head(self, length, path="/mcp", method="tools/list", more=""):
        return (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
                "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                f"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{more}"
                f"Content-Length: {length}\r\n\r\n").encode()

    def request(self, method, params, more=""):
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}).encode()
        return self.head(len(body), method=method, more=more) + body

    def call(self, tool, arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments}, f"Mcp-Name: {tool}\r\n")

    def use_palace(self):
        """Stores something and finds it."""
        for request, sign in ((self.call("loci_add", {"document": "the harbour is closed"}), b"Stored as"),
                              (self.call("loci_search", {"query": "harbour"}), b"is closed")):
            with self.connect() as client:
                client.sendall(request)
                answer = b""
                while sign not in answer:
                    part = client.recv(1 << 16)
                    assert part, f"the palace is not served: {answer[:500]}"
                    answer += part

    def list_tools(self):
        """An ordinary request; the seconds until it was answered."""
        begin = time.monotonic()
        with self.connect() as client:
            client.sendall(self.request("tools/list", {}))
            assert client.recv(100).startswith(b"HTTP/1.1 200 "), "an ordinary client was not served"
        return time.monotonic() - begin

    def descriptors(self):
        """How many are sockets, and how many something else."""
        folder = pathlib.Path(f"/proc/{self.process.pid}/fd")
        targets = []
        for entry in folder.iterdir():
            try:
                targets.append(os.readlink(entry))
            except FileNotFoundError:  # closed in the meantime
                continue
        sockets = sum(target.startswith("socket:") for target in targets)
        return sockets, len(targets) - sockets

    def private_kb(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text(encoding="ascii")
        return sum(int(size) for size in re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.M))

    def locks(self):
        return sum(f" {self.process.pid} " in line for line in open("/proc/locks", encoding="ascii"))

    def children(self):
        return subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True,
                              check=False).stdout.split()


def status_of(client):
    """The status of the answer; 0 when the other side just closed."""
    try:
        answer = client.recv(4096)
    except ConnectionError:
        return 0
    return int(answer.split()[1]) if answer else 0


def expect(holds, what):
    print(("ok      " if holds else "FAILED  ") + what)
    return holds


def comes_and_goes(server):
    server.use_palace()
    time.sleep(0.5)
    (sockets, others), locks, children = server.descriptors(), server.locks(), server.children()
    search, add = server.call("loci_search", {"query": "harbour"}), server.call("loci_add", {"document": "a harbour"})
    for i in range(CLIENTS):
        with server.connect() as client:
            # Nothing, a part of the head, a part of the body, whole requests whose answers nobody reads.
            client.sendall([b"", search[: i % 80], search[:-5], server.head(2) + b"{}", search, add][i % 6])
    for _ in range(200):
        (sockets_after, others_after), locks_after = server.descriptors(), server.locks()
        if (sockets_after, locks_after) == (sockets, locks):
            break
        time.sleep(0.1)
    server.use_palace()
    well = expect((sockets_after, locks_after) == (sockets, locks),
                  f"{CLIENTS} clients came and went: sockets {sockets} → {sockets_after}, locks {locks} → {locks_after}")
    well &= expect(others_after <= others + POOLED_DESCRIPTORS, f"other descriptors: {others} → {others_after}")
    return well & expect(server.children() == children, f"children: {children} → {server.children()}")


def idle_memory(server):
    time.sleep(0.5)
    kb = server.private_kb()
    return expect(kb < IDLE_MEMORY_KB, f"private memory of the idle server: {kb / 1024:.1f} MB")


def too_long(server):
    block = b"x" * (1 << 20)
    sent = 0
    with server.connect() as client:
        client.sendall(server.head(100 << 20))
        client.settimeout(5)
        status = status_of(client)
        try:
            while sent < 100:
                client.sendall(block)
                sent += 1
        except OSError:
            pass
    waited = server.list_tools()
    return expect(status == 413 and waited < ANSWER_SECONDS,
                  f"a body of 100 MB: status {status}, closed after {sent} MB; others waited {waited * 1000:.0f} ms")


def too_deep(server):
    body = b"[" * 10_000 + b"]" * 10_000
    with server.connect() as client:
        client.sendall(server.head(len(body)) + body)
        status = status_of(client)
    waited = server.list_tools()
    return expect(status == 400 and waited < ANSWER_SECONDS,
                  f"10,000 nested lists: status {status}; others waited {waited * 1000:.0f} ms")


def too_slow(server):
    """Clients that send a byte now and then, until the server has had enough."""
    begin = time.monotonic()
    slow = [server.connect() for _ in range(SLOW)]
    head = server.head(100)
    longest = 0.0
    dropped_after = None
    sent = 0
    while slow and time.monotonic() - begin < 25:
        for client in list(slow):
            try:
                client.sendall(head[sent % len(head) : sent % len(head) + 1])
            except OSError:
                slow.remove(client)
        sent += 1
        longest = max(longest, server.list_tools())
        time.sleep(0.3)
    if not slow:
        dropped_after = time.monotonic() - begin
    for client in slow:
        client.close()
    return expect(dropped_after is not None and longest < ANSWER_SECONDS,
                  f"{SLOW} slow clients dropped after {dropped_after or 0:.1f} s; others waited {longest * 1000:.0f} ms")


def too_many(server):
    many = [server.connect() for _ in range(400)]
    waited = server.list_tools()
    for client in many:
        client.close()
    return expect(waited < ANSWER_SECONDS, f"400 connections at once: others waited {waited * 1000:.0f} ms")


def foreign(server):
    """What a page of another site could make a browser send, and tokens where they do not belong."""
    good = server.head(2).decode()
    host = f"Host: 127.0.0.1:{server.port}"
    attempts = {
        "a foreign Host": (good.replace(host, "Host: evil.example.com"), 403),
        "a foreign Origin": (good.replace(host, host + "\r\nOrigin: http://evil.example.com"), 403),
        "no token": (re.sub(r"Authorization: .*\r\n", "", good), 401),
        "a wrong token": (re.sub(r"Bearer .*\r\n", f"Bearer {'0' * 64}\r\n", good), 401),
        "the token in the address": (server.head(2, f"/mcp?token={server.token}").decode(), 400),
        "two Host headers": (good.replace(host, host + "\r\nHost: evil.example.com"), 400),
        "a preflight": (good.replace("POST", "OPTIONS"), 405),
    }
    well = True
    for name, (request, wanted) in attempts.items():
        with server.connect() as client:
            client.sendall(request.encode() + b"{}")
            status = status_of(client)
        well &= expect(status == wanted, f"{name}: status {status}")
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/healthz", timeout=5) as answer:
        well &= expect(json.load(answer) == {"status": "ok"}, "the health check needs no token")
    return well


def beyond_loopback(loci, environment):
    refused = True
    for address in ("0.0.0.0:0", "[::]:0", "192.168.0.1:0"):
        run = subprocess.run([loci, "serve", "--listen", address], capture_output=True, text=True, timeout=20,
                             env={**os.environ, **environment}, check=False)
        refused &= run.returncode == 2 and "127.0.0.1" in run.stderr
    return expect(refused, "no address that other machines can reach is listened on")


def main():
    loci = sys.argv[1]
    well = True
    with tempfile.TemporaryDirectory() as home:
        environment = {"LOCI_HOME": home}
        command = [loci, "serve", "--listen", "127.0.0.1:0", "--palace", f"{home}/palace", "--embedder", "none"]
        with official.serving(command, environment) as (url, process):
            server = Server(url, process)
            for attempt in (idle_memory, comes_and_goes, too_long, too_deep, too_many, foreign, too_slow):
                well &= attempt(server)
            well &= idle_memory(server)
        mode = os.stat(f"{home}/http_token").st_mode & 0o777
        well &= expect(mode == 0o600, f"the token file has the mode {mode:o}")
        with official.serving(command, environment) as (_, process):
            pass
        well &= expect(process.stdout.read() == "", "the token is shown once")
        well &= beyond_loopback(loci, environment)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
