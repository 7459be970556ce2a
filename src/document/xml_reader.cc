#include "document/xml_reader.h"

#include <array>
#include <new>

#include <expat.h>

namespace loci {
namespace {

constexpr int kDeepest = 1'000;

// Those that e-books use; a text without the others is still readable.
struct Entity {
  std::string_view name;
  std::string_view text;
};
constexpr std::array kEntities = {
    Entity{"nbsp", "\u00A0"}, Entity{"ndash", "–"},  Entity{"mdash", "—"},  Entity{"hellip", "…"}, Entity{"lsquo", "‘"},
    Entity{"rsquo", "’"},     Entity{"ldquo", "“"},  Entity{"rdquo", "”"},  Entity{"laquo", "«"},  Entity{"raquo", "»"},
    Entity{"copy", "©"},      Entity{"reg", "®"},    Entity{"trade", "™"},  Entity{"deg", "°"},    Entity{"bull", "•"},
    Entity{"middot", "·"},    Entity{"sect", "§"},   Entity{"para", "¶"},   Entity{"euro", "€"},   Entity{"pound", "£"},
    Entity{"auml", "ä"},      Entity{"ouml", "ö"},   Entity{"uuml", "ü"},   Entity{"Auml", "Ä"},   Entity{"Ouml", "Ö"},
    Entity{"Uuml", "Ü"},      Entity{"szlig", "ß"},  Entity{"eacute", "é"}, Entity{"egrave", "è"}, Entity{"ecirc", "ê"},
    Entity{"agrave", "à"},    Entity{"aacute", "á"}, Entity{"ccedil", "ç"}, Entity{"ntilde", "ñ"}, Entity{"times", "×"},
    Entity{"shy", "\u00AD"},  Entity{"larr", "←"},   Entity{"rarr", "→"},   Entity{"frac12", "½"}, Entity{"oelig", "œ"},
};

}  // namespace

std::string_view XmlElement::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes) {
    if (key == wanted) return value;
  }
  return {};
}

struct XmlReader::State {
  explicit State(XmlHandler& to) : handler(to), parser(XML_ParserCreate(nullptr)) {
    if (parser == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, on_begin, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetSkippedEntityHandler(parser, on_entity);
    XML_UseForeignDTD(parser, XML_TRUE);  // names that no DTD declares are handed over instead of being an error
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { XML_ParserFree(parser); }

  static void on_begin(void* self, const XML_Char* name, const XML_Char** attributes) {
    auto& state = *static_cast<State*>(self);
    if (++state.depth > kDeepest) {
      state.is_too_deep = true;
      XML_StopParser(state.parser, XML_FALSE);
      return;
    }
    XmlElement element{.name = name, .attributes = {}};
    for (; *attributes != nullptr; attributes += 2) element.attributes.emplace_back(attributes[0], attributes[1]);
    state.handler.begin(element);
  }
  static void on_end(void* self, const XML_Char* name) {
    auto& state = *static_cast<State*>(self);
    --state.depth;
    state.handler.end(name);
  }
  static void on_text(void* self, const XML_Char* text, int size) {
    static_cast<State*>(self)->handler.text({text, static_cast<std::size_t>(size)});
  }
  static void on_entity(void* self, const XML_Char* name, int is_parameter) {
    if (is_parameter != 0) return;
    for (const Entity& entity : kEntities) {
      if (entity.name == name) static_cast<State*>(self)->handler.text(entity.text);
    }
  }

  Status parse(std::string_view piece, bool is_last) {
    if (XML_Parse(parser, piece.data(), static_cast<int>(piece.size()), is_last ? 1 : 0) == XML_STATUS_OK) return {};
    if (is_too_deep) return Error{ErrorKind::invalid_argument, "its elements are nested too deep"};
    return Error{ErrorKind::corruption, "its XML is wrong in line " + std::to_string(XML_GetCurrentLineNumber(parser)) +
                                            ": " + XML_ErrorString(XML_GetErrorCode(parser))};
  }

  XmlHandler& handler;
  XML_Parser parser;
  int depth = 0;
  bool is_too_deep = false;
};

XmlReader::XmlReader(XmlHandler& handler) : state_(std::make_unique<State>(handler)) {}
XmlReader::~XmlReader() = default;

Status XmlReader::feed(std::string_view piece) { return state_->parse(piece, false); }
Status XmlReader::finish() { return state_->parse({}, true); }

}  // namespace loci
