// Markdown: sections, then blocks, then list items and what is inside them; fences and tables whole where they can be.
//
// cmark-gfm says where blocks begin. Only its first pass is used, which finds blocks; the second, which reads the text
// inside them, takes ten times as long and says nothing about lines. To that first pass a table is a paragraph: none
// has a blank line in it. So the extension for tables, which makes a node of every cell, is not needed.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cmark-gfm.h>
#include <cmark-gfm/parser.h>

#include "text/lines.h"
#include "text/outline.h"

namespace loci {
namespace {

constexpr std::size_t kRule = 3;     // headings are 0 to 3 by their level
constexpr std::size_t kBlock = 4;    // a paragraph, or anything else, after any block
constexpr std::size_t kShown = 5;    // a list, fence or quote that the paragraph above it speaks of
constexpr std::size_t kItem = 6;     // an item of a list
constexpr std::size_t kNested = 7;   // blocks in items and quotes
constexpr std::size_t kDeep = 8;     // blocks in those
constexpr std::size_t kBody = 9;     // what a heading, or a paragraph that ends with a colon, belongs to
constexpr std::size_t kInside = 10;  // lines of fences, tables and HTML: the first of the inner ranks

// cmark's buffers end at 1 GB, and it aborts there.
constexpr std::size_t kMostBytes = std::size_t{1} << 29;

// The text is read in pieces of so many bytes, so that of the blocks in it, each of which takes some 200 bytes, only
// those of one piece and those that go on are there at a time.
constexpr std::size_t kPieceBytes = std::size_t{32} << 10;
constexpr std::size_t kMarksKept = 128;                   // at each end of the marks that a line begins with
constexpr std::size_t kLineKept = std::size_t{32} << 10;  // at each end of what follows them

struct ParserDeleter {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};

// Byte positions of lines as cmark counts them: after LF, CR LF, or CR alone. Asked for in order.
class LinePositions {
 public:
  explicit LinePositions(std::string_view text, std::size_t start) : text_(text), at_(start) {}

  std::size_t start_of(int line) {
    for (; line_ < line && at_ < text_.size(); ++line_) {
      at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      if (at_ == text_.size()) break;
      at_ += text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n' ? 2 : 1;
    }
    return at_;
  }

 private:
  std::string_view text_;
  std::size_t at_;
  int line_ = 1;
};

std::size_t end_of_piece(std::string_view text, std::size_t start) {
  if (text.size() - start <= kPieceBytes) return text.size();
  const std::size_t line_end = text.find('\n', start + kPieceBytes);
  return line_end == std::string_view::npos ? text.size() : line_end + 1;
}

// Where front matter ends, between two lines `---` or `+++` at the very top; 0 without.
std::size_t front_matter_end(std::string_view text) {
  LineReader lines(text);
  if (!lines.next()) return 0;
  const auto without_end = [](std::string_view line) {
    while (!line.empty() && is_blank_character(line.back())) line.remove_suffix(1);
    return line;
  };
  const std::string_view fence = without_end(lines.line());
  if (fence != "---" && fence != "+++") return 0;
  constexpr std::size_t kMostLines = 1000;
  for (std::size_t count = 0; count < kMostLines && lines.next(); ++count) {
    const std::string_view line = without_end(lines.line());
    if (line == fence || (fence == "---" && line == "...")) return lines.end();
  }
  return 0;
}

// The second line of a table has dashes between bars, and nothing else.
bool is_table(std::string_view block) {
  const std::size_t second = block.find('\n') + 1;  // 0 without
  const std::string_view line = block.substr(second, block.find('\n', second) - second);
  return second > 0 && line.find('-') != std::string_view::npos && line.find('|') != std::string_view::npos &&
         line.find_first_not_of("|-: \t\r") == std::string_view::npos;
}

bool ends_with_colon(std::string_view block) {
  const std::size_t last = block.find_last_not_of(" \t\r\n*_");
  return last != std::string_view::npos && block[last] == ':';
}

bool holds_blocks(cmark_node* node) {
  const cmark_node_type type = cmark_node_get_type(node);
  return type == CMARK_NODE_LIST || type == CMARK_NODE_ITEM || type == CMARK_NODE_BLOCK_QUOTE;
}

// The first and the last bytes of a part of a line.
void feed_ends(cmark_parser* parser, std::string_view part, std::size_t kept) {
  if (part.size() <= 2 * kept) {
    cmark_parser_feed(parser, part.data(), part.size());
  } else {
    cmark_parser_feed(parser, part.data(), kept);
    cmark_parser_feed(parser, part.data() + part.size() - kept, kept);
  }
}

// What a line is shows at its ends. Each mark of a quote or list may open a block in the one before, so that a line of
// marks would take a hundred times its size; and of a line that is very long cmark would keep two copies.
void feed_long_line(cmark_parser* parser, std::string_view line) {
  const std::size_t marks = std::min(line.find_first_not_of("> \t-+*.)0123456789"), line.size());
  feed_ends(parser, line.substr(0, marks), kMarksKept);
  feed_ends(parser, line.substr(marks), kLineKept);
}

void feed(cmark_parser* parser, std::string_view piece) {
  LineReader lines(piece, 0, '\n');
  std::size_t fed = 0;
  while (lines.next()) {
    if (lines.line().size() <= 2 * kMarksKept) continue;
    cmark_parser_feed(parser, piece.data() + fed, lines.start() - fed);
    feed_long_line(parser, lines.line());
    fed = lines.end();
  }
  cmark_parser_feed(parser, piece.data() + fed, piece.size() - fed);
}

// Visits the blocks in the order of the text, and frees those that it is done with.
class MarkdownOutliner {
 public:
  MarkdownOutliner(std::string_view text, std::size_t start, Outline& outline)
      : text_(text), lines_(text, start), outline_(outline) {}

  // Blocks that end before the lines that were read last: nothing changes them any more. Of a block that goes on, what
  // it is can still change, unless it holds other blocks.
  void visit_closed(cmark_node* document) {
    cmark_node* parent = document;
    for (std::size_t depth = 0;; ++depth) {
      cmark_node* node = cmark_node_first_child(parent);
      while (node != nullptr && cmark_node_next(node) != nullptr) {
        cmark_node* closed = std::exchange(node, cmark_node_next(node));
        visit(closed, depth);
        cmark_node_free(closed);
      }
      if (node == nullptr || !holds_blocks(node)) return;
      if (!has_begun(node, depth)) begin(node, depth);
      if (depth == open_.size()) open_.push_back(node);
      parent = node;
    }
  }

  // All that is left when the text has ended.
  void visit_rest(cmark_node* document) {
    visit_closed(document);
    if (cmark_node* last = cmark_node_first_child(document); last != nullptr) visit(last, 0);
    finish_leaf(text_.size());
  }

 private:
  bool has_begun(cmark_node* node, std::size_t depth) const { return depth < open_.size() && open_[depth] == node; }

  // A block and those in it.
  void visit(cmark_node* top, std::size_t top_depth) {
    std::size_t depth = top_depth;
    for (cmark_node* node = top; node != nullptr;) {
      if (!has_begun(node, depth)) begin(node, depth);
      if (cmark_node* child = cmark_node_first_child(node); child != nullptr) {
        node = child;
        ++depth;
        continue;
      }
      for (; node != top && cmark_node_next(node) == nullptr; --depth) node = cmark_node_parent(node);
      node = node == top ? nullptr : cmark_node_next(node);
    }
    open_.resize(std::min(open_.size(), top_depth));
  }

  void begin(cmark_node* node, std::size_t depth) {
    const std::size_t start = lines_.start_of(cmark_node_get_start_line(node));
    finish_leaf(start);
    outline_.add(start, rank_of(node, depth, start));
    leaf_ = cmark_node_get_type(node);
    leaf_start_ = start;
    if (depth == 0) before_ = leaf_;
  }

  std::size_t rank_of(cmark_node* node, std::size_t depth, std::size_t start) const {
    const cmark_node_type type = cmark_node_get_type(node);
    if (depth > 0) return type == CMARK_NODE_ITEM && depth == 1 ? kItem : std::min(kNested + depth - 1, kDeep);
    if (type == CMARK_NODE_HEADING)
      return static_cast<std::size_t>(std::min(cmark_node_get_heading_level(node), 4) - 1);
    if (before_ == CMARK_NODE_HEADING) return kBody;
    if (type == CMARK_NODE_THEMATIC_BREAK) return kRule;
    if (before_ == CMARK_NODE_PARAGRAPH && ends_with_colon(text_.substr(leaf_start_, start - leaf_start_)))
      return kBody;
    return before_ == CMARK_NODE_PARAGRAPH && type != CMARK_NODE_PARAGRAPH ? kShown : kBlock;
  }

  // Adds what is inside the last block without blocks in it, now that its end is known.
  void finish_leaf(std::size_t end) {
    if (leaf_ == CMARK_NODE_NONE || end <= leaf_start_) return;
    const std::string_view block = text_.substr(leaf_start_, end - leaf_start_);
    switch (leaf_) {
      case CMARK_NODE_CODE_BLOCK: finish_code(block); break;
      case CMARK_NODE_HTML_BLOCK: outline_.add_lines(text_, leaf_start_, end, kInside); break;
      case CMARK_NODE_PARAGRAPH:
        if (is_table(block)) outline_.add_lines(text_, leaf_start_, end, kInside);
        break;
      default: break;
    }
    leaf_ = CMARK_NODE_NONE;
  }

  // A long fence is cut as a file of its language is.
  void finish_code(std::string_view block) {
    constexpr std::size_t kLong = 256;
    if (block.size() < kLong) return outline_.add_lines(text_, leaf_start_, leaf_start_ + block.size(), kInside);
    const std::size_t body = block.find('\n') + 1;
    const std::string_view opening = block.substr(0, body);
    const std::size_t name = opening.find_first_not_of("`~ \t");
    const std::string_view language =
        name == std::string_view::npos ? "" : opening.substr(name, opening.find_first_of(" \t\r\n{,", name) - name);
    outline_.add_part(outline_code(block.substr(body), language), leaf_start_ + body, kInside);
  }

  std::string_view text_;
  LinePositions lines_;
  Outline& outline_;
  std::vector<cmark_node*> open_;             // by depth: blocks that have begun, go on, and hold others
  cmark_node_type before_ = CMARK_NODE_NONE;  // of the outermost blocks the last that began
  cmark_node_type leaf_ = CMARK_NODE_NONE;    // of all blocks the last that began, as long as its end is not known
  std::size_t leaf_start_ = 0;
};

}  // namespace

Outline outline_markdown(std::string_view text) {
  Outline outline({.eager_ranks = kRule + 1, .inner_ranks = kInside, .filling = Filling::prose});
  if (text.size() > kMostBytes) return outline;
  const std::size_t start = front_matter_end(text);
  if (start > 0) {
    outline.add_lines(text, 0, start, kInside);
    if (start < text.size()) outline.add(start, kBlock);
  }
  const std::unique_ptr<cmark_parser, ParserDeleter> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
  MarkdownOutliner outliner(text, start, outline);
  for (std::size_t at = start; at < text.size();) {
    const std::size_t end = end_of_piece(text, at);
    feed(parser.get(), text.substr(at, end - at));
    outliner.visit_closed(parser->root);
    at = end;
  }
  cmark_parser_feed(parser.get(), "\n", 1);  // a last line without an end would wait for one
  outliner.visit_rest(parser->root);
  return outline;
}

}  // namespace loci
