// E-books: META-INF/container.xml names the package file, whose spine lists the chapters, which are XHTML, in the order
// of reading.
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/readers.h"
#include "document/zipped_xml.h"

namespace loci {
namespace {

std::string_view local_name(std::string_view name) { return name.substr(name.rfind(':') + 1); }

class ContainerHandler final : public XmlHandler {
 public:
  void begin(const XmlElement& element) override {
    if (package.empty() && local_name(element.name) == "rootfile") package = element.attribute("full-path");
  }
  void end(std::string_view) override {}
  void text(std::string_view) override {}

  std::string package;
};

class PackageHandler final : public XmlHandler {
 public:
  void begin(const XmlElement& element) override {
    const std::string_view name = local_name(element.name);
    if (name == "item" && is_chapter(element.attribute("media-type")))
      files_.emplace(element.attribute("id"), element.attribute("href"));
    if (name == "itemref") spine_.emplace_back(element.attribute("idref"));
  }
  void end(std::string_view) override {}
  void text(std::string_view) override {}

  std::vector<std::string> chapters() const {
    std::vector<std::string> found;
    for (const std::string& id : spine_) {
      if (const auto file = files_.find(id); file != files_.end()) found.push_back(file->second);
    }
    return found;
  }

 private:
  // A page may also be a picture.
  static bool is_chapter(std::string_view type) { return type.empty() || type == "application/xhtml+xml"; }

  std::map<std::string, std::string, std::less<>> files_;
  std::vector<std::string> spine_;
};

// White space counts as one space, as a browser shows it, but for preformatted text.
class ChapterHandler final : public XmlHandler {
 public:
  explicit ChapterHandler(Prose& prose) : prose_(prose) {}

  void begin(const XmlElement& element) override {
    const std::string_view name = local_name(element.name);
    if (is_hidden(name)) ++hidden_;
    if (name == "pre") ++preformatted_;
    if (is_block(name)) prose_.end_paragraph();
    if (name == "br" || name == "li" || name == "tr") prose_.end_line();
    if (name == "td" || name == "th") prose_.end_cell();
  }
  void end(std::string_view full_name) override {
    const std::string_view name = local_name(full_name);
    if (is_hidden(name)) --hidden_;
    if (name == "pre") --preformatted_;
    if (is_block(name)) prose_.end_paragraph();
    if (name == "li" || name == "tr") prose_.end_line();
  }
  void text(std::string_view text) override {
    if (hidden_ > 0) return;
    if (preformatted_ > 0) return prose_.add(text);
    std::string words;
    for (const char c : text) {
      const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
      const bool follows_space = words.empty() ? ended_with_space_ || prose_.is_after_break() : words.back() == ' ';
      if (!is_space || !follows_space) words += is_space ? ' ' : c;
    }
    if (words.empty()) return;
    ended_with_space_ = words.back() == ' ';
    prose_.add(words);
  }

 private:
  static bool is_hidden(std::string_view name) { return name == "head" || name == "script" || name == "style"; }
  static bool is_block(std::string_view name) {
    return std::find(kBlocks.begin(), kBlocks.end(), name) != kBlocks.end() ||
           (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6');
  }
  static constexpr std::array<std::string_view, 19> kBlocks = {
      "p",          "div",        "section", "article", "aside", "header", "footer", "nav",   "main", "figure",
      "figcaption", "blockquote", "pre",     "ul",      "ol",    "dl",     "dt",     "table", "hr"};

  Prose& prose_;
  int hidden_ = 0;
  int preformatted_ = 0;
  bool ended_with_space_ = false;
};

std::string without_percent_signs(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    unsigned char byte = 0;
    const bool is_escape = name.size() >= 3 && name[0] == '%' &&
                           std::from_chars(name.data() + 1, name.data() + 3, byte, 16).ptr == name.data() + 3;
    plain += is_escape ? static_cast<char>(byte) : name[0];
    name.remove_prefix(is_escape ? 3 : 1);
  }
  return plain;
}

// The name in the archive of a file that the package file names: an address relative to its folder.
std::string beside(const std::string& package, std::string_view address) {
  const std::filesystem::path folder = std::filesystem::path(package).parent_path();
  return (folder / without_percent_signs(address.substr(0, address.find('#')))).lexically_normal().string();
}

}  // namespace

Result<std::string> read_epub(std::string_view bytes, const DocumentLimits& limits) {
  ZipArchive archive = TRY(ZipArchive::open(bytes, limits.unpacked_bytes));
  ContainerHandler container;
  TRY(read_xml(archive, "META-INF/container.xml", container));
  PackageHandler package;
  TRY(read_xml(archive, container.package, package));
  Prose prose(limits.text_bytes);
  for (const std::string& chapter : package.chapters()) {
    ChapterHandler handler(prose);
    TRY(read_xml(archive, beside(container.package, chapter), handler));
    prose.end_paragraph();
  }
  return finished(std::move(prose));
}

}  // namespace loci
