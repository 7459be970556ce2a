// Cuts text into the words of the word index. Documents and queries go through the same rules, so that what was written
// is found by what is typed. docs/decisions/tokenizer.md says why each rule is as it is.
//
//   running, runs  → run: English words by their stem
//   Grüße, CAFÉ    → gruss, cafe
//   parseHttpHeader, parse_http_header, parse-http-header
//                  → parse http header, and at the position of the first part all of it joined: parsehttpheader
//   src/net/http.cc, v1.2.3, user@example.com, std::vector → likewise; between digits the sign stays: v1.2.3
//   C++, C#        → c, and at the same position c++, c#
//   東京都         → 東京, 京都, and at the position of 京都 the last character alone, 都; so every character begins
//                    a word of the index, and one character alone can be asked for as a beginning
//   Thai, Lao, Khmer, Burmese → pairs of clusters in the same way
//   👩‍💻             → 👩 💻
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/function_ref.h"

namespace loci {

// Grows with every change of the words that some text yields; an index of another version is built again.
inline constexpr int kTokenizerVersion = 1;

// Longer words are cut at a character boundary, in documents and in queries alike.
inline constexpr std::size_t kMaxTokenBytes = 128;

enum class TokenKind {
  word,            // a word, or a part of an identifier
  joined,          // an identifier, or a word of it that has parts, written as one word
  pair,            // two neighbouring characters of a script without spaces
  last_character,  // the last character of such a run, or its only one
  emoji,
};

struct Token {
  std::string_view text;  // folded; valid during the call only; never empty; has no space and no control character
  std::size_t start;      // the bytes of the input that it stands for
  std::size_t end;
  bool colocated;  // at the same position as the token before it (FTS5_TOKEN_COLOCATED)
  TokenKind kind;
  bool continues;  // its position belongs to the same identifier, run of characters or emoji as the one before
};

enum class TokenizeFor { document, query };

// Before the text of a query it says: these are words as the index has them, separated by single spaces; take them as
// they are. It is how an expression names one form of a word and not the others. In documents it is a separator.
inline constexpr char kIndexWordsMark = '\x1F';

// Holds buffers and a stemmer: one instance per thread or connection. Has no other state; equal input gives equal
// tokens.
class Tokenizer {
 public:
  Tokenizer();
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // Calls `emit` for each token in the order of their positions. Stops at, and returns, its first result that is not 0.
  // Any bytes will do: what is not UTF-8 separates words.
  // Queries differ from documents in two things: text that begins with kIndexWordsMark is taken as it is, and the last
  // character of a run of two or more is not given, since in the document the run may go on.
  int tokenize(std::string_view text, TokenizeFor purpose, FunctionRef<int(const Token&)> emit);

 private:
  class Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace loci
