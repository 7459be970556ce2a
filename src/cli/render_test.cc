#include "cli/render.h"

#include <gtest/gtest.h>

#include "api/operations.h"

namespace loci {
namespace {

constexpr Terminal kPlainFile = {};
constexpr Terminal kWideScreen = {.is_terminal = true, .has_colour = true, .can_redraw = true, .width = 60};

std::string shown(const Terminal& terminal, std::string_view operation, std::string_view answer) {
  return render(terminal, *find_operation(operation), parse_json(answer, "the test").value());
}

constexpr std::string_view kDrawer =
    R"({"id": "a", "wing": "shop", "room": "api", "source": "notes.md", "filed_at": "2026-01-01T00:00:00.000Z",
        "document": "two\nlines \u001b[31m", "metadata": {"wing": "shop", "room": "api", "n": 1, "evil": "\u001b"}})";

TEST(RenderTest, AddSaysTheIdAndNothingElse) { EXPECT_EQ(shown(kPlainFile, "add", kDrawer), "a\n"); }

TEST(RenderTest, GetShowsTheWholeDrawer) {
  const std::string answer = R"({"drawers": [)" + std::string(kDrawer) + R"(], "missing": []})";
  EXPECT_EQ(shown(kPlainFile, "get", answer),
            "a\n"
            "place       shop / api\n"
            "source      notes.md\n"
            "filed       2026-01-01T00:00:00.000Z\n"
            "n           1\n"
            "evil        \\x1b\n"
            "\n"
            "two\nlines \x1b[31m\n");
  EXPECT_NE(shown(kWideScreen, "get", answer).find("lines \\x1b[31m"), std::string::npos);
}

TEST(RenderTest, ListHasALinePerDrawerAndSaysHowToGoOn) {
  const std::string drawers = R"("drawers": [)" + std::string(kDrawer) + "]";
  EXPECT_EQ(shown(kPlainFile, "list", "{" + drawers + R"(, "total": 1, "count": 1, "offset": 0, "limit": 20})"),
            "a  shop / api  two lines [31m\n");
  const std::string more =
      shown(kPlainFile, "list", "{" + drawers + R"(, "total": 5, "count": 1, "offset": 2, "limit": 1})");
  EXPECT_NE(more.find("1 drawer of 5; --offset 3 goes on"), std::string::npos) << more;
  EXPECT_EQ(shown(kPlainFile, "list", R"({"drawers": [], "total": 0, "count": 0, "offset": 0, "limit": 20})"),
            "no drawers\n");
}

TEST(RenderTest, SearchMarksWhatMatchedAndSaysWhatIsMissing) {
  const std::string answer =
      R"({"query": "tea", "hits": [{"id": "a", "wing": "people", "room": "ana", "source": null, "filed_at": null,
          "document": "green tea", "metadata": {}, "score": 1.0, "highlights": []}],
          "drawers_in_scope": 3, "pending": 0, "degraded": [{"part": "meaning", "reason": "words only: no embedder configured"}]})";
  EXPECT_EQ(shown(kPlainFile, "search", answer),
            "1. people / ana  a\n   green tea\n\n1 hit among 3 drawers; words only: no embedder configured\n");
  EXPECT_NE(shown(kWideScreen, "search", answer).find("green \x1b[1;4mtea\x1b[0m"), std::string::npos);
}

TEST(RenderTest, SearchShowsTheDayOfTheTextAndCountsItsCopies) {
  const std::string answer =
      R"({"query": "tea", "hits": [{"id": "a", "wing": "people", "room": "ana", "source": null,
          "filed_at": "2026-01-01T00:00:00.000Z", "content_date": "2020-05-03", "document": "green tea", "metadata": {},
          "score": 1.0, "highlights": [], "also_in": ["b", "c"], "copies": 900}],
          "drawers_in_scope": 1000, "pending": 0, "degraded": []})";
  const std::string text = shown(kPlainFile, "search", answer);
  EXPECT_NE(text.find("people / ana  2020-05-03  a\n"), std::string::npos) << text;
  EXPECT_NE(text.find("also in b, c and 898 others\n"), std::string::npos) << text;
}

TEST(RenderTest, StatusIsATreeOfWingsAndRooms) {
  const std::string text = shown(kPlainFile, "status", R"({"palace": "/p", "drawers": 1200, "pending": 2,
      "wings": [{"wing": "shop", "drawers": 1200, "rooms": [{"room": null, "drawers": 1200}]}], "model": null,
      "embedder": {"name": "none", "reason": "the default"}, "backend": {"name": "loci", "reason": "found on disk"},
      "collection": {"name": "drawers", "reason": "the default"},
      "collections": [{"name": "drawers", "drawers": 1200, "model": null}, {"name": "x", "drawers": 1, "model": "m"}],
      "size_bytes": 1500})");
  EXPECT_EQ(text,
            "/p\n1,200 drawers in 1 wing, 2 without a vector yet\n\n"
            "  shop            1,200\n"
            "    (no room)     1,200\n\n"
            "backend     loci (found on disk)\n"
            "collection  drawers (the default)\n"
            "model       none recorded\n"
            "embedder    none (the default)\n"
            "size        1.5 kB\n"
            "also here   x: 1 drawer, model m\n");
}

TEST(RenderTest, AWorkerIsShownWhileDrawersWaitForIt) {
  const auto status = [](const std::string& pending) {
    return shown(kPlainFile, "status", R"({"palace": "/p", "drawers": 3, "pending": )" + pending + R"(, "wings": [],
        "worker": {"per_second": 120.0, "seconds_left": 8.0}, "model": null,
        "embedder": {"name": "none", "reason": "the default"}, "backend": {"name": "loci", "reason": "found on disk"},
        "collection": {"name": "drawers", "reason": "the default"}, "collections": [], "size_bytes": 1500})");
  };
  EXPECT_NE(status("2").find("\na worker embeds them: 120 a second, about 8 s left\n"), std::string::npos);
  EXPECT_EQ(status("0").find("worker"), std::string::npos);
}

TEST(RenderTest, MiningSaysWhatWasStoredWhatWasNotAndWhenItIsFoundByMeaning) {
  const auto mined = [](const std::string& embed) {
    return shown(
        kPlainFile, "mine", R"({"root": "/p/q", "project": "/p", "wing": "p", "mode": "files", "chunk_size": 500,
        "kept": {"chunk_size": 500}, "kept_parts": [{"path": "/p/q/r", "wing": "r", "mode": "files", "chunk_size": 500}],
        "dry_run": false, "files": 1200, "unchanged": 1197,
        "added": 2, "changed": 1, "renamed": 0, "bytes": 1500, "unmatched": [], "gone": 0, "left_out": 0, "pending": 9,
        "drawers": {"stored": 7, "moved": 3, "unchanged": 0, "removed": 0, "held_back": 1},
        "rooms": [{"wing": "p", "room": "docs", "drawers": 2, "stored": 2},
                  {"wing": "p", "room": "source", "drawers": 4000, "stored": 5},
                  {"wing": "r", "room": "docs", "drawers": 8, "stored": 0}],
        "passed_over": [{"reason": "ignored", "problem": false, "count": 3, "paths": []},
                        {"reason": "too_large", "problem": true, "count": 1,
                         "paths": [{"path": "/p/a", "detail": "too much"}]}],
        "emptied": [{"path": "/p/b", "drawers": 2}], "replaced_nuls": [{"path": "/p/c", "characters": 5}],
        "embed": ")" + embed + "\"}");
  };
  EXPECT_EQ(mined("later"),
            "/p/q, part of /p\nas before: --chunk-size 500\nas before in /p/q/r: --wing r\n"
            "1,200 files: 2 new, 1 changed, 1,197 unchanged, 1.5 kB read\n"
            "7 drawers stored, 3 moved, 1 held back, as you deleted or rewrote them (--restore-deleted)\n\n"
            "  p\n"
            "    source  4,000  +5\n"
            "    docs        2\n\n"
            "  r\n"
            "    docs  8\n\n"
            "too large  /p/a: too much\n"
            "passed over: 3 ignored paths\n"
            "no text any more  /p/b: 2 drawers removed\n"
            "NUL characters  /p/c: 5 of them stored as U+FFFD\n\n"
            "9 drawers without a vector yet: found by words now, by meaning after `loci embed`\n");
  EXPECT_NE(mined("background").find("as soon as a worker has read them"), std::string::npos);
  EXPECT_NE(mined("never").find("found by words, and by meaning once there is an embedder"), std::string::npos);
}

TEST(RenderTest, SyncNamesTheFoldersItAsksForAndThoseItCouldNotLookInto) {
  EXPECT_EQ(shown(kPlainFile, "sync", R"({"root": "/p", "applied": true, "root_is_missing": false, "kept": 3, "gone": 2,
      "missing_folders": [{"path": "/p/share", "sources": 1}], "unjudged": 2,
      "unread": [{"path": "/p/closed/", "detail": "Permission denied"}], "gone_sources": ["/p/a", "/p/share/b"],
      "left_out": 0, "left_out_sources": [], "removed_drawers": 1})"),
            "/p\n2 sources whose file is gone\n  /p/a\n  /p/share/b\n3 sources kept\n1 drawer removed\n\n"
            "missing or empty  /p/share: 1 source from there kept\n"
            "Is a disk not mounted? If they should go, say so: `loci sync /p/share --apply --missing-root`\n"
            "not looked into  /p/closed/: Permission denied\n"
            "2 sources kept without a look at their files\n");
  EXPECT_EQ(shown(kPlainFile, "sync", R"({"root": "/typo", "applied": false, "root_is_missing": false, "kept": 0,
      "gone": 0, "missing_folders": [], "unjudged": 0, "unread": [], "gone_sources": [], "left_out": 0,
      "left_out_sources": [], "removed_drawers": 0})"),
            "/typo\nnothing was mined from here\n");
}

TEST(RenderTest, ImportListsWhatWasRefusedAndWhatStaysUnderAnotherId) {
  const std::string text =
      shown(kPlainFile, "import", R"({"lines": 1206, "stored": 1, "already_there": 1203, "updated": 0, "refused": 2,
      "refusals": [{"line": 2, "id": "", "reason": "no JSON"}], "refusals_left_out": 1,
      "under_another_id": [{"line": 4, "outcome": "already_there", "id": "a", "stored_id": "b"},
                           {"line": 5, "outcome": "stored", "id": "c", "stored_id": "c~1"}],
      "under_another_id_left_out": 1201, "in_other_collections": 3})");
  EXPECT_EQ(text,
            "1,206 records: 1 stored, 1,203 already there, 0 updated, 2 refused\n  line 2: no JSON\n  and 1 more\n"
            "  line 4: a is there as b\n  line 5: c is stored as c~1\n  and 1,201 more\n"
            "  3 records went to the collections that their lines name; --collection is for the others\n");
}

TEST(RenderTest, AnOperationWithoutAFormOfItsOwnIsShownAsJson) {
  const Operation unknown = {.name = "new", .summary = "New."};
  EXPECT_EQ(render(kPlainFile, unknown, {{"a", 1}}), "{\n  \"a\": 1\n}\n");
}

TEST(RenderTest, VerifyShowsEachCollectionItsFindingsAndOnceWhatMendsThem) {
  EXPECT_EQ(
      shown(kPlainFile, "verify", R"({"records": 1200, "pending": 0, "checked": ["rows", "queue"], "collections": [
                {"name": "drawers", "space": "cosine", "dimension": 384, "rows": 1200, "vectors": 1100, "missing": 99,
                 "stale": 1, "ghosts": 0, "findings": [
                     {"check": "cut vectors", "detail": "short", "fix": "loci repair", "needs_attention": true},
                     {"check": "damaged links", "detail": "torn", "fix": "loci repair", "needs_attention": true},
                     {"check": "wrong space", "detail": "l2", "fix": "", "needs_attention": false}]},
                {"name": "empty", "space": "l2", "dimension": null, "rows": 0, "vectors": 0, "missing": 0, "stale": 0,
                 "ghosts": 0, "findings": []}], "findings": [
                {"check": "orphan folder", "detail": "old", "fix": "delete it", "needs_attention": false}]})"),
      "drawers  cosine, 384 dimensions: 1,200 rows, 1,100 with their vector, 99 missing, 1 stale\n"
      "  cut vectors  short\n"
      "  damaged links  torn\n"
      "  wrong space  l2\n"
      "      → loci repair\n"
      "empty  l2: 0 rows, 0 with their vector\n"
      "orphan folder  old\n"
      "    → delete it\n"
      "1,200 records, 2 checks: 2 findings\n");
}

TEST(RenderTest, AMigrationThatLeftRecordsBehindIsNotCalledLossless) {
  EXPECT_EQ(shown(kPlainFile, "migrate", R"({"palace": "http://a", "source": "b", "records": 715, "refused": 479,
                  "lossless": false, "resumed": false, "imported": [], "collections": [
                  {"name": "cos", "records": 1194, "written": 715, "already_there": 0, "folded": 0, "missing": 0,
                   "missing_ids": [], "refused": 479, "refusals": ["record 1"]}]})"),
            "http://a: 715 records from b, not lossless\n"
            "  cos  715 of 1,194 records\n"
            "  479 refused\n"
            "    record 1\n"
            "    … 474 more\n");
}

TEST(RenderTest, QuarantineSaysWhatItDidWhatItWouldDoAndWhatItRefuses) {
  const std::string moved = R"("moved": [{"from": "a", "to": "a.drift-1", "gap_seconds": 7200.5}])";
  EXPECT_EQ(shown(kPlainFile, "quarantine", R"({"applied": false, "refused": [], )" + moved + "}"),
            "would rename a to a.drift-1 (7,200 s older than the database)\n--apply does it\n");
  EXPECT_EQ(shown(kPlainFile, "quarantine", R"({"applied": true, "refused": [], )" + moved + "}"),
            "renamed a to a.drift-1 (7,200 s older than the database)\n");
  const std::string refused = shown(kPlainFile, "quarantine", R"({"applied": true, "moved": [], "refused": [
      {"segment": "b", "collection": "c", "only_here": 5, "gap_seconds": 4000, "reason": "5 vectors"}]})");
  EXPECT_NE(refused.find("refused  b (4,000 s older than the database): 5 vectors\n"), std::string::npos) << refused;
  EXPECT_NE(refused.find("nothing renamed\n"), std::string::npos) << refused;
}

TEST(RenderTest, MendingInPlaceSaysWhatChangesAndWhatIsLeft) {
  EXPECT_EQ(shown(kPlainFile, "repair", R"({"only": "seq-ids", "applied": false, "changed": 3, "changes": [
                {"what": "max_seq_id of segment s", "from": "x'07'", "to": "7"}], "left": []})"),
            "  max_seq_id of segment s: x'07' → 7\n"
            "  and 2 more\n"
            "seq-ids: 3 to mend; --apply does it\n");
  EXPECT_EQ(shown(kPlainFile, "repair", R"({"only": "seq-ids", "applied": true, "changed": 0, "changes": [], "left": [
                {"check": "BLOB frontier", "detail": "stays", "fix": "", "needs_attention": false}]})"),
            "BLOB frontier  stays\nseq-ids: nothing to mend\n");
}

}  // namespace
}  // namespace loci
