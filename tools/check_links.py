#!/usr/bin/env python3
"""check_links.py [ROOT]: says which relative links of the *.md files lead nowhere, to a file or to a heading."""

import os
import pathlib
import re
import sys
import urllib.parse

SKIPPED = {"build", ".deps", ".git", "node_modules"}
FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\s*\[[^\]]+\]:\s+<?(\S+?)>?\s*$")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")


def prose(text):
    """The lines outside code blocks, numbered."""
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code:
            yield number, line


def anchors(text):
    """The names that GitHub gives to the headings."""
    seen = {}
    for _, line in prose(text):
        if match := HEADING.match(line):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1])
            name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
            count = seen.get(name, 0)
            seen[name] = count + 1
            yield f"{name}-{count}" if count else name


def check_file(root, path):
    text = path.read_text(encoding="utf-8")
    for number, line in prose(text):
        for match in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            link = match[1] or match[2]
            if re.match(r"^[a-z][a-z0-9+.-]*:", link):
                continue  # another site; a test needs no network
            target, _, anchor = urllib.parse.unquote(link).partition("#")
            file = (root / target.lstrip("/") if target.startswith("/") else path.parent / target) if target else path
            if not file.exists():
                yield number, f"{link} does not exist"
            elif root not in (file.resolve(), *file.resolve().parents):
                yield number, f"{link} leads out of the project"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                yield number, f"{link}: {file.name} has no such heading"


def documents(root):
    for folder, subfolders, files in os.walk(root):
        subfolders[:] = sorted(set(subfolders) - SKIPPED)
        yield from (pathlib.Path(folder) / name for name in sorted(files) if name.endswith(".md"))


def check(root):
    for path in documents(root):
        for number, reason in check_file(root, path):
            yield f"{path.relative_to(root)}:{number}: {reason}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    violations = list(check(root))
    print("\n".join(violations) if violations else "Every link leads somewhere.")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
