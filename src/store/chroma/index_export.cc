#include "store/chroma/index_export.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "store/chroma/catalog.h"
#include "store/chroma/json.h"
#include "store/sqlite/cancellation.h"

namespace loci::chroma {

Result<std::size_t> export_vectors(const SegmentFolder& index, const std::filesystem::path& file,
                                   const std::function<bool(const std::string* id)>& is_wanted,
                                   const IsCancelled& is_cancelled) {
  std::unordered_map<std::size_t, std::string> ids;
  index.visit_labelled([&](const std::string& id, std::size_t slot) { ids.try_emplace(slot, id); });
  std::unordered_set<std::uint64_t> labels;
  for (const auto& [id, label] : index.labels().labels) labels.insert(label);
  std::ofstream out;
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < index.slots(); ++slot) {
    TRY(sqlite::check_wanted(is_cancelled));
    const auto named = ids.find(slot);
    const std::string* const id = named == ids.end() ? nullptr : &named->second;
    if (id == nullptr && (index.is_deleted(slot) || labels.contains(index.label(slot)))) continue;
    if (!is_wanted(id)) continue;
    const std::optional<Embedding> vector = index.vector(slot);
    if (!vector) continue;
    if (count++ == 0) out.open(file, std::ios::binary);
    Json line = {{"label", index.label(slot)}, {"slot", slot}, {"vector", *vector}};
    if (id != nullptr) line["id"] = clean_text(*id);
    out << line.dump() << '\n';
    if (slot % SegmentFolder::kLetGoSlots == 0) index.let_go();
  }
  if (count > 0) out.close();
  if (!out) return Error{ErrorKind::io, "cannot write " + file.string()};
  return count;
}

}  // namespace loci::chroma
