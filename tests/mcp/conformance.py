#!/usr/bin/env python3
"""conformance.py SERVER REVISION: the official conformance suite against our server with the suite's fixtures.

REVISION: 2025-11-25 or 2026-07-28, whose scored scenarios must all pass; or "first", the older suite, all of whose
checks must pass.
"""

import json
import pathlib
import re
import sys
import tempfile

import official

# Scenarios that count, as the suite itself lists them; fewer would mean that something was left out.
SCORED = {"2025-11-25": 30, "2026-07-28": 37}
FIRST_CHECKS = 40


def results_of(folder):
    """Scenario -> its checks, read from what the suite wrote."""
    results = {}
    for path in sorted(pathlib.Path(folder).rglob("checks.json")):
        # "server-tools-list-2026-01-31T…"
        scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", path.parent.name.removeprefix("server-"))
        results[scenario] = json.loads(path.read_text(encoding="utf-8"))
    return results


def failures(checks):
    return [check for check in checks if check["status"] == "FAILURE"]


def scored_scenarios(suite, revision):
    """Names of the server scenarios that count, from the suite's own list."""
    _, text = official.node(suite, "list", "--requirements", revision)
    block = text.split("Server scenarios", 1)[1].split("\n\n", 1)[0]
    return [line.strip()[2:] for line in block.splitlines() if line.strip().startswith("- ")]


def main():
    server, revision = sys.argv[1:]
    modules = official.tools() / "node_modules"
    is_first = revision == "first"
    suite = modules / ("conformance-2025" if is_first else "@modelcontextprotocol/conformance") / "dist/index.js"
    with tempfile.TemporaryDirectory() as output:
        with official.serving([server]) as (url, _):
            options = [] if is_first else ["--requirements", revision]
            code, text = official.node(suite, "server", "--url", url, "-o", output, *options, timeout=150, cwd=output)
        results = results_of(output)

    wanted = list(results) if is_first else scored_scenarios(suite, revision)
    bad = 0
    passed = 0
    for scenario in wanted:
        if scenario not in results:
            print(f"{scenario}: was not run")
            bad += 1
            continue
        passed += sum(check["status"] in ("SUCCESS", "INFO") for check in results[scenario])
        for check in failures(results[scenario]):
            print(f"{scenario}: {check['id']}: {check.get('errorMessage')}")
            bad += 1
    print(f"{revision}: {len(wanted)} scenarios, {passed} checks passed, {bad} failed; the suite ended with {code}")
    too_few = passed < FIRST_CHECKS if is_first else len(wanted) != SCORED[revision]
    if too_few:
        print("that is not the whole suite\n" + text[-3000:])
    return 1 if bad or too_few else 0


if __name__ == "__main__":
    sys.exit(main())
