#!/usr/bin/env python3
"""The checks of the tree find what they are for: each is shown a small tree that is right and ones that are wrong."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_layers
import check_links
import check_sources
import draw_charts
import failed_tests


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def write(self, path, text=""):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file


class LayersTest(TreeTest):
    def setUp(self):
        super().setUp()
        for header in ("base/file.h", "text/chunk.h", "document/prose.h", "store/registry.h", "store/embedded/row.h", "store/chroma/row.h",
                       "search/fusion.h", "palace/drawer.h", "api/operation.h", "cli/run.h"):
            self.write(f"src/{header}")

    def violations(self, path, text):
        file = self.write(path, text)
        violations = list(check_layers.check(self.root))
        file.unlink()
        return violations

    def assert_fine(self, path, text):
        self.assertEqual(self.violations(path, text), [])

    def assert_refused(self, path, text, reason):
        violations = self.violations(path, text)
        self.assertEqual(len(violations), 1, violations)
        self.assertIn(reason, violations[0])
        self.assertTrue(violations[0].startswith(path), violations[0])

    def test_downward_includes_are_fine(self):
        self.assert_fine("src/search/a.cc", '#include <vector>\n#include "text/chunk.h"\n#include "loci/record.h"\n')
        self.assert_fine("src/store/embedded/a.cc", '#include <sqlite3.h>\n#include "store/registry.h"\n')
        self.assert_fine("src/cli/a.cc", '#include <CLI/CLI.hpp>\n#include <iostream>\n#include "api/operation.h"\nstd::cout << 1;')
        self.assert_fine("src/main.cc", '#include "store/embedded/row.h"\nint main() { std::puts(""); }')

    def test_upward_includes_are_refused(self):
        self.assert_refused("src/base/a.cc", '#include "text/chunk.h"\n', "base may not see text")
        self.assert_refused("src/search/a.cc", '\n#include "palace/drawer.h"\n', "search may not see palace")

    def test_documents_are_seen_by_ingest_alone(self):
        self.assert_fine("src/ingest/a.cc", '#include "document/prose.h"\n')
        self.assert_refused("src/search/a.cc", '#include "document/prose.h"\n', "search may not see document")
        self.assert_refused("src/document/a.cc", '#include "text/chunk.h"\n', "document may not see text")

    def test_faces_see_the_api_alone(self):
        self.assert_refused("src/cli/a.cc", '#include "palace/drawer.h"\n', "cli may not see palace")

    def test_backends_are_seen_by_nobody_above(self):
        self.assert_refused("src/search/a.cc", '#include "store/embedded/row.h"\n', "search may not see store/embedded")

    def test_backends_do_not_see_each_other(self):
        self.assert_refused("src/store/chroma/a.cc", '#include "store/embedded/row.h"\n', "may not see store/embedded")

    def test_unit_tests_keep_to_their_layer(self):
        self.assert_refused("src/base/a_test.cc", '#include "api/operation.h"\n', "base may not see api")

    def test_libraries_stay_in_their_folders(self):
        self.assert_refused("src/palace/a.cc", "#include <sqlite3.h>\n", "sqlite3.h")
        self.assert_fine("src/document/a.cc", "#include <expat.h>\n#include <minizip/unzip.h>\n")
        self.assert_refused("src/ingest/a.cc", "#include <expat.h>\n", "expat.h")

    def test_json_stays_out_of_the_middle(self):
        self.assert_refused("src/search/a.cc", "#include <nlohmann/json.hpp>\n", "nlohmann")

    def test_unknown_libraries_and_folders_are_refused(self):
        self.assert_refused("src/base/a.cc", "#include <zmq.hpp>\n", "in no table")
        self.assert_refused("src/helpers/a.cc", "", "in no table")

    def test_linux_stays_in_base(self):
        self.assert_fine("src/base/a.cc", "#include <sys/inotify.h>\n")
        self.assert_refused("src/search/a.cc", "#include <sys/inotify.h>\n", "stays in base")

    def test_includes_are_written_from_the_root(self):
        self.assert_refused("src/base/a.cc", '#include "file.h"\n', "neither below src/")

    def test_the_contract_includes_only_itself_and_std(self):
        self.assert_fine("include/loci/record.h", '#include <string>\n#include "loci/filter.h"\n')
        self.assert_refused("include/loci/record.h", "#include <fmt/format.h>\n", "itself and std")
        self.assert_refused("include/loci/record.h", '#include "base/file.h"\n', "itself and std")

    def test_only_faces_print_exit_and_read_the_environment(self):
        for text, reason in (("std::cout << 1;", "prints"), ('  printf("%d", 1);', "prints"), ('std::puts("");', "prints"),
                             ("fwrite(p, 1, 1, stdout);", "prints"), ("std::exit(1);", "ends the process"),
                             ('std::getenv("A");', "reads the environment")):
            with self.subTest(text):
                self.assert_refused("src/store/a.cc", f"// line 1\n{text}\n", reason)

    def test_words_in_comments_and_strings_are_no_prints(self):
        self.assert_fine("src/store/a.cc", '// std::cout\n/* getenv\n exit( */ auto s = "printf(";\nsnprintf(b, 1, "");\n'
                                           'auto r = R"(std::cout)";\nchild.exit(1);\n')

    def test_tests_may_print(self):
        self.assert_fine("src/store/a_test.cc", "std::cout << 1; _exit(0);")


class SourcesTest(TreeTest):
    def test_a_file_that_no_target_compiles_is_found(self):
        built = self.write("src/base/a_test.cc")
        self.assertEqual(list(check_sources.check(self.root, {built})), [])
        self.write("tests/crash/b_test.cc")
        violations = list(check_sources.check(self.root, {built}))
        self.assertEqual(violations, ["tests/crash/b_test.cc: no target compiles this file"])

    def test_compiled_files_are_read_from_the_build(self):
        self.write("compile_commands.json", f'[{{"directory": "{self.root}", "file": "src/a.cc", "command": ""}}]')
        self.assertEqual(check_sources.compiled_files(self.root), {self.root / "src/a.cc"})

    def test_files_that_are_compiled_together_are_compiled(self):
        part = self.write("src/a.cc")
        together = self.write("build/Unity/unity_0_cxx.cxx", f'/* generated */\n#include "{part}"\n')
        self.write("compile_commands.json", f'[{{"directory": "{self.root}", "file": "{together}", "command": ""}}]')
        self.assertEqual(check_sources.compiled_files(self.root), {part, together})


class LinksTest(TreeTest):
    def violations(self, text):
        self.write("docs/page.md", text)
        return list(check_links.check(self.root))

    def test_links_that_lead_somewhere(self):
        self.write("README.md", "# Loci: a *palace*\n\n## Same\n## Same\n")
        self.assertEqual(self.violations(
            "# Here\n[a](../README.md) [b](../README.md#loci-a-palace) [c](#here) [d](https://example.org/x)\n"
            "[e](../README.md#same-1) [f](/README.md)\n[g]: ../README.md\n"), [])

    def test_links_that_lead_nowhere(self):
        self.write("README.md", "# Loci\n")
        for text in ("[a](missing.md)", "![a](image.png)", "[a](../README.md#nothing)", "[a](#nothing)", "[a]: gone.md",
                     "[a](../../outside.md)"):
            with self.subTest(text):
                self.assertEqual(len(self.violations(f"\n{text}\n")), 1)

    def test_a_link_out_of_the_project_is_refused_though_it_exists(self):
        self.assertIn("leads out", "".join(self.violations(f"[a]({'../' * 30}etc/hostname)")))

    def test_code_has_no_links(self):
        self.assertEqual(self.violations("```\n[a](missing.md)\n```\n`[a](missing.md)`\n"), [])

    def test_build_folders_are_not_ours(self):
        self.write(".deps/x/README.md", "[a](missing.md)")
        self.write("build/README.md", "[a](missing.md)")
        self.assertEqual(self.violations("fine"), [])


class ChartsTest(unittest.TestCase):
    PAGE = "before\n\n| system | time | |\n|---|---|---|\n| Loci | 0.5 ms | |\n| another | 1,000 ms, 2000 times | |\n\nafter\n"
    CHART = draw_charts.Chart("x", "x.md", "| system |", "Times", (1,))

    def test_a_chart_shows_what_its_table_says(self):
        drawn = draw_charts.draw(self.CHART, self.PAGE)
        self.assertIn(">0.5</text>", drawn)
        self.assertIn(">1,000</text>", drawn)
        self.assertNotIn(">2000<", drawn)
        self.assertNotEqual(drawn, draw_charts.draw(self.CHART, self.PAGE.replace("0.5", "0.6")))

    def test_a_table_that_is_gone_or_has_no_number_is_an_error(self):
        for page in ("nothing", self.PAGE.replace("0.5 ms", "fast")):
            with self.subTest(page), self.assertRaises(ValueError):
                draw_charts.draw(self.CHART, page)


class FailedTestsTest(TreeTest):
    def test_failed_tests_come_with_the_end_of_what_they_printed(self):
        report = self.write("release.junit.xml", """<?xml version="1.0" encoding="UTF-8"?>
            <testsuite tests="3" failures="1">
              <testcase name="good" status="run"><system-out>fine</system-out></testcase>
              <testcase name="away" status="notrun"><skipped message="no data"/><system-out>skipped</system-out></testcase>
              <testcase name="bad" status="fail"><failure message=""/><system-out>first\nExpected: 1 &lt; 0\n</system-out></testcase>
            </testsuite>""")
        self.assertEqual(list(failed_tests.failed_cases(report)), [("bad", ["first", "Expected: 1 < 0"])])


if __name__ == "__main__":
    unittest.main()
