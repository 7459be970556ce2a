#include "embed/word_piece_tokenizer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "embed/tiny_model.h"
#include "embed/tokenizer_file.h"

namespace loci {
namespace {

class WordPieceTokenizerTest : public testing::Test {
 protected:
  // Pieces by their text, so that expectations can be read.
  std::vector<TokenId> ids(const std::vector<std::string>& pieces) const {
    std::vector<TokenId> found;
    for (const std::string& piece : pieces) found.push_back(vocabulary_.find(piece).value());
    return found;
  }
  std::vector<TokenId> tokens(std::string_view text, std::size_t limit = 100) const {
    return tokenizer_.tokens(text, limit);
  }

  TokenizerFile file_ = parse_tokenizer_file(TinyModel::tokenizer_json(), "tiny").value();
  Vocabulary vocabulary_ =
      Vocabulary::view({reinterpret_cast<const std::uint8_t*>(file_.vocabulary.data()), file_.vocabulary.size()})
          .value();
  WordPieceTokenizer tokenizer_ =
      WordPieceTokenizer(parse_word_piece_settings(file_.settings, vocabulary_, "tiny").value(), vocabulary_);
};

TEST_F(WordPieceTokenizerTest, TakesTheLongestPieceAgainAndAgain) {
  EXPECT_EQ(tokens("The drawers"), ids({"the", "draw", "##er", "##s"}));
  EXPECT_EQ(tokens("undraw"), ids({"un", "##draw"}));
  EXPECT_EQ(tokens("abc"), ids({"a", "##b", "##c"}));
}

TEST_F(WordPieceTokenizerTest, AWordWithAnUnknownRestIsUnknownAsAWhole) {
  EXPECT_EQ(tokens("drawz room"), ids({"[UNK]", "room"}));
  EXPECT_EQ(tokens("\U0001F600\u65E5"), ids({"[UNK]", "\u65E5"}));
  EXPECT_EQ(tokens(std::string(101, 'a')), ids({"[UNK]"}));
}

TEST_F(WordPieceTokenizerTest, FindsAddedTokensInTheTextAsItStands) {
  EXPECT_EQ(tokens("a[MASK]b"), ids({"a", "[MASK]", "b"}));
  EXPECT_EQ(tokens("[[SEP]"), ids({"[UNK]", "[SEP]"}));
  EXPECT_EQ(tokens("[mask]"), ids({"[UNK]", "m", "##a", "##s", "##k", "[UNK]"}));
}

TEST_F(WordPieceTokenizerTest, StopsAtTheLimit) {
  EXPECT_EQ(tokens("a b c d", 2), ids({"a", "b"}));
  EXPECT_EQ(tokens("abcd", 2), ids({"a", "##b"}));
  EXPECT_EQ(tokens("a[MASK][MASK]", 2), ids({"a", "[MASK]"}));
  EXPECT_EQ(tokens("a", 0), std::vector<TokenId>{});
}

TEST_F(WordPieceTokenizerTest, SingleLettersAndUnknownWordsAreNotRead) {
  EXPECT_DOUBLE_EQ(tokenizer_.readable_share("The drawers"), 0.9) << "but not the last letter";
  EXPECT_DOUBLE_EQ(tokenizer_.readable_share("abc"), 0) << "spelled";
  EXPECT_DOUBLE_EQ(tokenizer_.readable_share("room abcd"), 0.5);
  EXPECT_DOUBLE_EQ(tokenizer_.readable_share("room drawz"), 4.0 / 9) << "unknown as a whole";
  EXPECT_DOUBLE_EQ(tokenizer_.readable_share("a, \u65E5."), 1) << "words of one character that it knows";
  EXPECT_DOUBLE_EQ(tokenizer_.readable_share("\u65E5\u672C"), 0.5) << "each Han character is a word";
  EXPECT_DOUBLE_EQ(tokenizer_.readable_share(std::string(101, 'a') + "room"), 0);
  EXPECT_DOUBLE_EQ(tokenizer_.readable_share(" \n"), 1) << "nothing that it could not read";
}

TEST_F(WordPieceTokenizerTest, PutsMarksAroundASequence) {
  EXPECT_EQ(tokenizer_.sequence("", 10), ids({"[CLS]", "[SEP]"}));
  EXPECT_EQ(tokenizer_.sequence("a b c d", 4), ids({"[CLS]", "a", "b", "[SEP]"}));
}

TEST(TokenizerFileTest, NamesWhatIsNotSupported) {
  const auto message = [](const std::string& json) { return parse_tokenizer_file(json, "t.json").error().message; };
  EXPECT_EQ(message("[]"), "t.json: it is not a JSON object; fetch the model again");
  EXPECT_EQ(message(R"({"model":{"type":"BPE"}})"),
            "t.json: the tokenizer model BPE is not supported; the tokenizer must be a BERT WordPiece one");
  EXPECT_EQ(message(R"({"normalizer":{"type":"NFC"}})"),
            "t.json: the normalizer NFC is not supported; the tokenizer must be a BERT WordPiece one");
}

TEST(TokenizerFileTest, RefusesAVocabularyThatIsNone) {
  const std::string head = R"({"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},)";
  for (const char* model :
       {R"("model":{}})", R"("model":3})", R"("model":{"vocab":[]}})", R"("model":{"vocab":{"a":-1}}})"}) {
    const Result<TokenizerFile> file = parse_tokenizer_file(head + model, "t.json");
    ASSERT_FALSE(file.ok()) << model;
    EXPECT_EQ(file.error().kind, ErrorKind::corruption);
  }
}

TEST(VocabularyTest, FindsEveryPieceAndNothingElse) {
  std::vector<std::pair<std::string, TokenId>> pieces;
  for (TokenId id = 0; id < 1000; ++id) pieces.emplace_back("piece" + std::to_string(id), id);
  const std::string block = Vocabulary::build(pieces);
  const Vocabulary vocabulary =
      Vocabulary::view({reinterpret_cast<const std::uint8_t*>(block.data()), block.size()}).value();
  for (const auto& [piece, id] : pieces) EXPECT_EQ(vocabulary.find(piece), id);
  EXPECT_EQ(vocabulary.find("piece1000"), std::nullopt);
  EXPECT_EQ(vocabulary.find(""), std::nullopt);
  EXPECT_EQ(vocabulary.largest_id(), 999);
}

TEST(VocabularyTest, RefusesABlockThatDoesNotFit) {
  const std::string block = Vocabulary::build(std::vector<std::pair<std::string, TokenId>>{{"a", 0}, {"b", 1}});
  for (std::size_t size = 0; size < block.size(); ++size) {
    const std::vector<std::uint8_t> cut(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(Vocabulary::view(cut).ok()) << size;
  }
}

}  // namespace
}  // namespace loci
