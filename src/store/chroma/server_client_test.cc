#include "store/chroma/server_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/loopback_server.h"
#include "store/chroma/server_backend.h"
#include "store/chroma/server_records.h"

namespace loci::chroma {
namespace {

// Gives prepared answers, and remembers what it was asked.
struct Script {
  std::vector<Result<HttpResponse>> answers;
  std::vector<HttpRequest> requests = {};
  std::size_t pauses = 0;

  ServerOptions options() {
    return {.token = "secret",
            .transport = [this](const HttpRequest& request) -> Result<HttpResponse> {
              requests.push_back(request);
              return answers.at(std::min(requests.size(), answers.size()) - 1);
            },
            .sleep = [this](std::chrono::milliseconds) { ++pauses; }};
  }
};

TEST(ServerPlaceTest, AnAddressNamesTenantAndDatabase) {
  const ServerPlace plain = *parse_place({.id = "http://localhost:8000"});
  EXPECT_EQ(plain.url, "http://localhost:8000");
  EXPECT_EQ(plain.tenant, "default_tenant");
  EXPECT_EQ(plain.database, "default_database");
  const ServerPlace whole = *parse_place({.id = "https://db.example/team/notes/"});
  EXPECT_EQ(whole.url, "https://db.example");
  EXPECT_EQ(whole.tenant, "team");
  EXPECT_EQ(whole.database, "notes");
}

TEST(ServerPlaceTest, ANamespaceIsADatabaseUnlessTheAddressNamesOne) {
  EXPECT_EQ(parse_place({.id = "http://h:1/team", .palace_namespace = "left"})->database, "left");
  EXPECT_EQ(parse_place({.id = "http://h:1/team/notes", .palace_namespace = "left"}).error().kind,
            ErrorKind::invalid_argument);
  EXPECT_EQ(parse_place({.id = "http://h:1/a/b/c"}).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(parse_place({.id = "http://h:1/a?b=c"}).error().kind, ErrorKind::invalid_argument);
}

TEST(ServerClientTest, TheTokenGoesWithEveryRequestAndNamesAreEncoded) {
  Script script{.answers = {HttpResponse{.status = 200, .body = "[]"}}};
  const ServerClient client({.url = "http://h:1", .tenant = "a b", .database = "ä/"}, script.options());
  ASSERT_TRUE(client.call("GET", "collections").ok());
  ASSERT_EQ(script.requests.size(), 1U);
  EXPECT_EQ(script.requests[0].url, "http://h:1/api/v2/tenants/a%20b/databases/%C3%A4%2F/collections");
  EXPECT_THAT(script.requests[0].headers, testing::Contains(testing::Pair("x-chroma-token", "secret")));
}

TEST(ServerClientTest, ASilentServerIsNotWaitedForOnceTheStopHasCome) {
  LoopbackServer server({{.bytes = "", .stays_silent = true}});
  StopTime stop;
  stop.stop_by(StopTime::Clock::now() + std::chrono::milliseconds(50));
  const ServerClient client({.url = server.url()}, {.stop = &stop});
  const auto start = StopTime::Clock::now();
  const Result<Json> answer = client.call("GET", "collections");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(server.requests().size(), 1U) << "it was asked, and not again";
  EXPECT_LT(StopTime::Clock::now() - start, std::chrono::seconds(30));
}

TEST(ServerClientTest, NobodyPausesBeforeANextAttemptPastTheStop) {
  StopTime stop;
  stop.stop_by(StopTime::Clock::now() + std::chrono::milliseconds(50));
  int asked = 0;
  const HttpTransport busy = [&](const HttpRequest&) -> Result<HttpResponse> {
    ++asked;
    return HttpResponse{.status = 503};
  };
  const RetryPolicy patient = {.first_delay = std::chrono::hours(1), .longest_delay = std::chrono::hours(1)};
  const ServerClient client({.url = "http://h:1"}, {.transport = busy, .retry = patient, .stop = &stop});
  EXPECT_FALSE(client.call("GET", "collections").ok());
  EXPECT_EQ(asked, 1);
}

TEST(ServerClientTest, ErrorsBecomeTheKindsOfTheContract) {
  for (const auto& [status, kind] : {std::pair{400, ErrorKind::invalid_argument},
                                     {404, ErrorKind::not_found},
                                     {409, ErrorKind::already_exists},
                                     {403, ErrorKind::unavailable},
                                     {500, ErrorKind::internal},
                                     {501, ErrorKind::unsupported}}) {
    Script script{.answers = {HttpResponse{.status = status, .body = R"({"error":"X","message":"what it says"})"}}};
    const Result<Json> answer = ServerClient({.url = "http://h:1"}, script.options()).call("GET", "collections");
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().kind, kind) << status;
    EXPECT_THAT(answer.error().message, testing::HasSubstr("what it says"));
    EXPECT_EQ(script.requests.size(), 1U) << "it is the answer, not a failure on the way";
  }
}

TEST(ServerClientTest, WhatMayHappenTwiceIsSentAgainAndWhatMustNotIsNot) {
  const Error away{ErrorKind::unavailable, "no connection"};
  Script repeated{.answers = {away, HttpResponse{.status = 503}, HttpResponse{.status = 200, .body = "1"}}};
  EXPECT_TRUE(ServerClient({.url = "http://h:1"}, repeated.options()).call("POST", "x", {{"a", 1}}).ok());
  EXPECT_EQ(repeated.requests.size(), 3U);
  EXPECT_EQ(repeated.pauses, 2U);
  Script once{.answers = {away}};
  EXPECT_FALSE(
      ServerClient({.url = "http://h:1"}, once.options()).call("POST", "x", {{"a", 1}}, Repeat::must_not).ok());
  EXPECT_EQ(once.requests.size(), 1U);
}

TEST(ServerClientTest, AnAnswerThatIsNoJsonIsAnError) {
  Script script{.answers = {HttpResponse{.status = 200, .body = "<html>"}}};
  EXPECT_EQ(ServerClient({.url = "http://h:1"}, script.options()).call("GET", "x").error().kind, ErrorKind::io);
}

TEST(ServerBackendTest, NothingIsAskedBeforeTheFirstCall) {
  Script script{.answers = {HttpResponse{.status = 500}}};
  const auto backend = make_chroma_server_backend(script.options());
  EXPECT_FALSE(backend->detect("/tmp"));
  EXPECT_FALSE(backend->info().has(capability::kAtomicBatches));
  EXPECT_EQ(backend->info().max_batch, 5'461U);
  EXPECT_TRUE(script.requests.empty());
}

TEST(ServerRecordsTest, VectorsTravelAsBase64OfTheirBytes) {
  EXPECT_EQ(base64_of(std::vector<float>{1.0F}), "AACAPw==");
  EXPECT_EQ(base64_of(std::vector<float>{1.0F, -2.0F, 0.5F}), "AACAPwAAAMAAAAA/");
}

TEST(ServerRecordsTest, KeysThatARecordNoLongerHasAreSentAsNulls) {
  EXPECT_EQ(metadata_to_json({{"a", true}}, {{"a", false}, {"b", std::string("x")}}),
            Json::parse(R"({"a": true, "b": null})"));
  EXPECT_EQ(metadata_to_json({}), Json());
}

TEST(ServerRecordsTest, AnAnswerOfAnotherShapeIsAnErrorAndNoCrash) {
  for (const char* text : {"{}", "[]", "3", R"({"ids": 3})", R"({"ids": [3]})", R"({"ids": ["a"], "metadatas": ["x"]})",
                           R"({"ids": ["a"], "embeddings": [["x"]]})"}) {
    EXPECT_FALSE(records_from_get(Json::parse(text)).ok()) << text;
  }
  const auto records = records_from_get(Json::parse(
      R"({"ids": ["a", "b"], "documents": ["x", null], "metadatas": [null, {"i": 1, "r": 1.0}], "embeddings": null})"));
  ASSERT_TRUE(records.ok());
  EXPECT_EQ((*records)[0].document, "x");
  EXPECT_EQ((*records)[1].metadata, (Metadata{{"i", std::int64_t{1}}, {"r", 1.0}}));
  EXPECT_FALSE((*records)[0].embedding);
}

}  // namespace
}  // namespace loci::chroma
