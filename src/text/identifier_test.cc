#include "text/identifier.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace loci {
namespace {

// The parts with the signs between them, '|' where there is none, and what is left of the text after a space.
std::string parts_of(std::string_view text) {
  Identifier identifier;
  read_identifier(text, 0, identifier);
  std::string line;
  for (const IdentifierPart& part : identifier.parts) {
    if (!line.empty()) line.push_back(part.begins_word ? part.sign : '|');
    line.append(text.substr(part.start, part.end - part.start));
  }
  line.append(identifier.suffix);
  if (identifier.end < text.size()) line.append(" … ").append(text.substr(identifier.end));
  return line;
}

TEST(IdentifierTest, AWordIsOnePart) {
  EXPECT_EQ(parts_of("word"), "word");
  EXPECT_EQ(parts_of("Word"), "Word");
  EXPECT_EQ(parts_of("WORD"), "WORD");
  EXPECT_EQ(parts_of("Übung"), "Übung");
}

TEST(IdentifierTest, CapitalsBeginParts) {
  EXPECT_EQ(parts_of("parseHttpHeader"), "parse|Http|Header");
  EXPECT_EQ(parts_of("größeÄndern"), "größe|Ändern");
}

TEST(IdentifierTest, AnAcronymIsOnePart) {
  EXPECT_EQ(parts_of("HTTPServer"), "HTTP|Server");
  EXPECT_EQ(parts_of("parseHTTP"), "parse|HTTP");
  EXPECT_EQ(parts_of("URLs"), "URLs");
  EXPECT_EQ(parts_of("URLsOfAll"), "URLs|Of|All");
}

TEST(IdentifierTest, DigitsAreParts) {
  EXPECT_EQ(parts_of("sha256sum"), "sha|256|sum");
  EXPECT_EQ(parts_of("3D"), "3|D");
}

TEST(IdentifierTest, SignsSeparateParts) {
  EXPECT_EQ(parts_of("a_b-c.d/e\\f@g"), "a_b-c.d/e\\f@g");
  EXPECT_EQ(parts_of("a::b"), "a:b");
  EXPECT_EQ(parts_of("a__b/.c"), "a_b/c");
}

TEST(IdentifierTest, AColonJoinsDigitsOnly) {
  EXPECT_EQ(parts_of("10:30"), "10:30");
  EXPECT_EQ(parts_of("key:value"), "key … :value");
}

TEST(IdentifierTest, DoubledSignsEndIt) {
  for (const char* rest : {"--b", "..b", "...b", "//b", "@@b", ":::b", "/../b"}) {
    EXPECT_EQ(parts_of("a" + std::string(rest)), "a … " + std::string(rest));
  }
}

TEST(IdentifierTest, ASignWithoutAWordAfterItEndsIt) {
  for (const char* rest : {"_", "-", ".", ". b", "- b", "'", "'!", "::", ":", "/東"}) {
    EXPECT_EQ(parts_of("a" + std::string(rest)), "a … " + std::string(rest));
  }
}

TEST(IdentifierTest, EnglishEndingsAreSkipped) {
  EXPECT_EQ(parts_of("Ann's book"), "Ann …  book");
  EXPECT_EQ(parts_of("we’ll"), "we");
  EXPECT_EQ(parts_of("we'llow"), "we'llow");
}

TEST(IdentifierTest, SomeNamesHaveASuffix) {
  EXPECT_EQ(parts_of("C++"), "C++");
  EXPECT_EQ(parts_of("libc++ x"), "libc++ …  x");
  EXPECT_EQ(parts_of("C#"), "C#");
  EXPECT_EQ(parts_of("abc#"), "abc … #");
  EXPECT_EQ(parts_of("a+++b"), "a … +++b");
  EXPECT_EQ(parts_of("1++"), "1 … ++");
}

TEST(IdentifierTest, MarksGoWithTheLetterBeforeThem) { EXPECT_EQ(parts_of("e\u0301A"), "e\u0301|A"); }

TEST(IdentifierTest, TheNumberOfPartsIsBounded) {
  std::string text = "a";
  for (int count = 0; count < 1000; ++count) text += "_a";
  Identifier identifier;
  read_identifier(text, 0, identifier);
  EXPECT_EQ(identifier.parts.size(), kMaxIdentifierParts);
  EXPECT_EQ(identifier.end, 2 * kMaxIdentifierParts - 1);
}

}  // namespace
}  // namespace loci
