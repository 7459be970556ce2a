// A project on the disk and a palace beside it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "ingest/mine.h"
#include "ingest/sync.h"
#include "loci/backend.h"

namespace loci::mining {

class MiningTest : public testing::Test {
 protected:
  void SetUp() override;

  std::filesystem::path project() const { return folder_.path() / "project"; }
  std::string path_of(std::string_view name) const { return (project() / name).string(); }
  void write(std::string_view name, std::string_view content) const;

  Collection& drawers() { return *drawers_; }
  // What mining says; a failure of the test when it fails.
  MineReport mine_project(MineRequest request = {});
  SyncReport sync(SyncRequest request);

  // The drawers of a file, put together by their place in it.
  std::string text_of(std::string_view name) const;
  // By id: the texts of all drawers.
  std::map<std::string, std::string> all() const;
  std::vector<Record> of_source(std::string_view name) const;

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_;
  std::shared_ptr<Collection> drawers_;
};

// A text of so many paragraphs, each of them different.
std::string paragraphs(int count, std::string_view topic);

}  // namespace loci::mining
