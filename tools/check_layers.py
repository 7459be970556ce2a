#!/usr/bin/env python3
"""check_layers.py [ROOT]: says where a file includes what its folder may not, or prints, exits or reads the environment.

The tables below are the architecture. A new folder or library gets its line here, with a thought about which way the
arrow goes; nothing is allowed by default.
"""

import pathlib
import re
import sys

# Folder of src/ -> the folders that its files may include, besides itself and include/loci.
FOUNDATION = {"base"}
MIDDLE = FOUNDATION | {"text", "vector", "net", "embed"}
PRODUCT = MIDDLE | {"store", "ingest", "search"}
FOLDERS = {
    "base": set(),
    "text": FOUNDATION,
    "vector": FOUNDATION,
    "net": FOUNDATION,
    "embed": FOUNDATION | {"text", "vector", "net"},
    "document": FOUNDATION,
    "store": MIDDLE,
    "store/sqlite": FOUNDATION,
    "store/embedded": MIDDLE | {"store", "store/sqlite"},  # backends never see each other
    "store/chroma": MIDDLE | {"store", "store/sqlite"},
    "store/memtomem": MIDDLE | {"store", "store/sqlite"},
    "store/postgres": MIDDLE | {"store"},
    "store/builtin": MIDDLE | {"store", "store/embedded", "store/chroma", "store/memtomem", "store/postgres"},
    "ingest": MIDDLE | {"store", "document"},  # Collection, never a backend
    "search": MIDDLE | {"store"},
    "palace": PRODUCT,
    "ops": PRODUCT,
    "api": PRODUCT | {"palace", "ops"},
    "cli": FOUNDATION | {"text", "api"},
    "mcp": FOUNDATION | {"text", "api"},
    "http": FOUNDATION | {"text", "net", "api", "mcp"},
}
FACES = {"cli", "mcp", "http"}

# Start of an include that is not ours -> the folders that may use it.
EVERYWHERE = set(FOLDERS)
LIBRARIES = {
    "fmt/": EVERYWHERE,
    "gtest/": EVERYWHERE,
    "gmock/": EVERYWHERE,
    "rapidcheck": EVERYWHERE,
    "nlohmann/": {"net", "embed", "store", "store/embedded", "store/chroma", "store/memtomem", "store/postgres", "ingest", "ops", "api"} | FACES,
    "sqlite3.h": {"store/sqlite", "store/embedded"},
    "libpq-fe.h": {"store/postgres"},
    "openssl/": {"base", "net", "http"},
    "utf8proc.h": {"base", "text"},
    "libstemmer.h": {"text"},
    "hwy/": {"vector", "embed"},
    "immintrin.h": {"embed"},  # one kernel that Highway 1.0 has no name for
    "xxhash.h": {"vector", "embed", "store/embedded"},
    "simdjson.h": {"ingest"},
    "yaml.h": {"ingest"},
    "cmark-gfm": {"text", "ingest"},
    "minizip/": {"document"},
    "zlib.h": {"document"},
    "expat.h": {"document"},
    "CLI/": {"cli"},
    "boost/": {"net", "http"},
}

POSIX = set("""
    arpa/inet.h dirent.h dlfcn.h errno.h fcntl.h glob.h net/if.h netdb.h netinet/in.h netinet/tcp.h poll.h pthread.h pwd.h
    sched.h semaphore.h signal.h spawn.h sys/file.h sys/ioctl.h sys/mman.h sys/resource.h sys/select.h sys/socket.h
    sys/stat.h sys/statvfs.h sys/time.h sys/types.h sys/uio.h sys/un.h sys/utsname.h sys/wait.h syslog.h termios.h time.h
    unistd.h
""".split())
# What only Linux has stays in base.
LINUX = re.compile(r"^(linux/.*|malloc\.h|sys/(epoll|eventfd|inotify|prctl|random|sendfile|signalfd|statfs|syscall|timerfd|vfs|xattr)\.h)$")

# The library never prints, exits or reads the environment; that belongs to the faces and main.cc. Tests may. To abort on
# a broken invariant is no exit.
FORBIDDEN = {
    "prints": re.compile(r"\bstd::(cout|cerr|clog|print|println)\b|\bfmt::print\b|(?<![\w:.>])(std::)?(printf|puts|putchar|perror)\s*\(|\b(stdout|stderr)\b"),
    "ends the process": re.compile(r"(?<![\w:.>])(std::)?(exit|_exit|_Exit|quick_exit)\s*\("),
    "reads the environment": re.compile(r"\b(getenv|secure_getenv|setenv|environ)\b"),
}

# File -> what it may do all the same.
EXCEPTIONS = {
    "base/file.cc": {"reads the environment"},  # ~ is $HOME, whoever asks
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENTS_AND_STRINGS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def folder_of(path):
    """The folder of FOLDERS that a path below src/ belongs to: the longest that fits, or its first part."""
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in FOLDERS:
            return "/".join(parts[:length])
    return "/".join(parts)


def is_std(name):
    return re.fullmatch(r"[a-z_0-9]+", name) is not None


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1], match[2]


def check_include(root, folder, quote, name):
    """Why this folder may not include this name, or None."""
    if quote == "<":
        if is_std(name):
            return None
        for prefix, users in LIBRARIES.items():
            if name.startswith(prefix):
                return None if folder in users else f"only {', '.join(sorted(users)) or 'nobody'} may use <{prefix}>"
        if LINUX.match(name):
            return None if folder == "base" else f"<{name}> is Linux's own, which stays in base"
        if name in POSIX:
            return None
        return f"<{name}> is in no table of tools/check_layers.py"
    if name.startswith("loci/"):
        return None
    if not (root / "src" / name).is_file():
        return f'"{name}" is neither below src/ nor below include/; includes are written from there'
    target = folder_of(name)
    if target == folder or target in FOLDERS[folder]:
        return None
    return f"{folder} may not see {target}"


def check_source(root, path):
    relative = path.relative_to(root / "src").as_posix()
    if relative == "main.cc":
        return
    folder = folder_of(relative)
    if folder not in FOLDERS:
        yield 1, f"the folder {folder or 'src'} is in no table of tools/check_layers.py"
        return
    text = path.read_text(encoding="utf-8")
    for number, quote, name in includes(text):
        if reason := check_include(root, folder, quote, name):
            yield number, reason
    if folder in FACES or path.stem.endswith("_test"):
        return
    # Keeps the line breaks, so that the numbers stay right.
    code = COMMENTS_AND_STRINGS.sub(lambda match: "\n" * match[0].count("\n") or " ", text)
    for number, line in enumerate(code.splitlines(), 1):
        if INCLUDE.match(line):
            continue
        for deed, pattern in FORBIDDEN.items():
            if (match := pattern.search(line)) and deed not in EXCEPTIONS.get(relative, ()):
                yield number, f"{match[0].strip()}: {folder} never {deed}; only the faces do"


def check_contract(root, path):
    """include/loci includes itself and std, nothing else."""
    for number, quote, name in includes(path.read_text(encoding="utf-8")):
        if not (is_std(name) if quote == "<" else name.startswith("loci/")):
            yield number, f"include/loci includes itself and std only, not {name}"


def check(root):
    """All violations below root, as lines "file:line: reason"."""
    for top, checker in (("src", check_source), ("include", check_contract)):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in {".h", ".cc"}:
                for number, reason in checker(root, path):
                    yield f"{path.relative_to(root)}:{number}: {reason}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    violations = list(check(root))
    print("\n".join(violations) if violations else "Every include follows the layers.")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
