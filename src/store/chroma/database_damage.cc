#include "store/chroma/database_damage.h"

namespace loci::chroma {

namespace {

constexpr std::size_t kMostTold = 5;

std::string quoted_name(const std::string& table) {
  std::string quoted = "\"";
  for (const char c : table) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

Status run_check(Connection& connection, const std::string& pragma, std::vector<std::string>& damage) {
  Statement check = TRY(connection.prepare(pragma));
  while (damage.size() < kMostTold && TRY(check.step())) {
    if (check.text(0) != "ok") damage.push_back(clean_text(check.text(0)));
  }
  return {};
}

// Table by table, since a check of all also compares the word index with its texts, which takes longer than the rest.
Status check_pages(Connection& connection, std::vector<std::string>& damage) {
  std::vector<std::string> tables;
  {
    Statement select = TRY(connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"));
    while (TRY(select.step())) tables.emplace_back(select.text(0));
  }
  for (const std::string& table : tables)
    TRY(run_check(connection, "PRAGMA quick_check(" + quoted_name(table) + ")", damage));
  return {};
}

}  // namespace

Result<std::vector<std::string>> find_damage(Connection& connection, DamageDepth depth) {
  std::vector<std::string> damage;
  const Status looked = depth == DamageDepth::tables ? run_check(connection, "PRAGMA integrity_check(5)", damage)
                                                     : check_pages(connection, damage);
  if (looked.ok()) return damage;
  // So bad that even looking fails.
  if (looked.error().kind != ErrorKind::corruption) return looked.error();
  if (damage.empty()) damage.push_back(looked.error().message);
  return damage;
}

}  // namespace loci::chroma
