#include "store/chroma/database_damage.h"

namespace loci::chroma {

Result<std::vector<std::string>> find_damage(Connection& connection, DamageDepth depth) {
  std::vector<std::string> damage;
  const auto look = [&]() -> Status {
    Statement check =
        TRY(connection.prepare(depth == DamageDepth::tables ? "PRAGMA integrity_check(5)" : "PRAGMA quick_check(5)"));
    while (TRY(check.step())) {
      if (check.text(0) != "ok") damage.push_back(clean_text(check.text(0)));
    }
    return {};
  };
  const Status looked = look();
  if (looked.ok()) return damage;
  // So bad that even looking fails.
  if (looked.error().kind != ErrorKind::corruption) return looked.error();
  if (damage.empty()) damage.push_back(looked.error().message);
  return damage;
}

}  // namespace loci::chroma
