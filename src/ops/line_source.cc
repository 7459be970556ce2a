#include "ops/line_source.h"

namespace loci {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

Status LineSource::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t filled = buffer_.size();
  buffer_.resize(filled + kReadBytes);
  input_.read(buffer_.data() + filled, static_cast<std::streamsize>(kReadBytes));
  const auto count = static_cast<std::size_t>(input_.gcount());
  buffer_.resize(filled + count);
  bytes_ += count;
  if (input_.bad()) return Error{ErrorKind::io, "cannot read the input"};
  if (input_.eof() || count == 0) at_end_ = true;
  return ok_status();
}

Result<std::optional<SourceLine>> LineSource::next_of_any_length() {
  bool is_too_long = false;
  std::size_t searched = begin_;  // no line end stands between begin_ and this
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    const bool has_end = end != std::string::npos;
    if (has_end || (at_end_ && (begin_ < buffer_.size() || is_too_long))) {
      const std::size_t length = (has_end ? end : buffer_.size()) - begin_;
      is_too_long = is_too_long || length > longest_line_bytes_;
      const std::string_view text = is_too_long ? std::string_view() : std::string_view(buffer_).substr(begin_, length);
      begin_ += length + (has_end ? 1 : 0);
      return std::optional(SourceLine{.number = ++number_, .text = text, .is_too_long = is_too_long});
    }
    if (at_end_) return std::optional<SourceLine>();
    // The rest of a line that is too long is read and forgotten, so that memory stays bounded.
    if (is_too_long || buffer_.size() - begin_ > longest_line_bytes_) {
      is_too_long = true;
      begin_ = buffer_.size();
    }
    searched = buffer_.size() - begin_;  // where it will stand after fill() has moved the rest to the front
    TRY(fill());
  }
}

Result<std::optional<SourceLine>> LineSource::next() {
  while (true) {
    std::optional<SourceLine> line = TRY(next_of_any_length());
    if (!line || line->is_too_long) return line;
    if (line->number == 1 && line->text.starts_with(kByteOrderMark)) line->text.remove_prefix(kByteOrderMark.size());
    if (!is_blank(line->text)) return line;
  }
}

}  // namespace loci
