#!/usr/bin/env python3
"""failed_tests.py REPORT…: the tests that failed, by ctest's JUnit reports, each with the end of what it printed.

Printed once more when everything has run, since there the first lines of a long log are the ones that get lost.
"""

import argparse
import pathlib
import xml.etree.ElementTree as ElementTree

TESTS_SHOWN = 10
LINES_SHOWN = 30


def failed_cases(report):
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        if case.get("status") == "fail":
            yield case.get("name"), (case.findtext("system-out") or "").rstrip().splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    reports = parser.parse_args().reports

    failed = [(report, *case) for report in reports for case in failed_cases(report)]
    for number, (report, name, lines) in enumerate(failed):
        print(f"\nFAILED {name} ({report.name.split('.')[0]})")
        for line in lines[-LINES_SHOWN:] if number < TESTS_SHOWN else ():
            print(f"  {line}")


if __name__ == "__main__":
    main()
