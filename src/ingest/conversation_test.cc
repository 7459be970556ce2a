#include "ingest/conversation.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/drawer_keys.h"

namespace loci {
namespace {

using testing::ElementsAre;

ImportContext context() {
  return {.project_root = "/notes", .wing = "talks", .config = {}, .chunks = {}, .filed_at = "now"};
}

std::vector<ImportedSource> import_text(const Importer& importer, std::string text) {
  auto outcome = importer.import({.path = "/notes/talk.json", .stamp = {}}, std::move(text), context());
  auto* sources = std::get_if<std::vector<ImportedSource>>(&outcome);
  return sources == nullptr ? std::vector<ImportedSource>() : std::move(*sources);
}

std::string text_of(const ImportedSource& source) {
  std::string text;
  for (const SourceRecord& record : source.update.records) text += record.document;
  return text;
}

std::string value(const Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : std::get<std::string>(found->second);
}

constexpr std::string_view kLocomo = R"([{"sample_id": "talk-7", "conversation": {
  "speaker_a": "Ina", "speaker_b": "Tom",
  "session_1_date_time": "1:56 pm on 8 May, 2023",
  "session_1": [{"speaker": "Ina", "dia_id": "D1:1", "text": "I bought a cello."},
                {"speaker": "Tom", "dia_id": "D1:2", "text": "Since when do you play?"},
                {"speaker": "Ina", "dia_id": "D1:3", "text": "Look!", "blip_caption": "a cello in a corner"},
                {"speaker": "Ina", "dia_id": "D1:4", "text": "It is old."}],
  "session_2_date_time": "9:05 am on 12 June, 2023",
  "session_2": [{"speaker": "Tom", "dia_id": "D2:1", "text": "Hello again."}],
  "session_4": [{"speaker": "Tom", "dia_id": "D4:1", "text": "Behind a gap."}]}}])";

TEST(LocomoImporterTest, EachSessionUpToTheFirstGapIsASourceThatReadsAsATranscript) {
  const std::vector<ImportedSource> sources = import_text(kLocomoImporter, std::string(kLocomo));
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].update.name, "/notes/talk.json#session=talk-7/session_1");
  EXPECT_EQ(text_of(sources[0]),
            "Ina: I bought a cello.\nTom: Since when do you play?\nIna: Look! [photo: a cello in a corner]\nIna: It is "
            "old.\n");
  EXPECT_EQ(text_of(sources[1]), "Tom: Hello again.\n");
}

TEST(LocomoImporterTest, DrawersHoldAFewTurnsAndSayWhoSpokeAndWhen) {
  const std::vector<ImportedSource> sources = import_text(kLocomoImporter, std::string(kLocomo));
  ASSERT_EQ(sources[0].update.records.size(), 2U);
  const Metadata& first = sources[0].update.records[0].position;
  EXPECT_EQ(value(first, kSpeakerKey), "Ina, Tom");
  EXPECT_EQ(value(first, kTimestampKey), "2023-05-08T13:56:00Z");
  EXPECT_EQ(value(first, kContentDateKey), "2023-05-08");
  const Metadata& second = sources[0].update.records[1].position;
  EXPECT_EQ(value(second, kSpeakerKey), "Ina");
  EXPECT_EQ(std::get<std::int64_t>(second.at("line_start")), 4);
  EXPECT_EQ(value(sources[0].update.shared, kSessionIdKey), "talk-7/session_1");
  EXPECT_EQ(value(sources[0].update.shared, kWingKey), "talks");
}

TEST(LongMemEvalImporterTest, ASessionOfSeveralHaystacksComesOnce) {
  const std::vector<ImportedSource> sources = import_text(kLongMemEvalImporter, R"([
    {"question_id": "1", "haystack_session_ids": ["a", "b"],
     "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
     "haystack_sessions": [[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
                           [{"role": "user", "content": "Bye"}]]},
    {"question_id": "2", "haystack_session_ids": ["b"], "haystack_dates": [], "haystack_sessions": [[]]}])");
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(text_of(sources[0]), "user: Hi\nassistant: Hello\n");
  EXPECT_EQ(value(sources[0].update.records[0].position, kRoleKey), "user, assistant");
  EXPECT_EQ(value(sources[0].update.records[0].position, kTimestampKey), "2023-05-20T02:21:00Z");
  EXPECT_EQ(sources[1].update.name, "/notes/talk.json#session=b");
}

TEST(ConversationTest, ALongTurnIsCutAndNothingIsLost) {
  std::string long_text;
  for (int i = 0; i < 200; ++i) long_text += "This is sentence number " + std::to_string(i) + ". ";
  const Conversation talk{.session_id = "s",
                          .turns = {{.speaker = "Ina", .text = "Short."}, {.speaker = "Tom", .text = long_text}}};
  const ImportedSource source = conversation_source({.path = "/f", .stamp = {}}, talk, "test", context());
  EXPECT_GT(source.update.records.size(), 3U);
  EXPECT_EQ(text_of(source), "Ina: Short.\nTom: " + long_text.substr(0, long_text.size() - 1) + "\n");
}

TEST(ConversationTest, WhatIsNoSuchExportIsPassedOver) {
  for (const Importer* importer : {&kLocomoImporter, &kLongMemEvalImporter}) {
    for (const std::string_view text :
         {"", "not json", "{}", "[]", "[1, null]", R"([{"conversation": 7}])", R"([{"haystack_sessions": 7}])"})
      EXPECT_TRUE(import_text(*importer, std::string(text)).empty()) << importer->mode << ": " << text;
  }
}

TEST(ConversationTest, ASourceKnowsItsFile) {
  EXPECT_EQ(file_of_source(conversation_name("/a/b.json", "s/1")), "/a/b.json");
  EXPECT_EQ(file_of_source("/a/b#c.txt"), "/a/b#c.txt");
}

}  // namespace
}  // namespace loci
