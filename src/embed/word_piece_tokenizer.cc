#include "embed/word_piece_tokenizer.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace loci {
namespace {

// Of valid UTF-8.
std::size_t count_characters(std::string_view text) {
  const auto begins_one = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_one));
}

}  // namespace

WordPieceTokenizer::WordPieceTokenizer(WordPieceSettings settings, Vocabulary vocabulary)
    : settings_(std::move(settings)), vocabulary_(vocabulary) {
  // The longest comes first, so that the first that fits is the right one.
  std::ranges::stable_sort(settings_.added_tokens, [](const AddedToken& left, const AddedToken& right) {
    return left.content.size() > right.content.size();
  });
  for (const AddedToken& token : settings_.added_tokens) {
    if (first_bytes_.find(token.content.front()) == std::string::npos) first_bytes_ += token.content.front();
  }
}

std::vector<TokenId> WordPieceTokenizer::tokens(std::string_view text, std::size_t limit) const {
  std::vector<TokenId> out;
  std::size_t at = 0;
  while (at < text.size() && out.size() < limit) {
    const Match match = next_added_token(text, at);
    append_words(text.substr(at, match.begin - at), limit, out);
    if (match.token == nullptr) break;
    out.push_back(match.token->id);
    at = match.begin + match.token->content.size();
  }
  if (out.size() > limit) out.resize(limit);
  return out;
}

std::vector<TokenId> WordPieceTokenizer::sequence(std::string_view text, std::size_t limit) const {
  std::vector<TokenId> out = tokens(text, limit - 2);
  out.insert(out.begin(), settings_.begin);
  out.push_back(settings_.end);
  return out;
}

WordPieceTokenizer::Match WordPieceTokenizer::next_added_token(std::string_view text, std::size_t from) const {
  const auto next_candidate = [&](std::size_t at) {
    // All of them begin with "[" as a rule, and a search for one byte is many times faster.
    return first_bytes_.size() == 1 ? text.find(first_bytes_.front(), at) : text.find_first_of(first_bytes_, at);
  };
  for (std::size_t at = next_candidate(from); at != std::string_view::npos; at = next_candidate(at + 1)) {
    for (const AddedToken& token : settings_.added_tokens) {
      if (text.substr(at).starts_with(token.content)) return {at, &token};
    }
  }
  return {text.size(), nullptr};
}

void WordPieceTokenizer::append_words(std::string_view text, std::size_t limit, std::vector<TokenId>& out) const {
  std::string buffer;
  BertWords words(text, settings_.rules);
  while (out.size() < limit && words.next()) {
    if (words.is_too_long()) {
      out.push_back(settings_.unknown);
    } else {
      append_pieces(words.word(), buffer, out);
    }
  }
}

void WordPieceTokenizer::append_pieces(std::string_view word, std::string& buffer, std::vector<TokenId>& out) const {
  const std::size_t begin_size = out.size();
  if (cut_into_pieces(word, buffer, [&out](TokenId id, std::string_view) { out.push_back(id); })) return;
  out.resize(begin_size);
  out.push_back(settings_.unknown);
}

// The longest piece that the rest of the word begins with, again and again; false for a word with a rest that begins
// with none, which is unknown as a whole. The buffer holds the prefix and the rest.
template <typename Take>
bool WordPieceTokenizer::cut_into_pieces(std::string_view word, std::string& buffer, const Take& take) const {
  const std::string& prefix = settings_.continuation_prefix;
  buffer.assign(prefix).append(word);
  std::size_t rest = prefix.size();
  while (rest < buffer.size()) {
    // A piece inside the word is looked up with the prefix before it, which is written over what is already done.
    std::size_t begin = rest;
    if (rest > prefix.size()) {
      begin = rest - prefix.size();
      buffer.replace(begin, prefix.size(), prefix);
    }
    std::size_t end = std::min(buffer.size(), begin + vocabulary_.longest_piece_bytes());
    end = floor_char_boundary(buffer, end);
    std::optional<TokenId> id;
    while (end > rest && !(id = vocabulary_.find(std::string_view(buffer).substr(begin, end - begin)))) {
      end = floor_char_boundary(buffer, end - 1);
    }
    if (!id) return false;
    take(*id, std::string_view(buffer).substr(rest, end - rest));
    rest = end;
  }
  return true;
}

double WordPieceTokenizer::readable_share(std::string_view text) const {
  std::size_t all = 0;
  std::size_t read = 0;
  std::string buffer;
  BertWords words(text, settings_.rules);
  while (words.next()) {
    const std::size_t size = count_characters(words.word());
    std::size_t in_pieces = 0;
    const bool is_known = !words.is_too_long() && cut_into_pieces(words.word(), buffer, [&](TokenId, auto piece) {
      const std::size_t piece_size = count_characters(piece);
      if (piece_size > 1 || piece_size == size) in_pieces += piece_size;
    });
    all += size;
    if (is_known) read += in_pieces;
  }
  return all == 0 ? 1 : static_cast<double>(read) / static_cast<double>(all);
}

}  // namespace loci
