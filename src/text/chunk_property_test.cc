// What holds for every text of every kind, tried on nasty ones: made of the signs that each kind cares about, put
// together without any sense.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"
#include "text/chunk.h"

namespace loci {
namespace {

const std::vector<TextType>& all_types() {
  static const std::vector<TextType> kTypes = [] {
    std::vector<TextType> types = {{TextKind::markdown, ""}, {TextKind::json, "json"}, {TextKind::yaml, "yaml"},
                                   {TextKind::toml, "toml"}, {TextKind::ini, "ini"},   {TextKind::html, "html"},
                                   {TextKind::xml, "xml"},   {TextKind::csv, "csv"},   {TextKind::plain, ""},
                                   {TextKind::plain, "rst"}, {TextKind::plain, "org"}, {TextKind::plain, "latex"},
                                   {TextKind::plain, "log"}};
    for (const std::string_view language :
         {"c",   "cpp",    "csharp", "css",  "go",    "java", "javascript", "typescript", "kotlin", "lua",
          "php", "python", "ruby",   "rust", "shell", "sql",  "swift",      "cmake",      "make",   "unheard-of"}) {
      types.push_back({TextKind::code, language});
    }
    return types;
  }();
  return kTypes;
}

std::string name_of(const TextType& type) {
  return std::string(to_string(type.kind)) + " " + std::string(type.language);
}

const std::vector<std::string>& pieces() {
  static const std::vector<std::string> kPieces = {"word ",
                                                   "Sentence. ",
                                                   "x",
                                                   "\n",
                                                   "\n",
                                                   "\n\n",
                                                   "\r\n",
                                                   "\r",
                                                   "\t",
                                                   "    ",
                                                   " ",
                                                   "# ",
                                                   "## ",
                                                   "- ",
                                                   "1. ",
                                                   "> ",
                                                   "```",
                                                   "```cpp\n",
                                                   "~~~\n",
                                                   "---\n",
                                                   "===\n",
                                                   "|a|b|\n",
                                                   "|---|---|\n",
                                                   "+++\n",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   "(",
                                                   ")",
                                                   "\"",
                                                   "'",
                                                   "`",
                                                   "\"\"\"",
                                                   "'''",
                                                   "${",
                                                   "\\",
                                                   "\\\"",
                                                   "//",
                                                   "/*",
                                                   "*/",
                                                   "--",
                                                   "#",
                                                   "<<EOF\n",
                                                   "EOF\n",
                                                   "<<<X\n",
                                                   "R\"(",
                                                   ")\"",
                                                   "r#\"",
                                                   "\"#",
                                                   "@\"",
                                                   "/",
                                                   "=",
                                                   "=begin\n",
                                                   "=end\n",
                                                   "key: ",
                                                   "key = 1\n",
                                                   "[table]\n",
                                                   "[[t.u]]\n",
                                                   ",",
                                                   ";",
                                                   ":",
                                                   "<p>",
                                                   "</p>",
                                                   "<h1>",
                                                   "<!--",
                                                   "-->",
                                                   "<script>",
                                                   "</script>",
                                                   "<![CDATA[",
                                                   "]]>",
                                                   "<?",
                                                   "?>",
                                                   "<br/>",
                                                   "def f():\n",
                                                   "class C {\n",
                                                   "namespace n {\n",
                                                   "#if X\n",
                                                   "#else\n",
                                                   "#endif\n",
                                                   "@x\n",
                                                   "else",
                                                   "end\n",
                                                   "é",
                                                   "東京。",
                                                   "👩‍👩‍👧",
                                                   "e\u0301",
                                                   "\u200D",
                                                   "\u00A0",
                                                   "\uFEFF"};
  return kPieces;
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

// An empty text when all is well.
std::string fault_of(std::string_view text, const std::vector<Chunk>& chunks, std::size_t target) {
  std::size_t at = 0;
  std::size_t line = 1;
  for (const Chunk& chunk : chunks) {
    if (chunk.byte_start != at || chunk.byte_end <= at || chunk.byte_end > text.size())
      return "a gap, or an empty chunk";
    if (floor_char_boundary(text, chunk.byte_end) != chunk.byte_end) return "a cut inside a character";
    const std::string_view content = text.substr(at, chunk.byte_end - at);
    const std::size_t characters = count_code_points(content);
    if (characters > target + target / 2) return "a chunk of " + std::to_string(characters) + " characters";
    if (chunks.size() > 1 && characters < target / 8) return "a chunk of only " + std::to_string(characters);
    if (chunk.line_start != line || chunk.line_end < line) return "wrong lines";
    const std::string_view terminator = text.find('\n') == std::string_view::npos ? "\r" : "\n";
    line = chunk.line_end + (content.ends_with(terminator) ? 1 : 0);
    at = chunk.byte_end;
  }
  return at == text.size() ? "" : "the end is missing";
}

void expect_sound(std::string_view text, const TextType& type, std::size_t target) {
  const std::vector<Chunk> chunks = chunk_text(text, type, {.target_characters = target});
  EXPECT_EQ(fault_of(text, chunks, target), "")
      << name_of(type) << ", target " << target << ": " << testing::PrintToString(std::string(text.substr(0, 500)));
}

TEST(ChunkPropertyTest, ChunksLaidEndToEndAreTheText) {
  const bool holds = rc::check("chunks laid end to end are the text", [] {
    const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces()));
    const std::size_t target = *rc::gen::elementOf(std::vector<std::size_t>{16, 40, 200});
    std::string text;
    for (const std::string& word : words) text += word;
    for (const TextType& type : all_types()) {
      RC_LOG() << name_of(type) << "\n";
      RC_ASSERT(fault_of(text, chunk_text(text, type, {.target_characters = target}), target) == "");
    }
  });
  EXPECT_TRUE(holds);
}

TEST(ChunkPropertyTest, LongTextsOfNoSenseAreCutSoundly) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    std::string text;
    while (text.size() < 20'000) {
      const std::string& piece = pieces()[random() % pieces().size()];
      for (std::size_t count = random() % 16 == 0 ? random() % 200 : 1; count > 0; --count) text += piece;
    }
    for (const TextType& type : all_types()) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      expect_sound(text, type, 800);
      expect_sound(text, type, 100);
    }
  }
}

TEST(ChunkPropertyTest, OneSignRepeatedIsCutSoundly) {
  for (const std::string& piece : pieces()) {
    std::string text;
    while (text.size() < 6'000) text += piece;
    for (const TextType& type : all_types()) expect_sound(text, type, 200);
  }
}

TEST(ChunkPropertyTest, ALineOfTwoMegabytesIsCutSoundly) {
  std::string text;
  std::mt19937 random(7);
  while (text.size() < 2'000'000) text += static_cast<char>('a' + random() % 26);
  for (const TextKind kind : {TextKind::markdown, TextKind::json}) expect_sound(text, {kind, ""}, 800);
  expect_sound(text, {TextKind::code, "javascript"}, 800);
}

TEST(ChunkPropertyTest, BytesThatAreNoUtf8DoNoHarm) {
  std::mt19937 random(8);
  std::string text(20'000, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  for (const TextType& type : all_types()) {
    std::size_t at = 0;
    for (const Chunk& chunk : chunk_text(text, type)) {
      EXPECT_EQ(chunk.byte_start, at);
      EXPECT_GT(chunk.byte_end, at);
      at = chunk.byte_end;
    }
    EXPECT_EQ(at, text.size()) << name_of(type);
  }
}

// Text with the structure that each kind has, of random words.
std::string structured_text(const TextType& type, std::mt19937& random) {
  const auto words = [&](std::size_t count) {
    std::string text;
    for (; count > 0; --count) {
      for (std::size_t letters = 2 + random() % 7; letters > 0; --letters)
        text += static_cast<char>('a' + random() % 26);
      text += count == 1 ? "" : " ";
    }
    return text;
  };
  std::string text;
  while (text.size() < 40'000) {
    const std::string number = std::to_string(random() % 1000);
    switch (type.kind) {
      case TextKind::markdown:
        text += (random() % 4 == 0 ? "## " : "") + words(3) + "\n\n" + words(20 + random() % 60) + ".\n\n- " +
                words(5) + "\n- " + words(9) + "\n\n```sh\n" + words(4) + "\n" + words(6) + "\n```\n\n";
        break;
      case TextKind::code:
        text += type.language == "python"
                    ? "def f" + number + "(" + words(1) + "):\n    # " + words(9) + "\n    x = " + words(1) +
                          "\n    return y\n\n\n"
                    : "// " + words(9) + "\nint f" + number + "() {\n  a = \"" + words(4) + "\";\n  return b;\n}\n\n";
        break;
      case TextKind::json:
        text += "{\"" + words(1) + "\": [\"" + words(6) + "\", {\"" + words(1) + "\": " + number + "}]}\n";
        break;
      case TextKind::yaml: text += words(1) + ":\n  - " + words(5) + "\n  - k" + number + ": " + words(4) + "\n"; break;
      case TextKind::toml:
      case TextKind::ini: text += "[" + words(1) + "]\nkey = \"" + words(5) + "\"\nother = " + number + "\n\n"; break;
      case TextKind::html:
      case TextKind::xml:
        text += "<div>\n  <p>" + words(20) + "</p>\n  <ul><li>" + words(6) + "</li></ul>\n</div>\n";
        break;
      case TextKind::csv: text += number + "," + words(2) + ",\"" + words(3) + "\n" + words(2) + "\"\n"; break;
      case TextKind::plain:
        text += words(10 + random() % 40) + ". N" + words(12) + ".\n" + (random() % 3 == 0 ? "\n" : "");
        break;
    }
  }
  return text;
}

// How many chunks of the changed text are not to be found in the old one.
std::size_t count_new(std::string_view before, std::string_view after, const TextType& type, std::size_t& total) {
  std::multiset<std::string_view> known;
  for (const Chunk& chunk : chunk_text(before, type)) {
    known.insert(before.substr(chunk.byte_start, chunk.byte_end - chunk.byte_start));
  }
  std::size_t count = 0;
  for (const Chunk& chunk : chunk_text(after, type)) {
    const auto same = known.find(after.substr(chunk.byte_start, chunk.byte_end - chunk.byte_start));
    if (same == known.end()) {
      ++count;
    } else {
      known.erase(same);
    }
    ++total;
  }
  return count;
}

class ChunkLocalityTest : public testing::TestWithParam<TextType> {};

TEST_P(ChunkLocalityTest, ALineInsertedAnywhereChangesFewChunks) {
  constexpr unsigned kRounds = 6;
  std::size_t changed = 0;
  std::size_t total = 0;
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    std::mt19937 random(seed);
    const std::string text = structured_text(GetParam(), random);
    std::string longer = "An inserted line\n" + text;
    changed += count_new(text, longer, GetParam(), total);
    longer = text;
    longer.insert(text.find('\n', text.size() / 2) + 1, "An inserted line\n");
    changed += count_new(text, longer, GetParam(), total);
  }
  EXPECT_LE(changed * 20, total) << "of " << total << " chunks " << changed << " changed";
  EXPECT_GE(changed, 2 * kRounds) << "the inserted line itself is in a chunk that is new";
}

INSTANTIATE_TEST_SUITE_P(Kinds, ChunkLocalityTest,
                         testing::Values(TextType{TextKind::markdown, ""}, TextType{TextKind::code, "cpp"},
                                         TextType{TextKind::code, "python"}, TextType{TextKind::code, "javascript"},
                                         TextType{TextKind::json, "json"}, TextType{TextKind::yaml, "yaml"},
                                         TextType{TextKind::toml, "toml"}, TextType{TextKind::html, "html"},
                                         TextType{TextKind::xml, "xml"}, TextType{TextKind::csv, "csv"},
                                         TextType{TextKind::plain, ""}),
                         [](const auto& type) {
                           return std::string(to_string(type.param.kind)) + std::string(type.param.language);
                         });

}  // namespace
}  // namespace loci
