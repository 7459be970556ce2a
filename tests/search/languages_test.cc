// Words are found in any script: typed as people type them, in texts as people write them.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "search/hybrid_search.h"
#include "store/embedded/embedded_backend.h"

namespace loci {
namespace {

struct Language {
  std::string name;
  std::string text;
  std::vector<std::string> questions;  // each finds the text, and finds it first
};

const std::vector<Language>& languages() {
  static const std::vector<Language> kLanguages = {
      {"Chinese",
       "我们决定在下个季度把数据库迁移到新的服务器，因为旧的太慢。",
       {"数据库迁移", "服务器", "为什么迁移数据库"}},
      {"Japanese", "会議では、来週までに検索機能を直すことになりました。", {"検索機能", "来週の会議", "直す"}},
      {"Korean", "우리는 검색 기능을 다음 주까지 고치기로 했습니다.", {"검색 기능", "다음 주까지"}},
      {"Thai", "เราตัดสินใจย้ายฐานข้อมูลไปยังเซิร์ฟเวอร์ใหม่", {"ฐานข้อมูล", "เซิร์ฟเวอร์"}},
      {"Russian", "Мы решили перенести базу данных на новый сервер.", {"базу данных", "СЕРВЕР", "перенести"}},
      {"Greek", "Αποφασίσαμε να μεταφέρουμε τη βάση δεδομένων.", {"βάση δεδομένων", "ΒΑΣΗ"}},
      {"Arabic", "قررنا نقل قاعدة البيانات إلى خادم جديد.", {"قاعدة البيانات", "خادم"}},
      {"Arabic with vowel marks", "كَتَبَ المُهَنْدِسُ الوَثِيقَةَ", {"المهندس", "كتب الوثيقة"}},
      {"Hebrew", "החלטנו להעביר את מסד הנתונים לשרת חדש", {"מסד הנתונים", "לשרת"}},
      {"Hindi", "हमने डेटाबेस को नए सर्वर पर ले जाने का निर्णय लिया।", {"डेटाबेस", "सर्वर निर्णय"}},
      {"Vietnamese", "Chúng tôi quyết định chuyển cơ sở dữ liệu.", {"cơ sở dữ liệu", "quyet dinh"}},
      {"French", "Le résumé de la réunion à Besançon est prêt.", {"resume", "BESANCON", "réunion"}},
      {"German", "Die Größe der Straße überrascht niemanden.", {"grosse", "STRASSE", "überrascht", "uberrascht"}},
      {"Turkish", "İstanbul'daki toplantı ertelendi.", {"istanbul", "toplantı"}},
  };
  return kLanguages;
}

class LanguagesTest : public testing::Test {
 protected:
  void SetUp() override {
    drawers_ =
        *backend_->collection(PalaceRef::at(folder_.path() / "palace"), "drawers", {.if_missing = IfMissing::create});
    for (const Language& language : languages())
      ASSERT_TRUE(drawers_->add(std::vector{Record{.id = language.name, .document = language.text}}).ok());
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = make_embedded_backend();
  std::shared_ptr<Collection> drawers_;
};

TEST_F(LanguagesTest, WordsAreFoundInAnyScript) {
  for (const Language& language : languages()) {
    for (const std::string& question : language.questions) {
      const Result<SearchAnswer> answer = hybrid_search(*drawers_, nullptr, {.query = question});
      ASSERT_TRUE(answer.ok()) << language.name << ": " << question << ": " << answer.error().message;
      ASSERT_FALSE(answer->hits.empty()) << language.name << ": " << question;
      EXPECT_EQ(answer->hits.front().record.id, language.name) << question;
      EXPECT_FALSE(answer->hits.front().highlights.empty()) << language.name << ": " << question;
    }
  }
}

TEST_F(LanguagesTest, WhatMatchedIsMarkedAtTheBoundariesOfCharacters) {
  const Result<SearchAnswer> answer = hybrid_search(*drawers_, nullptr, {.query = "Besancon"});
  ASSERT_TRUE(answer.ok());
  const SearchHit& hit = answer->hits.front();
  ASSERT_EQ(hit.highlights.size(), 1U);
  const Highlight mark = hit.highlights.front();
  EXPECT_EQ(hit.record.document.substr(mark.start, mark.end - mark.start), "Besançon");
}

}  // namespace
}  // namespace loci
