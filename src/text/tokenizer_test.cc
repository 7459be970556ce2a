#include "text/tokenizer.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "text/token_text.h"

namespace loci {
namespace {

using testing::ElementsAre;

std::vector<std::string> source_texts(std::string_view text) {
  std::vector<std::string> found;
  Tokenizer tokenizer;
  tokenizer.tokenize(text, TokenizeFor::document, [&](const Token& token) {
    found.emplace_back(text.substr(token.start, token.end - token.start));
    return 0;
  });
  return found;
}

TEST(TokenizerTest, NothingYieldsNoToken) {
  EXPECT_EQ(token_text(""), "");
  EXPECT_EQ(token_text(" \t\r\n.,;!?()[]{}<>|*&^%$\"`~=—…→"), "");
}

TEST(TokenizerTest, WordsAreSeparatedBySpacesPunctuationAndControlCharacters) {
  EXPECT_EQ(token_text("one, two;three\x01"
                       "four\x1F"
                       "five\x7Fsix(seven)"),
            "one two three four five six seven");
  EXPECT_EQ(token_text(std::string_view("a\0b", 3)), "a b");
}

TEST(TokenizerTest, CaseMakesNoDifference) {
  EXPECT_EQ(token_text("NASA Nasa nasa ПРИВЕТ Привет"), "nasa nasa nasa привет привет");
}

TEST(TokenizerTest, AccentsMakeNoDifference) {
  EXPECT_EQ(token_text("café CAFÉ cafe\u0301 naïve Łódź Ærø ελληνικά ёлка"),
            "cafe cafe cafe naiv lodz aero ελληνικα елка");
}

TEST(TokenizerTest, VowelSignsOfIndicScriptsStay) { EXPECT_EQ(token_text("हिन्दी தமிழ்"), "हिन्दी தமிழ்"); }

TEST(TokenizerTest, PointsOfHebrewAndArabicGo) {
  EXPECT_EQ(token_text("שָׁלוֹם"), token_text("שלום"));
  EXPECT_EQ(token_text("مُحَمَّد"), token_text("محمد"));
}

TEST(TokenizerTest, EnglishWordsAreStemmed) {
  EXPECT_EQ(token_text("running runs connection connected ids"), "run run connect connect id");
}

TEST(TokenizerTest, ShortWordsAndWordsWithDigitsAreNotStemmedButTheirPartsAre) {
  EXPECT_EQ(token_text("the was cats5 running2go"), "the was cat|cats5 5 run|running2go 2 go");
}

TEST(TokenizerTest, EndingsAfterAnApostropheGo) {
  EXPECT_EQ(token_text("Ann's we're we’ll I'm they've she'd ANN'S"), "ann we we i they she ann");
}

TEST(TokenizerTest, OtherApostrophesJoinParts) {
  EXPECT_EQ(token_text("don't l'homme O’Brien"), "don|dont t l|lhomm homm o|obrien brien");
}

TEST(TokenizerTest, AQuotedWordIsTheWord) { EXPECT_EQ(token_text("'cat' ‘dog’ \"bird\""), "cat dog bird"); }

TEST(TokenizerTest, WaysToWriteAnIdentifierAgree) {
  const std::string expected = "pars|parsehttphead http header";
  for (const char* name : {"parse_http_header", "parseHttpHeader", "ParseHTTPHeader", "parse-http-header",
                           "parse.http.header", "PARSE_HTTP_HEADER", "parse::http::header", "parse/http/header"}) {
    EXPECT_EQ(token_text(name), expected) << name;
  }
}

TEST(TokenizerTest, AnIdentifierIsAlsoFoundWrittenAsOneWord) {
  EXPECT_THAT(token_text("parseHttpHeader"), testing::HasSubstr("|" + token_text("parsehttpheader") + " "));
  EXPECT_THAT(token_text("GitHub"), testing::HasSubstr("|" + token_text("github") + " "));
  EXPECT_THAT(token_text("e-mails"), testing::HasSubstr("|" + token_text("emails") + " "));
}

TEST(TokenizerTest, AnAcronymEndsBeforeTheLastCapital) {
  EXPECT_EQ(token_text("HTTPServer XMLHttpRequest"), "http|httpserver server xml|xmlhttprequest http request");
}

TEST(TokenizerTest, ThePluralOfAnAcronymIsOneWord) {
  EXPECT_EQ(token_text("APIs IDs URLsToFetch"), "api id url|urlstofetch to fetch");
}

TEST(TokenizerTest, PathsAndNamesWithDotsHaveParts) {
  EXPECT_EQ(token_text("src/net/http.cc"), "src|srcnethttpcc net http cc");
  EXPECT_EQ(token_text("C:\\Users\\ann"), "c user|usersann ann");
  EXPECT_EQ(token_text("foo.bar.baz"), "foo|foobarbaz bar baz");
  EXPECT_EQ(token_text("std::vector"), "std|stdvector vector");
  EXPECT_EQ(token_text("user@example.com"), "user|userexamplecom exampl com");
  EXPECT_EQ(token_text("foo/__init__.py"), "foo|fooinitpi init py");
}

TEST(TokenizerTest, AWordInsideAPathIsAlsoFoundWrittenAsOne) {
  EXPECT_EQ(token_text("src/HttpServer.cc"), "src|srchttpservercc http|httpserver server cc");
}

TEST(TokenizerTest, SignsAroundAnIdentifierGo) {
  EXPECT_EQ(token_text(".gitignore --no-verify __init__ ~/.bashrc #tag @ann $HOME"),
            "gitignor no|noverifi verifi init bashrc tag ann home");
}

TEST(TokenizerTest, NumbersWithSignsKeepThem) {
  EXPECT_EQ(token_text("v1.2.3"), "v|v1|v1.2.3 1 2 3");
  EXPECT_EQ(token_text("2024-01-15 10:30"), "2024|2024-01-15 01 15 10|10:30 30");
  EXPECT_EQ(token_text("127.0.0.1:8080"), "127|127.0.0.1:8080 0 0 1 8080");
}

TEST(TokenizerTest, LettersAndDigitsArePartsToo) {
  EXPECT_EQ(token_text("E0308 sha256 utf-8 utf8"), "e|e0308 0308 sha|sha256 256 utf|utf8 8 utf|utf8 8");
}

TEST(TokenizerTest, HashesAndKeysHaveNoParts) {
  EXPECT_EQ(token_text("a3f9c2d1e8b7 aGVsbG8gd29ybGQ"), "a3f9c2d1e8b7 agvsbg8gd29ybgq");
}

TEST(TokenizerTest, LanguagesWithSignsInTheirNameAreThemselves) {
  EXPECT_EQ(token_text("C++ C# F#, g++."), "c|c++ c|c# f|f# g|g++");
  EXPECT_EQ(token_text("a+b c++d abc# +1"), "a b c d abc 1");
}

TEST(TokenizerTest, SentencesAndDashesEndAWord) {
  EXPECT_EQ(token_text("The end. Next--one... and so on."), "the end next one and so on");
  EXPECT_EQ(token_text("https://example.com"), "https exampl|examplecom com");
}

TEST(TokenizerTest, UnusualHyphensJoinLikeTheUsualOne) {
  EXPECT_EQ(token_text("long\u2010term long\u2011term"), token_text("long-term long-term"));
}

TEST(TokenizerTest, ChineseAndJapaneseArePairs) {
  EXPECT_EQ(token_text("東京都"), "東京 京都|都");
  EXPECT_EQ(token_text("サーバー"), "サー ーバ バー|ー");
  EXPECT_EQ(token_text("私は行く。雨"), "私は は行 行く|く 雨");
}

TEST(TokenizerTest, KoreanIsPairsOfSyllables) {
  EXPECT_EQ(token_text("서울에서"), "서울 울에 에서|서");
  EXPECT_EQ(token_text("\u1109\u1165\u110B\u116E\u11AF"), token_text("서울"));  // decomposed
}

TEST(TokenizerTest, HalfWidthAndFullWidthMakeNoDifference) {
  EXPECT_EQ(token_text("ﾊﾞﾅﾅ"), token_text("バナナ"));
  EXPECT_EQ(token_text("ＡＢＣ１２３"), token_text("ABC123"));
}

TEST(TokenizerTest, ThaiIsPairsOfClusters) { EXPECT_EQ(token_text("ภาษาไทย"), "ภา าษ ษา าไ ไท ทย|ย"); }

TEST(TokenizerTest, AChangeOfScriptEndsAWord) { EXPECT_EQ(token_text("iPhone手机15"), "i|iphon phone 手机|机 15"); }

TEST(TokenizerTest, AQueryLeavesTheLastCharacterOpen) {
  EXPECT_EQ(token_text("東京都", TokenizeFor::query), "東京 京都");
  EXPECT_EQ(token_text("東", TokenizeFor::query), "東");
}

TEST(TokenizerTest, EmojiAreWords) {
  EXPECT_EQ(token_text("ship it 🚀🎉"), "ship it 🚀 🎉");
  EXPECT_EQ(token_text("👍🏽 ❤️ 🇩🇪🇫🇷"), "👍 ❤ 🇩🇪 🇫🇷");
  EXPECT_EQ(token_text("👩‍💻"), "👩 💻");
}

TEST(TokenizerTest, InvisibleCharactersDoNotSplitWords) {
  EXPECT_EQ(token_text("mem\u00ADory mem\u200Dory"), "memori memori");
  EXPECT_EQ(token_text("\uFEFFmemory"), "memori");
}

TEST(TokenizerTest, BytesThatAreNotUtf8SeparateWords) {
  EXPECT_EQ(token_text("one\xFFtwo\xC3 three\xE6\x97"), "one two three");
}

TEST(TokenizerTest, AVeryLongWordIsCutAtACharacter) {
  std::string word;
  word.resize(10'000'000, 'x');
  EXPECT_EQ(token_text(word), std::string(kMaxTokenBytes, 'x'));
  std::string greek;
  for (int count = 0; count < 1000; ++count) greek += "ω";
  const std::string cut = token_text("x" + greek);
  EXPECT_EQ(cut.size(), kMaxTokenBytes - 1);
  EXPECT_TRUE(is_valid_utf8(cut));
}

TEST(TokenizerTest, AnEndlessIdentifierIsReadInPieces) {
  std::string text;
  for (int count = 0; count < 1000; ++count) text += "a_";
  int positions = 0;
  Tokenizer tokenizer;
  tokenizer.tokenize(text, TokenizeFor::document, [&positions](const Token& token) {
    positions += token.colocated ? 0 : 1;
    return 0;
  });
  EXPECT_EQ(positions, 1000);
}

TEST(TokenizerTest, TokensNameTheirBytes) {
  EXPECT_THAT(source_texts("Ann's café, C++ 東京都!"), ElementsAre("Ann", "café", "C", "C++", "東京", "京都", "都"));
  EXPECT_THAT(source_texts("see parseHttpHeader()"), ElementsAre("see", "parse", "parseHttpHeader", "Http", "Header"));
}

TEST(TokenizerTest, ThePartsOfAnIdentifierSayThatTheyBelongTogether) {
  std::vector<std::pair<std::string, bool>> found;
  Tokenizer tokenizer;
  tokenizer.tokenize("my foo-bar 東京都 👩‍💻", TokenizeFor::document, [&found](const Token& token) {
    if (!token.colocated) found.emplace_back(token.text, token.continues);
    return 0;
  });
  EXPECT_THAT(found, ElementsAre(std::pair("my", false), std::pair("foo", false), std::pair("bar", true),
                                 std::pair("東京", false), std::pair("京都", true), std::pair("👩", false),
                                 std::pair("💻", true)));
}

TEST(TokenizerTest, StopsWhereTheCallerSays) {
  for (int stop = 1; stop <= 12; ++stop) {
    int calls = 0;
    Tokenizer tokenizer;
    const int result = tokenizer.tokenize("one foo-bar C++ 東京都 👩‍💻 two", TokenizeFor::document,
                                          [&calls, stop](const Token&) { return ++calls == stop ? 42 : 0; });
    EXPECT_EQ(result, 42) << stop;
    EXPECT_EQ(calls, stop);
  }
}

TEST(TokenizerTest, MarkedWordsOfAQueryAreTakenAsTheyAre) {
  EXPECT_EQ(token_text("\x1Fparsehttphead C++ running", TokenizeFor::query), "parsehttphead C++ running");
  EXPECT_EQ(token_text("\x1F", TokenizeFor::query), "");
}

TEST(TokenizerTest, TheMarkMeansNothingInADocument) { EXPECT_EQ(token_text("\x1FRunning"), "run"); }

TEST(TokenizerTest, OneInstanceMayBeUsedAgain) {
  Tokenizer tokenizer;
  for (int round = 0; round < 3; ++round) {
    int calls = 0;
    tokenizer.tokenize("foo-bar 東京都", TokenizeFor::document, [&calls](const Token&) { return ++calls, 0; });
    EXPECT_EQ(calls, 6);
  }
}

}  // namespace
}  // namespace loci
