#!/usr/bin/env python3
"""draw_charts.py [--check]: draws the charts of docs/pictures from the tables of the documentation.

The numbers stand in the tables alone, so that a picture cannot tell another story. With --check nothing is written, and a
picture that is not what its table says is an error.
"""

import argparse
import dataclasses
import math
import pathlib
import re
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent

LABEL_WIDTH, BAR_WIDTH, VALUE_WIDTH = 330, 430, 70
BAR_HEIGHT, GROUP_GAP, TOP = 16, 10, 34
COLOURS = ("one", "two", "ours")


@dataclasses.dataclass(frozen=True)
class Chart:
    picture: str
    page: str
    table: str  # how the line of the table's header begins
    title: str
    columns: tuple  # the numbers of the columns whose first numbers are drawn
    is_logarithmic: bool = False


CHARTS = (
    Chart("upsert", "docs/benchmarks.md", "| system | records/s |", "Durable upsert, records a second (more is better)", (1,)),
    Chart("processes", "docs/benchmarks.md", "| processes | system |",
          "The longest wait of a writer among 8 and 16, in ms (less is better)", (3,)),
    Chart("vectors", "docs/benchmarks.md", "| system | recall@10 |",
          "One query among 100,000 vectors, p50 in ms, logarithmic (less is better)", (2,), is_logarithmic=True),
    Chart("retrieval", "docs/retrieval.md", "| set, measure | words |",
          "Words, vectors and both together, in per cent (more is better)", (1, 2, 3)),
)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows(page, header):
    """The table's header and rows: lists of cells."""
    lines = page.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith(header)), None)
    if begin is None:
        raise ValueError(f"there is no table that begins with {header!r}")
    end = next((i for i in range(begin, len(lines)) if not lines[i].startswith("|")), len(lines))
    return cells(lines[begin]), [cells(line) for line in lines[begin + 2:end]]


def number(cell):
    """The first number of a cell, and how it is written there: "1.0 ms, 14 times" is 1.0."""
    found = re.search(r"\d[\d,]*(\.\d+)?", cell)
    if not found:
        raise ValueError(f"{cell!r} has no number")
    return float(found[0].replace(",", "")), found[0]


def label(row):
    """Some systems are told apart by the column before them."""
    return f"{row[1]}, {row[0]}" if row[0].isdigit() else row[0]


def share(value, values, is_logarithmic):
    """Which part of the width a value takes. A logarithmic axis begins at the power of ten below the least value."""
    if not is_logarithmic:
        return value / max(values)
    least = math.floor(math.log10(min(values)))
    return (math.log10(value) - least) / (math.log10(max(values)) - least)


def draw(chart, page):
    header, table = rows(page, chart.table)
    values = [number(row[column])[0] for row in table for column in chart.columns]
    group_height = BAR_HEIGHT * len(chart.columns) + GROUP_GAP
    legend = 24 if len(chart.columns) > 1 else 0
    width, height = LABEL_WIDTH + BAR_WIDTH + VALUE_WIDTH, TOP + legend + group_height * len(table)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        f"<title>{escape(chart.title)}</title>",
        "<style>text{font:13px sans-serif;fill:#24292f}.title{font-weight:bold}.ours{fill:#1a7f5a}.one{fill:#9aa5b1}"
        ".two{fill:#5b7fa6}@media(prefers-color-scheme:dark){text{fill:#d7dde3}}</style>",
        f'<text class="title" x="4" y="18">{escape(chart.title)}</text>',
    ]
    if legend:
        for i, column in enumerate(chart.columns):
            x = LABEL_WIDTH + i * 120
            drawn.append(f'<rect class="{COLOURS[i]}" x="{x}" y="{TOP}" width="12" height="12"/>')
            drawn.append(f'<text x="{x + 18}" y="{TOP + 11}">{escape(header[column])}</text>')
    for i, row in enumerate(table):
        top = TOP + legend + i * group_height
        middle = top + BAR_HEIGHT * len(chart.columns) / 2 + 5
        drawn.append(f'<text x="{LABEL_WIDTH - 8}" y="{middle:g}" text-anchor="end">{escape(label(row))}</text>')
        for j, column in enumerate(chart.columns):
            value, written = number(row[column])
            kind = COLOURS[j] if legend else "ours" if "Loci" in label(row) else "one"
            length = max(2, round(BAR_WIDTH * share(value, values, chart.is_logarithmic)))
            y = top + j * BAR_HEIGHT
            drawn.append(f'<rect class="{kind}" x="{LABEL_WIDTH}" y="{y + 1}" width="{length}" height="{BAR_HEIGHT - 2}"/>')
            drawn.append(f'<text x="{LABEL_WIDTH + length + 6}" y="{y + 13}">{escape(written)}</text>')
    return "\n".join(drawn) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check

    stale = []
    for chart in CHARTS:
        picture = ROOT / "docs/pictures" / f"{chart.picture}.svg"
        drawn = draw(chart, (ROOT / chart.page).read_text(encoding="utf-8"))
        if not check:
            picture.parent.mkdir(exist_ok=True)
            picture.write_text(drawn, encoding="utf-8")
        elif not picture.exists() or picture.read_text(encoding="utf-8") != drawn:
            stale.append(picture)
    for picture in stale:
        print(f"{picture.relative_to(ROOT)} is not what its table says; tools/draw_charts.py draws it")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
