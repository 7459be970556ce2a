// Every command, as people type it and as programs read it.
#include <gtest/gtest.h>

#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

namespace fs = std::filesystem;

class CommandsTest : public EndToEndTest {
 protected:
  void add_some() {
    ok({"add", "We chose GraphQL because the app needs fewer round trips", "--wing", "shop", "--room", "api", "--id",
        "note-1"});
    ok({"add", "The meeting is on Monday", "--wing", "shop", "--room", "meetings", "--id", "note-2"});
    ok({"add", "Ana prefers green tea", "--wing", "people", "--room", "ana", "--id", "note-3", "--metadata",
        R"({"year": 2020})"});
  }
};

std::string ids_of(const Json& list) {
  std::string ids;
  for (const Json& item : list) ids += (ids.empty() ? "" : " ") + item.at("id").get<std::string>();
  return ids;
}

TEST_F(CommandsTest, VersionIsAnsweredWithAndWithoutJson) {
  EXPECT_EQ(ok({"--version"}), "loci " LOCI_VERSION "\n");
  EXPECT_EQ(json({"--version"}).at("version"), LOCI_VERSION);
  EXPECT_EQ(ok({"status", "--version"}), "loci " LOCI_VERSION "\n");
}

TEST_F(CommandsTest, HelpIsThereForEverything) {
  EXPECT_NE(ok({}).find("loci add"), std::string::npos);
  EXPECT_EQ(ok({"help"}), ok({"--help"}));
  EXPECT_EQ(ok({"help", "search"}), ok({"search", "--help"}));
  EXPECT_EQ(ok({"help", "search"}), ok({"search", "-h"}));
  expect_failure({"help", "serach"}, 2, "did you mean search?");
  EXPECT_TRUE(json({"help"}).at("operations").is_array());
  EXPECT_TRUE(json({}).at("operations").is_array());
  EXPECT_FALSE(fs::exists(home()));
}

TEST_F(CommandsTest, InitCreatesAPalaceForItsOwnerAlone) {
  EXPECT_EQ(ok({"init"}), "created the palace " + palace().string() + "\n");
  EXPECT_EQ(ok({"init"}), "the palace " + palace().string() + " is there already\n");
  EXPECT_EQ(fs::status(palace()).permissions(), fs::perms::owner_all);
  const Json answer = json({"init", "--palace", "work"});
  EXPECT_EQ(answer.at("palace"), (home() / "palaces" / "work").string());
  EXPECT_EQ(answer.at("created"), true);
  EXPECT_EQ(answer.at("backend").at("name"), "loci");
}

TEST_F(CommandsTest, InitKeepsTheSettingsOfItsFlags) {
  ok({"init", "--collection", "notes", "--embedder", "hash"});
  EXPECT_EQ(read(palace() / "palace.json"), "{\n  \"collection\": \"notes\",\n  \"embedder\": \"hash\"\n}\n");
  EXPECT_EQ(fs::status(palace() / "palace.json").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  ok({"add", "x"});
  const Json status = json({"status"});
  EXPECT_EQ(status.at("collection").at("name"), "notes");
  EXPECT_EQ(status.at("pending"), 1) << "no worker runs in these tests";
  EXPECT_TRUE(status.at("model").is_null()) << "it has made no vector yet";
  ok({"embed"});
  EXPECT_EQ(json({"status"}).at("model"), "hash-384");
}

TEST_F(CommandsTest, AddPrintsTheIdOnceItIsStored) {
  const std::string id = ok({"add", "some text"});
  EXPECT_TRUE(id.starts_with("drawer_")) << id;
  EXPECT_EQ(json({"get", id.substr(0, id.size() - 1)}).at("drawers").at(0).at("document"), "some text");
}

TEST_F(CommandsTest, AddTakesTheTextFromAFileOrTheStandardInput) {
  const std::string text = "line one\r\n  line two\t\xE6\x9D\xB1\xE4\xBA\xAC\n\n";
  ok({"add", "-", "--id", "from-input"}, {.input = text});
  write(folder() / "notes.md", text);
  ok({"add", "--file", "notes.md", "--id", "from-file"});
  EXPECT_EQ(run_shell("loci add --file <(printf 'through a pipe') --id from-pipe", {.working_folder = folder()}, home())
                .exit_code,
            0);
  const Json drawers = json({"get", "from-input", "from-file", "from-pipe"}).at("drawers");
  EXPECT_EQ(drawers.at(0).at("document"), text);
  EXPECT_EQ(drawers.at(1).at("document"), text);
  EXPECT_EQ(drawers.at(2).at("document"), "through a pipe");
}

TEST_F(CommandsTest, AnAddedDrawerHasMempalacesKeys) {
  const Json drawer =
      json({"add", "x", "--wing", "w", "--source", "notes.md", "--metadata", R"({"tags": ["a", "b"]})"});
  const Json& metadata = drawer.at("metadata");
  EXPECT_EQ(metadata.at("wing"), "w");
  EXPECT_EQ(metadata.at("room"), "general");
  EXPECT_EQ(metadata.at("source_file"), "notes.md");
  EXPECT_EQ(metadata.at("tags"), Json::array({"a", "b"}));
  EXPECT_EQ(metadata.at("filed_at").get<std::string>().size(), std::string("2026-01-01T00:00:00.000Z").size());
}

TEST_F(CommandsTest, GetShowsDrawersAndNamesThoseThatAreNotThere) {
  add_some();
  const std::string text = ok({"get", "note-3"});
  EXPECT_NE(text.find("place       people / ana\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n\nAna prefers green tea\n")) << text;

  const Finished run = loci({"get", "note-1", "nope"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.out.find("GraphQL"), std::string::npos);
  EXPECT_EQ(run.err, "loci: there is no drawer nope\n");
  const Finished as_json = loci({"get", "note-1", "nope", "--json"});
  EXPECT_EQ(as_json.exit_code, 3);
  EXPECT_EQ(parse_json(as_json.out, "x")->at("missing"), Json::array({"nope"}));
}

TEST_F(CommandsTest, ListIsInTheOrderOfFilingWithinTheScope) {
  add_some();
  EXPECT_EQ(ids_of(json({"list"}).at("drawers")), "note-1 note-2 note-3");
  EXPECT_EQ(ids_of(json({"list", "--wing", "shop"}).at("drawers")), "note-1 note-2");
  EXPECT_EQ(ids_of(json({"list", "--wing", "shop", "--room", "api"}).at("drawers")), "note-1");
  EXPECT_EQ(ids_of(json({"list", "--where", R"({"year": {"$gte": 2020}})"}).at("drawers")), "note-3");
  const Json page = json({"list", "--limit", "1", "--offset", "1"});
  EXPECT_EQ(ids_of(page.at("drawers")), "note-2");
  EXPECT_EQ(page.at("total"), 3);
  EXPECT_EQ(ok({"list", "--wing", "shop", "--limit", "1"}),
            "note-1  shop / api  We chose GraphQL because the app needs fewer round trips\n"
            "1 drawer of 2; --offset 1 goes on\n");
  EXPECT_EQ(ok({"list", "--wing", "nobody"}),
            "no drawers; no drawer is in the wing nobody; `loci status` lists what there is\n");
}

TEST_F(CommandsTest, UpdateChangesTextPlaceAndMetadata) {
  add_some();
  EXPECT_EQ(ok({"update", "note-1", "--room", "decisions"}), "updated note-1 in shop / decisions\n");
  ok({"update", "note-1", "--document", "We chose REST", "--metadata", R"({"year": 2021})"});
  const Json drawer = json({"get", "note-1"}).at("drawers").at(0);
  EXPECT_EQ(drawer.at("document"), "We chose REST");
  EXPECT_EQ(drawer.at("room"), "decisions");
  EXPECT_EQ(drawer.at("metadata").at("year"), 2021);
  EXPECT_EQ(json({"search", "GraphQL"}).at("hits").size(), 0U);
  EXPECT_EQ(ids_of(json({"search", "REST"}).at("hits")), "note-1");
  ok({"update", "note-1", "--document", "-"}, {.input = "from input"});
  EXPECT_EQ(json({"get", "note-1"}).at("drawers").at(0).at("document"), "from input");
  expect_failure({"update", "nope", "--room", "x"}, 3, "there is no drawer \"nope\"");
  expect_failure({"update", "note-1"}, 2, "nothing to change");
}

TEST_F(CommandsTest, DeleteTakesIdsOrAFilter) {
  add_some();
  EXPECT_EQ(ok({"delete", "--wing", "shop", "--dry-run"}), "would delete 2 drawers\n");
  EXPECT_EQ(json({"list"}).at("total"), 3);
  expect_failure({"delete", "note-1", "nope"}, 3, "there is no drawer \"nope\"");
  expect_failure({"delete"}, 2, "say what to delete");
  expect_failure({"delete", "--where", "{}"}, 2, "say what to delete");
  EXPECT_EQ(json({"list"}).at("total"), 3);
  EXPECT_EQ(ok({"delete", "note-1"}), "deleted 1 drawer\n");
  EXPECT_EQ(json({"delete", "--where", R"({"year": 2020})"}).at("deleted"), 1);
  EXPECT_EQ(ids_of(json({"list"}).at("drawers")), "note-2");
}

TEST_F(CommandsTest, SearchFindsAnyWordBestFirst) {
  add_some();
  const Json answer = json({"search", "why did we choose graphql", "--limit", "5"});
  EXPECT_EQ(answer.at("query"), "why did we choose graphql");
  EXPECT_EQ(answer.at("drawers_in_scope"), 3);
  EXPECT_EQ(answer.at("pending"), 3);
  EXPECT_EQ(answer.at("degraded").at(0).at("part"), "meaning");
  const Json& hit = answer.at("hits").at(0);
  EXPECT_EQ(hit.at("id"), "note-1");
  for (const char* key : {"document", "metadata", "wing", "room", "source", "score", "highlights"}) {
    EXPECT_TRUE(hit.contains(key)) << key;
  }
  const Json& mark = hit.at("highlights").at(0);
  const std::string document = hit.at("document");
  EXPECT_EQ(document.substr(mark.at("start"), mark.at("end").get<std::size_t>() - mark.at("start").get<std::size_t>()),
            "GraphQL");
  const Json all_of_wing = json({"search", "tea", "--wing", "shop"}).at("hits");
  ASSERT_EQ(all_of_wing.size(), 2U) << "no more are there than were asked for";
  EXPECT_EQ(all_of_wing.at(0).at("score"), 0);
  EXPECT_EQ(json({"search", "tea", "--wing", "shop"}).at("drawers_in_scope"), 2);
  EXPECT_EQ(ids_of(json({"search", "tea", "--where", R"({"year": 2020})"}).at("hits")), "note-3");
  EXPECT_EQ(ok({"search", "zebra"}),
            "nothing found among 3 drawers; words only: the model minilm is not there; tools/setup.sh fetches it\n");
  expect_failure({"search", ""}, 2, "empty");
}

TEST_F(CommandsTest, StatusCountsAndSaysWhy) {
  add_some();
  const Json status = json({"status"});
  EXPECT_EQ(status.at("palace"), palace().string());
  EXPECT_EQ(status.at("drawers"), 3);
  EXPECT_EQ(status.at("wings").size(), 2U);
  EXPECT_EQ(status.at("wings").at(1).at("rooms").size(), 2U);
  EXPECT_EQ(status.at("backend").at("reason"), "found on disk");
  EXPECT_EQ(status.at("collections").at(0).at("name"), "drawers");
  EXPECT_GT(status.at("size_bytes").get<int>(), 0);
  EXPECT_NE(ok({"status"}).find("3 drawers in 2 wings"), std::string::npos);
}

TEST_F(CommandsTest, ExportAndImportMakeAnEqualPalace) {
  add_some();
  ok({"export", "--output", "a.jsonl", "--embeddings"});
  EXPECT_EQ(fs::status(folder() / "a.jsonl").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const Json imported = json({"import", "a.jsonl", "--palace", "copy"});
  EXPECT_EQ(imported.at("stored"), 3);
  const Json exported = json({"export", "--output", "b.jsonl", "--embeddings", "--palace", "copy"});
  EXPECT_EQ(exported.at("records"), 3);
  EXPECT_EQ(read(folder() / "a.jsonl"), read(folder() / "b.jsonl"));
  EXPECT_EQ(json({"import", "a.jsonl", "--palace", "copy"}).at("already_there"), 3);
}

TEST_F(CommandsTest, ExportWithoutAFileGoesToTheStandardOutput) {
  add_some();
  const Finished run = loci({"export"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 3);
  EXPECT_NE(run.err.find("exported 3 records"), std::string::npos);
  const Finished with_json = loci({"export", "--json"});
  EXPECT_EQ(with_json.exit_code, 2);
  EXPECT_EQ(ok({"import", "-", "--palace", "copy"}, {.input = run.out}),
            "3 records: 3 stored, 0 already there, 0 updated, 0 refused\n");
}

TEST_F(CommandsTest, ExportTakesOneCollectionOrAll) {
  add_some();
  ok({"add", "elsewhere", "--collection", "other"});
  EXPECT_EQ(json({"export", "--output", "all"}).at("collections"), 2);
  EXPECT_EQ(json({"export", "--output", "one", "--collection", "other"}).at("records"), 1);
  expect_failure({"export", "--output", "one"}, 1, "--overwrite");
  EXPECT_EQ(json({"export", "--output", "one", "--overwrite"}).at("records"), 4);
  expect_failure({"export", "--output", "none", "--collection", "nope"}, 3, "nope");
  EXPECT_FALSE(fs::exists(folder() / "none"));
}

TEST_F(CommandsTest, ImportReportsEveryRefusedLineAndAsksForAttention) {
  const std::string lines =
      "{\"collection\":\"drawers\",\"id\":\"a\",\"document\":\"x\",\"metadata\":{}}\nnot "
      "json\n{\"id\":\"b\",\"document\":\"y\"}\n";
  const Finished run = loci({"import", "-"}, {.input = lines});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_NE(run.out.find("3 records: 2 stored, 0 already there, 0 updated, 1 refused\n  line 2: "), std::string::npos)
      << run.out;
  EXPECT_EQ(json({"list"}).at("total"), 2);
}

TEST_F(CommandsTest, ImportConflictsAreHandledAsAsked) {
  write(folder() / "one.jsonl", "{\"id\":\"a\",\"document\":\"old\"}\n");
  write(folder() / "two.jsonl", "{\"id\":\"a\",\"document\":\"new\"}\n");
  ok({"import", "one.jsonl"});
  EXPECT_EQ(json({"import", "two.jsonl"}).at("already_there"), 1);
  expect_failure({"import", "two.jsonl", "--on-conflict", "fail"}, 1, "a");
  EXPECT_EQ(json({"get", "a"}).at("drawers").at(0).at("document"), "old");
  EXPECT_EQ(json({"import", "two.jsonl", "--on-conflict", "update"}).at("updated"), 1);
  EXPECT_EQ(json({"get", "a"}).at("drawers").at(0).at("document"), "new");
  EXPECT_EQ(json({"import", "one.jsonl", "--on-conflict", "duplicate"}).at("stored"), 1);
  EXPECT_EQ(json({"list"}).at("total"), 2);
  expect_failure({"import", "two.jsonl", "--on-conflict", "maybe"}, 2,
                 "on_conflict is \"maybe\"; it must be skip, update");
}

TEST_F(CommandsTest, ImportNamesWhatStaysUnderAnotherIdAndWhatGoesToAnotherCollection) {
  const std::string loci =
      R"("loci":{"key":{"source":"s","content_hash":")" + std::string(64, 'a') + R"(","occurrence":0}})";
  write(folder() / "one.jsonl", R"({"collection":"drawers","id":"first","document":"x",)" + loci + "}\n");
  write(folder() / "two.jsonl", R"({"collection":"drawers","id":"second","document":"x",)" + loci + "}\n");
  ok({"import", "one.jsonl"});
  const Json report = json({"import", "two.jsonl", "--collection", "other"});
  EXPECT_EQ(report.at("under_another_id"),
            Json::parse(R"([{"line": 1, "outcome": "already_there", "id": "second", "stored_id": "first"}])"));
  EXPECT_EQ(report.at("under_another_id_left_out"), 0);
  EXPECT_EQ(report.at("in_other_collections"), 1);
  EXPECT_EQ(json({"import", "two.jsonl"}).at("in_other_collections"), 0);
}

TEST_F(CommandsTest, AnImportOfManyBadLinesSaysHowManyItDoesNotList) {
  std::string lines;
  for (int i = 0; i < 101; ++i) lines += "bad\n";
  const Finished run = loci({"import", "-", "--json"}, {.input = lines});
  EXPECT_EQ(run.exit_code, 4);
  const Json report = Json::parse(run.out);
  EXPECT_EQ(report.at("refusals").size(), 100U);
  EXPECT_EQ(report.at("refusals_left_out"), 1);
}

TEST_F(CommandsTest, DoctorFindsAHealthyPalaceHealthy) {
  add_some();
  const Json report = json({"doctor"});
  EXPECT_NE(report.at("state"), "problem");
  EXPECT_TRUE(report.at("checks").is_array());
  EXPECT_NE(ok({"doctor"}).find("sqlite"), std::string::npos);
}

TEST_F(CommandsTest, BackendsSayWhichIsInUse) {
  EXPECT_EQ(json({"backends"}).at("selected").at("reason"), "the default");
  EXPECT_NE(ok({"backends"}).find("loci  in use: the default"), std::string::npos);
  EXPECT_FALSE(fs::exists(home()));
}

TEST_F(CommandsTest, TheModelOfVectorsIsGuarded) {
  ok({"add", "x", "--embedder", "hash-8"});
  ok({"embed", "--embedder", "hash-8"});
  EXPECT_EQ(json({"status"}).at("model"), "hash-8");
  const Finished other = loci({"add", "y", "--embedder", "hash-16"});
  EXPECT_NE(other.exit_code, 0);
  expect_failure({"set-embedder", "--model", "other"}, 4, "hash-8");
  ok({"set-embedder", "--model", "other", "--force-model-swap"});
  EXPECT_EQ(json({"status"}).at("model"), "other");
  EXPECT_EQ(json({"list"}).at("total"), 1);
}

TEST_F(CommandsTest, ASearchAmongVectorsOfAnUnknownModelSaysSo) {
  write(folder() / "in.jsonl", "{\"id\":\"a\",\"document\":\"tea\",\"embedding\":[1,0,0,0,0,0,0,0]}\n");
  ok({"import", "in.jsonl"});
  const auto degraded = [&] { return json({"search", "tea", "--embedder", "hash-8"}).at("degraded"); };
  ASSERT_EQ(degraded().size(), 1U);
  EXPECT_EQ(degraded()[0].at("part"), "meaning");
  EXPECT_NE(degraded()[0].at("reason").get<std::string>().find("unknown"), std::string::npos);
  ok({"set-embedder", "--model", "hash-8"});
  EXPECT_EQ(degraded().size(), 0U);
}

TEST_F(CommandsTest, AModelOfAnotherDimensionIsNotConfirmed) {
  write(folder() / "in.jsonl", "{\"id\":\"a\",\"document\":\"x\",\"embedding\":[1,0,0,0,0,0,0,0]}\n");
  ok({"import", "in.jsonl"});
  expect_failure({"set-embedder", "--model", "hash-16"}, 1, "the model has 16 dimensions; the collection has 8");
  EXPECT_EQ(json({"set-embedder", "--model", "known to nobody"}).at("dimension"), 8);
}

TEST_F(CommandsTest, CompletionsAreAcceptedByTheirShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = ok({"completion", shell});
    EXPECT_GT(script.size(), 1000U);
    EXPECT_EQ(json({"completion", shell}).at("script"), script);
    write(folder() / shell, script);
    const Finished check =
        run_shell(std::string("command -v ") + shell + " > /dev/null || exit 0; " + shell + " -n " + shell,
                  {.working_folder = folder()}, home());
    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_EQ(check.err, "");
  }
  expect_failure({"completion", "tcsh"}, 2, "bash, zsh or fish");
}

TEST_F(CommandsTest, BashCompletesCommandsOptionsAndChoices) {
  write(folder() / "completion.bash", ok({"completion", "bash"}));
  const auto complete = [&](const std::string& words, int index) {
    const Finished run = run_shell("source completion.bash; COMP_WORDS=(" + words +
                                       "); COMP_CWORD=" + std::to_string(index) + "; _loci; echo \"${COMPREPLY[*]}\"",
                                   {.working_folder = folder()}, home());
    return run.out;
  };
  EXPECT_EQ(complete("loci se", 1), "search set-embedder serve\n");
  EXPECT_EQ(complete("loci --json st", 2), "status\n");
  EXPECT_EQ(complete("loci search x --win", 3), "--wing\n");
  EXPECT_EQ(complete("loci import f --on-conflict d", 4), "duplicate\n");
  EXPECT_EQ(complete("loci completion z", 2), "zsh\n");
  EXPECT_EQ(complete("loci add --file comp", 3), "completion.bash\n");
}

}  // namespace
}  // namespace loci::end_to_end
