// XML, read as it comes: what begins, what ends, and the text in between.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loci/result.h"

namespace loci {

// One element's name and attributes, as they are written: "text:p".
struct XmlElement {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;

  // Empty when there is no such attribute.
  std::string_view attribute(std::string_view name) const;
};

class XmlHandler {
 public:
  virtual ~XmlHandler() = default;

  virtual void begin(const XmlElement& element) = 0;
  virtual void end(std::string_view name) = 0;
  virtual void text(std::string_view text) = 0;
};

// Entities that HTML names are known; no other file is ever read.
class XmlReader {
 public:
  // The handler outlives the reader.
  explicit XmlReader(XmlHandler& handler);
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;
  ~XmlReader();

  // Errors: corruption, with the line; invalid_argument for elements nested too deep.
  Status feed(std::string_view piece);
  Status finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loci
