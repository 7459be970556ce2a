// What a search is made of, by name: which side ranks, what is ranked, and the stages that can be left out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace loci {

enum class SearchMode { words, vectors, hybrid };

enum class SearchUnit {
  drawers,
  sources,  // each source once, by its best drawer; many good drawers count for more than one
};

enum class SearchStage {
  clean_query,   // the question at the end of a pasted text, instead of all of it
  dates,         // nearness to the days that the question names
  exact,         // identifiers and quoted phrases that hardly any drawer has come first
  speakers,      // a question about somebody who speaks in the palace is asked in the first person
  places,        // what is in the wing or room that the question names counts for more
  pooling,       // a source counts by all of its good drawers, instead of the best one
  source_words,  // and by the words of all of them together
};

inline constexpr std::array<std::string_view, 7> kSearchStages = {"clean_query", "dates",   "exact",       "speakers",
                                                                  "places",      "pooling", "source_words"};

std::optional<SearchStage> parse_search_stage(std::string_view name);

}  // namespace loci
