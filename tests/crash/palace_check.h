// Is a palace whole, and does it hold what it must?
#pragma once

#include <string>
#include <vector>

#include "loci/backend.h"
#include "tests/crash/workload.h"

namespace loci::crash {

// Everything that is wrong between the tables, the word index and the database file itself, and everything that `verify
// --deep` finds: it compares the word index with the texts, word by word. Empty when all is well.
std::vector<std::string> inconsistencies(const PalaceRef& palace);

// The same without verify, for a palace whose format this program does not know.
std::vector<std::string> inconsistent_tables(const PalaceRef& palace);

// What the palace holds: the records that the workers wrote by themselves, and how often each shared text is there.
struct Held {
  State state;
  std::map<std::string, int> shared;
};
Result<Held> read_palace(const PalaceRef& palace);

// The part of a state that one worker wrote.
State part_of(const State& state, int worker);

}  // namespace loci::crash
