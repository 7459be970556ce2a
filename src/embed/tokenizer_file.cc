#include "embed/tokenizer_file.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace loci {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestTokenizerBytes = std::size_t{64} << 20;

Error damaged_tokenizer(const std::string& name, const std::string& reason) {
  return {ErrorKind::corruption, name + ": " + reason + "; fetch the model again"};
}

Error unsupported(const std::string& name, const std::string& what) {
  return {ErrorKind::unsupported, name + ": " + what + " is not supported; the tokenizer must be a BERT WordPiece one"};
}

// The member, or null where there is none or `json` is no object.
const Json& member(const Json& json, const char* key) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(key);
  return found == json.end() ? kNull : *found;
}

std::string text_or(const Json& json, std::string otherwise) {
  return json.is_string() ? json.get<std::string>() : std::move(otherwise);
}

bool bool_or(const Json& json, bool otherwise) { return json.is_boolean() ? json.get<bool>() : otherwise; }

std::optional<TokenId> token_id(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  const auto id = json.get<std::int64_t>();
  if (id < 0 || id > std::numeric_limits<TokenId>::max()) return std::nullopt;
  return static_cast<TokenId>(id);
}

BertTextRules text_rules(const Json& normalizer) {
  BertTextRules rules;
  rules.clean_text = bool_or(member(normalizer, "clean_text"), true);
  rules.space_around_han = bool_or(member(normalizer, "handle_chinese_chars"), true);
  rules.lowercase = bool_or(member(normalizer, "lowercase"), true);
  rules.strip_accents = bool_or(member(normalizer, "strip_accents"), rules.lowercase);
  return rules;
}

Result<std::vector<AddedToken>> added_tokens(const Json& list, const std::string& name) {
  std::vector<AddedToken> tokens;
  if (!list.is_array()) return tokens;
  for (const Json& entry : list) {
    const std::string content = text_or(member(entry, "content"), "");
    const std::optional<TokenId> id = token_id(member(entry, "id"));
    if (content.empty() || !id) return damaged_tokenizer(name, "an added token has no content or no id");
    if (bool_or(member(entry, "normalized"), false) || bool_or(member(entry, "single_word"), false)) {
      return unsupported(name, "the added token " + content + " (normalized or single_word)");
    }
    tokens.push_back({content, *id});
  }
  return tokens;
}

// The mark that the post-processor puts before or after a text, in either of its two ways to say so.
std::string mark(const Json& post_processor, const char* key, std::size_t template_index) {
  if (member(post_processor, "type") == "TemplateProcessing") {
    const Json& single = member(post_processor, "single");
    if (!single.is_array() || single.size() != 3) return {};
    return text_or(member(member(single[template_index], "SpecialToken"), "id"), "");
  }
  const Json& pair = member(post_processor, key);
  return pair.is_array() && !pair.empty() ? text_or(pair[0], "") : std::string();
}

Result<TokenId> id_of(const Vocabulary& vocabulary, const std::string& piece, const std::string& name) {
  const std::optional<TokenId> id = vocabulary.find(piece);
  if (!id) return damaged_tokenizer(name, "the vocabulary lacks the token \"" + piece + "\"");
  return *id;
}

Status check_kind(const Json& json, const std::string& name) {
  const Json& model = member(json, "model");
  const std::string model_type = text_or(member(model, "type"), "WordPiece");
  if (model_type != "WordPiece") return unsupported(name, "the tokenizer model " + model_type);
  if (const Json& most = member(model, "max_input_chars_per_word");
      most.is_number_integer() && most.get<std::int64_t>() != std::int64_t{BertWords::kMaxWordCharacters}) {
    return unsupported(name, "another max_input_chars_per_word than 100");
  }
  const std::string normalizer = text_or(member(member(json, "normalizer"), "type"), "none");
  if (normalizer != "BertNormalizer") return unsupported(name, "the normalizer " + normalizer);
  const std::string splitter = text_or(member(member(json, "pre_tokenizer"), "type"), "none");
  if (splitter != "BertPreTokenizer") return unsupported(name, "the pre_tokenizer " + splitter);
  return ok_status();
}

}  // namespace

Result<TokenizerFile> read_tokenizer_file(const std::filesystem::path& path) {
  return parse_tokenizer_file(TRY(read_file(path, kLargestTokenizerBytes)), path.string());
}

Result<TokenizerFile> parse_tokenizer_file(std::string_view json, const std::string& name) {
  Json parsed = Json::parse(json, nullptr, false);
  if (!parsed.is_object()) return damaged_tokenizer(name, "it is not a JSON object");
  TRY(check_kind(parsed, name));
  const auto model = parsed.find("model");
  const auto vocabulary = model == parsed.end() || !model->is_object() ? parsed.end() : model->find("vocab");
  if (model == parsed.end() || !model->is_object() || vocabulary == model->end() || !vocabulary->is_object()) {
    return damaged_tokenizer(name, "it has no vocabulary (model.vocab)");
  }
  std::vector<std::pair<std::string, TokenId>> pieces;
  for (const auto& [piece, id] : vocabulary->items()) {
    const std::optional<TokenId> number = token_id(id);
    if (!number) return damaged_tokenizer(name, "the id of the piece \"" + piece + "\" is no number of a token");
    pieces.emplace_back(piece, *number);
  }
  model->erase("vocab");
  return TokenizerFile{parsed.dump(), Vocabulary::build(pieces)};
}

Result<WordPieceSettings> parse_word_piece_settings(std::string_view settings, const Vocabulary& vocabulary,
                                                    const std::string& name) {
  const Json json = Json::parse(settings, nullptr, false);
  if (!json.is_object()) return damaged_tokenizer(name, "it is not a JSON object");
  TRY(check_kind(json, name));
  const Json& model = member(json, "model");
  const Json& post_processor = member(json, "post_processor");

  WordPieceSettings parsed;
  parsed.rules = text_rules(member(json, "normalizer"));
  parsed.continuation_prefix = text_or(member(model, "continuing_subword_prefix"), "##");
  parsed.added_tokens = TRY(added_tokens(member(json, "added_tokens"), name));
  parsed.unknown = TRY(id_of(vocabulary, text_or(member(model, "unk_token"), "[UNK]"), name));
  parsed.begin = TRY(id_of(vocabulary, mark(post_processor, "cls", 0), name));
  parsed.end = TRY(id_of(vocabulary, mark(post_processor, "sep", 2), name));
  return parsed;
}

}  // namespace loci
