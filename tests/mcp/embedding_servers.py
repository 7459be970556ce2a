#!/usr/bin/env python3
"""embedding_servers.py LOCI: the program with an embedding server that works, is of another model, or never answers.

Searches go by meaning as soon as the server has answered, and nobody waits for one that is silent. Needs nothing but
Python.
"""

import contextlib
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

PROMPT_SECONDS = 10  # long beside what an end should take, short beside the timeouts of requests
PATIENCE_SECONDS = 60
TEXT = "We chose GraphQL for the app"
UNLIKE = "which beverage"  # has no word of the text


class Ollama(http.server.BaseHTTPRequestHandler):
    """Gives every text the same meaning."""

    def do_POST(self):
        self.server.asked.set()
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        if self.server.is_silent:
            self.server.is_over.wait()
            return
        body = json.dumps({"embeddings": [[1.0] * self.server.dimension for _ in texts]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def embedding_server(dimension=8, is_silent=False):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ollama) as server:
        server.dimension, server.is_silent = dimension, is_silent
        server.asked, server.is_over = threading.Event(), threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.is_over.set()
            server.shutdown()


class Loci:
    def __init__(self, program, home, server, embed="now"):
        self.palace = f"{home}/palace"
        self.environment = {**os.environ, "LOCI_HOME": home, "LOCI_EMBED": embed}
        self.options = ["--palace", self.palace, "--embedder", "ollama:m", "--embedder-url",
                        f"http://127.0.0.1:{server.server_port}"]
        self.program = program

    def run(self, *arguments):
        return json.loads(subprocess.run([self.program, *arguments, *self.options, "--json"], env=self.environment,
                                         capture_output=True, timeout=PATIENCE_SECONDS, check=True).stdout)

    def start(self, *arguments):
        return subprocess.Popen([self.program, *arguments, *self.options], env=self.environment, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def ask(server, number, method, params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    server.stdin.flush()


def answer(server, number):
    message = {}
    while message.get("id") != number:
        message = json.loads(server.stdout.readline())
    return message["result"]


def call(server, number, tool, arguments):
    ask(server, number, "tools/call", {"name": tool, "arguments": arguments})
    return answer(server, number)["structuredContent"]


def initialize(server):
    ask(server, 0, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                  "clientInfo": {"name": "test", "version": "1"}})
    answer(server, 0)


def seconds_until_end(process):
    start = time.monotonic()
    try:
        process.wait(timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    return time.monotonic() - start


def expect(holds, what):
    print(("ok      " if holds else "FAILED  ") + what)
    return holds


def finds_by_meaning(program):
    with tempfile.TemporaryDirectory() as home, embedding_server() as server:
        loci = Loci(program, home, server)
        client = loci.start("mcp")
        initialize(client)  # before there is a palace
        loci.run("add", TEXT)
        found = loci.run("search", UNLIKE)
        well = expect(len(found["hits"]) == 1 and found["degraded"] == [], f"the command line: {found['degraded']}")
        for number in range(1, 200):
            found = call(client, number, "loci_search", {"query": UNLIKE})
            if not found["degraded"]:
                break
            time.sleep(0.05)
        well &= expect(len(found["hits"]) == 1 and found["degraded"] == [],
                       f"a server that is older than its palace: {found['degraded']}")
        client.stdin.close()
        client.wait(timeout=PATIENCE_SECONDS)
        client.stdout.close()
        return well


def says_what_differs(program):
    with tempfile.TemporaryDirectory() as home, embedding_server() as server:
        Loci(program, home, server).run("add", TEXT)
        with embedding_server(dimension=4) as other:
            found = Loci(program, home, other).run("search", "GraphQL")
        reason = found["degraded"][0]["reason"]
        return expect(len(found["hits"]) == 1 and "8 dimensions" in reason and "those of m 4" in reason, reason)


def ends_beside_a_silent_server(program):
    with tempfile.TemporaryDirectory() as home, embedding_server() as server:
        Loci(program, home, server).run("add", TEXT)
        with embedding_server(is_silent=True) as silent:
            loci = Loci(program, home, silent)
            client = loci.start("mcp")
            initialize(client)
            well = expect(silent.asked.wait(PATIENCE_SECONDS), "the silent server is asked in the background")
            found = call(client, 1, "loci_search", {"query": "GraphQL"})
            well &= expect(len(found["hits"]) == 1, "a search meanwhile goes by words")
            client.stdin.close()
            seconds = seconds_until_end(client)
            well &= expect(seconds < PROMPT_SECONDS, f"loci mcp ends {seconds:.1f} s after its input")

            silent.asked.clear()
            client = loci.start("mcp")
            initialize(client)
            ask(client, 1, "tools/call", {"name": "loci_add", "arguments": {"document": "another text"}})
            silent.asked.wait(PATIENCE_SECONDS)
            client.stdin.close()
            seconds = seconds_until_end(client)
            well &= expect(seconds < PROMPT_SECONDS, f"in the middle of a write it takes {seconds:.1f} s")

            silent.asked.clear()
            serve = loci.start("serve", "--listen", "127.0.0.1:0", "--no-token")
            serve.stdout.readline()
            silent.asked.wait(PATIENCE_SECONDS)
            serve.terminate()
            serve.stdin.close()
            seconds = seconds_until_end(serve)
            return well & expect(seconds < PROMPT_SECONDS, f"loci serve ends {seconds:.1f} s after SIGTERM")


def main():
    results = [test(sys.argv[1]) for test in (finds_by_meaning, says_what_differs, ends_beside_a_silent_server)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
