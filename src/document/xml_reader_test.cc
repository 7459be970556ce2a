#include "document/xml_reader.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

class Recorder final : public XmlHandler {
 public:
  void begin(const XmlElement& element) override {
    events += "<" + std::string(element.name);
    for (const auto& [key, value] : element.attributes) events += " " + std::string(key) + "=" + std::string(value);
    events += ">";
  }
  void end(std::string_view name) override { events += "</" + std::string(name) + ">"; }
  void text(std::string_view text) override { events += text; }

  std::string events;
};

Result<std::string> events_of(std::string_view xml) {
  Recorder recorder;
  XmlReader reader(recorder);
  for (const char c : xml) TRY(reader.feed({&c, 1}));
  TRY(reader.finish());
  return recorder.events;
}

TEST(XmlReaderTest, SaysWhatBeginsAndEnds) {
  EXPECT_EQ(events_of("<a x='1'>one<b/>&amp;</a>").value(), "<a x=1>one<b></b>&</a>");
}

TEST(XmlReaderTest, KnowsTheEntitiesOfHtml) {
  EXPECT_EQ(events_of("<p>a&nbsp;b&mdash;c&unknown;d</p>").value(), "<p>a\u00A0b—cd</p>");
}

TEST(XmlReaderTest, NamesTheLineOfAnError) {
  const Result<std::string> events = events_of("<a>\n<b>\n</a>");
  ASSERT_FALSE(events.ok());
  EXPECT_EQ(events.error().kind, ErrorKind::corruption);
  EXPECT_NE(events.error().message.find("line 3"), std::string::npos) << events.error().message;
}

TEST(XmlReaderTest, RefusesWhatIsNestedTooDeep) {
  std::string xml;
  for (int i = 0; i < 100'000; ++i) xml += "<a>";
  EXPECT_EQ(events_of(xml).error().kind, ErrorKind::invalid_argument);
}

TEST(XmlReaderTest, ReadsNoOtherFilesAndExpandsNoBombs) {
  EXPECT_EQ(events_of("<!DOCTYPE a [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><a>&f;</a>").value(), "<a></a>");
  std::string bomb = "<!DOCTYPE a [<!ENTITY e0 'xxxxxxxxxx'>";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "&e" + std::to_string(i - 1) + ";";
    bomb += "<!ENTITY e" + std::to_string(i) + " '";
    for (int j = 0; j < 10; ++j) bomb += before;
    bomb += "'>";
  }
  EXPECT_FALSE(events_of(bomb + "]><a>&e11;</a>").ok());
}

}  // namespace
}  // namespace loci
