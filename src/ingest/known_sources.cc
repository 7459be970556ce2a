#include "ingest/known_sources.h"

#include "ingest/conversation.h"

namespace loci {

bool is_below(std::string_view path, std::string_view folder) {
  if (path.size() <= folder.size() || !path.starts_with(folder)) return false;
  return folder.ends_with('/') || path[folder.size()] == '/';
}

Result<std::vector<SourceInfo>> known_sources(const Collection& drawers, const std::string& path) {
  std::vector<SourceInfo> sources = TRY(drawers.sources(path));
  std::erase_if(sources,
                [&](const SourceInfo& one) { return file_of_source(one.name) != path && !is_below(one.name, path); });
  return sources;
}

}  // namespace loci
