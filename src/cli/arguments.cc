#include "cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "api/suggestion.h"
#include "base/utf8.h"
#include "cli/commands.h"

namespace loci {
namespace {

Error usage(std::string message) { return {ErrorKind::invalid_argument, std::move(message)}; }

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// `what` is how the user knows the field: "--limit" or "ID".
Result<Json> parse_value(const Field& field, std::string_view text, const std::string& what) {
  if (!is_valid_utf8(text)) return usage(what + " is not valid UTF-8; convert it first, such as with iconv");
  switch (field.type) {
    case FieldType::integer: {
      const auto number = parse_number<std::int64_t>(text);
      if (!number) return usage(what + " must be a whole number, not " + std::string(text));
      return Json(*number);
    }
    case FieldType::number: {
      const auto number = parse_number<double>(text);
      if (!number) return usage(what + " must be a number, not " + std::string(text));
      return Json(*number);
    }
    case FieldType::boolean:
      if (text == "true") return Json(true);
      if (text == "false") return Json(false);
      return usage(what + " is a switch; it takes no value");
    case FieldType::object: return parse_json(text, what);
    case FieldType::text:
    case FieldType::text_list:
    case FieldType::path: return Json(std::string(text));
  }
  return Json();
}

struct OptionWord {
  std::string_view name;                  // without the dashes
  std::optional<std::string_view> value;  // after "="
};
// Nothing for a word that is no option. A text such as "--no-verify is bad" has a space where no option has one.
std::optional<OptionWord> as_option(std::string_view word) {
  if (word == "-h") return OptionWord{"help", std::nullopt};
  if (!word.starts_with("--") || word.size() == 2) return std::nullopt;
  word.remove_prefix(2);
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (name.empty() || name.find_first_of(" \t\n\r") != std::string_view::npos) return std::nullopt;
  if (equals == std::string_view::npos) return OptionWord{name, std::nullopt};
  return OptionWord{name, word.substr(equals + 1)};
}

bool looks_like_short_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.find_first_of(" \t\n\r") == std::string_view::npos;
}

// Reads one command line. The words are taken from left to right; the first that is no option names the command.
class Reader {
 public:
  explicit Reader(std::span<const std::string> words) : words_(words) {}

  Result<CommandLine> read() {
    while (at_ < words_.size()) TRY(read_word());
    TRY(apply_globals());
    if (line_.command != nullptr && !line_.globals.help && !line_.globals.version) TRY(check_complete());
    return std::move(line_);
  }

 private:
  Status read_word() {
    const std::string_view word = words_[at_++];
    if (only_positionals_) return take_positional(word);
    if (word == "--") {
      only_positionals_ = true;
      return ok_status();
    }
    if (const std::optional<OptionWord> option = as_option(word)) return take_option(*option);
    if (looks_like_short_option(word)) {
      return usage("there is no option " + std::string(word) + "; put -- before a text that begins with a dash");
    }
    return take_positional(word);
  }

  Status take_positional(std::string_view word) {
    if (line_.command == nullptr) return take_command(word);
    const Field* field = next_positional();
    if (field == nullptr) {
      return usage(with_dashes(line_.command->name) + " takes no further argument, but there is \"" +
                   std::string(word) + "\"; put a text with spaces in quotes");
    }
    if (word == "-" && field->on_command_line == OnCommandLine::positional_or_file) return take_text_from(*field, "-");
    Json value = TRY(parse_value(*field, word, placeholder(*field)));
    if (field->type == FieldType::text_list) {
      line_.fields[std::string(field->name)].push_back(std::move(value));
    } else {
      line_.fields[std::string(field->name)] = std::move(value);
    }
    return ok_status();
  }

  Status take_command(std::string_view word) {
    line_.command = find_command(word);
    if (line_.command != nullptr) return ok_status();
    std::vector<std::string> names;
    for (const Operation* command : commands()) names.push_back(with_dashes(command->name));
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::string suggestion = did_you_mean(word, views);
    if (suggestion.empty()) suggestion = "; loci help lists the commands";
    return usage("there is no command " + std::string(word) + suggestion);
  }

  // The first positional field that can still take a value.
  const Field* next_positional() const {
    for (const Field& field : line_.command->fields) {
      if (!is_positional(field)) continue;
      const bool is_taken =
          line_.fields.contains(field.name) || (line_.text_from && line_.text_from->field == field.name);
      if (!is_taken || field.type == FieldType::text_list) return &field;
    }
    return nullptr;
  }

  Status take_option(const OptionWord& word) {
    const Field* global = find_in(global_options(), word.name);
    const Field* own = line_.command != nullptr ? find_own(word.name) : nullptr;
    const Field* field = own != nullptr ? own : global;
    if (field == nullptr) return unknown_option(word.name);

    const std::string name = "--" + std::string(word.name);
    std::string_view text = "true";
    if (word.value) {
      text = *word.value;
    } else if (field->type != FieldType::boolean) {
      text = TRY(next_value(name));
    }
    if (field == &kFileOption) return take_text_from(*field_from_file(*line_.command), text);
    if (text == "-" && field->on_command_line == OnCommandLine::option_or_file) return take_text_from(*field, text);
    const Json value = TRY(parse_value(*field, text, name));
    if (global != nullptr) TRY(put(globals_, *global, value, name));
    if (own != nullptr) TRY(put(line_.fields, *own, value, name));
    return ok_status();
  }

  static Status put(Json& fields, const Field& field, const Json& value, const std::string& name) {
    if (field.type == FieldType::text_list) {
      fields[std::string(field.name)].push_back(value);
      return ok_status();
    }
    if (fields.contains(field.name) && fields[std::string(field.name)] != value) return usage(name + " is given twice");
    fields[std::string(field.name)] = value;
    return ok_status();
  }

  Status take_text_from(const Field& field, std::string_view path) {
    if (line_.text_from || line_.fields.contains(field.name)) {
      return usage(placeholder(field) + " is given twice; give a text, - or --file, but only one of them");
    }
    line_.text_from = TextSource{.field = field.name, .path = std::string(path)};
    return ok_status();
  }

  Result<std::string_view> next_value(const std::string& name) {
    if (at_ == words_.size()) return usage(name + " needs a value");
    const std::string_view word = words_[at_];
    const std::optional<OptionWord> option = as_option(word);
    if (option && (find_in(global_options(), option->name) != nullptr || find_own(option->name) != nullptr)) {
      return usage(name + " needs a value, but " + std::string(word) + " follows; write " + name +
                   "=VALUE if that is it");
    }
    ++at_;
    return word;
  }

  static const Field* find_in(std::span<const Field> fields, std::string_view name) {
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
      return !is_positional(field) && with_dashes(field.name) == name;
    });
    return found == fields.end() ? nullptr : &*found;
  }

  const Field* find_own(std::string_view name) const {
    if (line_.command == nullptr) return nullptr;
    if (name == kFileOption.name && field_from_file(*line_.command) != nullptr) return &kFileOption;
    return find_in(line_.command->fields, name);
  }

  Error unknown_option(std::string_view name) const {
    std::vector<std::string> names;
    const auto add = [&](std::span<const Field> fields) {
      for (const Field& field : fields) {
        if (!is_positional(field)) names.push_back(option_name(field));
      }
    };
    add(global_options());
    if (line_.command == nullptr) {
      const std::vector<std::string_view> views(names.begin(), names.end());
      return usage("there is no option --" + std::string(name) + " before the command" +
                   did_you_mean("--" + std::string(name), views));
    }
    add(line_.command->fields);
    if (field_from_file(*line_.command) != nullptr) names.push_back(option_name(kFileOption));
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::string suggestion = did_you_mean("--" + std::string(name), views);
    if (suggestion.empty()) suggestion = "; see loci " + with_dashes(line_.command->name) + " --help";
    return usage(with_dashes(line_.command->name) + " has no option --" + std::string(name) + suggestion);
  }

  Status apply_globals() {
    GlobalOptions& globals = line_.globals;
    const auto text = [&](std::string_view name) -> std::optional<std::string> {
      const auto found = globals_.find(name);
      return found == globals_.end() ? std::nullopt : std::optional(found->get<std::string>());
    };
    const auto flag = [&](std::string_view name) {
      const auto found = globals_.find(name);
      return found != globals_.end() && found->get<bool>();
    };
    globals.settings = {.palace = text("palace"),
                        .backend = text("backend"),
                        .collection = text("collection"),
                        .palace_namespace = text("namespace"),
                        .embedder = text("embedder"),
                        .embedder_url = text("embedder_url")};
    if (flag("no_embed")) globals.settings.embed = to_string(EmbedWhen::later);
    globals.configuration_file = text("config");
    globals.json = flag("json");
    globals.read_only = flag("read_only");
    globals.force_model_swap = flag("force_model_swap");
    globals.help = flag("help");
    globals.version = flag("version");
    for (const auto& [name, value] : globals_.items()) {
      if (value.is_string() && value.get_ref<const std::string&>().empty()) {
        return usage("--" + with_dashes(name) + " is empty; give a value, or leave it out");
      }
    }
    return ok_status();
  }

  Status check_complete() const {
    for (const Field& field : line_.command->fields) {
      const bool is_there =
          line_.fields.contains(field.name) || (line_.text_from && line_.text_from->field == field.name);
      if (!field.is_required || is_there) continue;
      const std::string name = with_dashes(line_.command->name);
      const std::string what =
          is_positional(field) ? placeholder(field) : option_name(field) + " " + placeholder(field);
      return usage(name + " needs " + what + ": " + std::string(field.help) + "; see loci " + name + " --help");
    }
    return ok_status();
  }

  std::span<const std::string> words_;
  std::size_t at_ = 0;
  bool only_positionals_ = false;
  Json globals_ = Json::object();
  CommandLine line_;
};

}  // namespace

Result<CommandLine> parse_arguments(std::span<const std::string> arguments) { return Reader(arguments).read(); }

bool asks_for_json(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--json" || argument == "--json=true") return true;
  }
  return false;
}

}  // namespace loci
