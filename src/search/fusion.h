// One ranking out of several signs: what the words say and what the vectors say about the same records, how near they
// are to the days of the question, whether they are in a wing or room that it names, and whether they have a term that
// hardly any other has.
//
// Both sides speak in absolute terms: the similarity of two texts, and the share of the question that a record has word
// for word (loci::WordHit). Their weighted sum therefore follows whichever side found something: a question whose rare
// words are there is decided by words, one that shares only common words with the answer by meaning. Scaling each side
// to its own best hit first, as is often done, makes noise look like evidence; docs/decisions/fusion.md has the
// numbers.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "search/weights.h"

namespace loci {

// From a distance to a similarity that is 1 for equal directions; `l2` as for unit vectors.
double similarity_of(DistanceMetric metric, double distance);

// How much similarities count beside words, by the share of the question that the embedder can read: it reads as little
// of the drawers that have the question's words, and a similarity is as good as both readings are.
double trust_in_meaning(double readable_share);

// What each sign adds to the score.
struct ScoreParts {
  double meaning = 0;
  double words = 0;
  double date = 0;
  double speaker = 0;
  double place = 0;
  double exact = 0;

  double sum() const { return meaning + words + date + speaker + place + exact; }
};

struct Candidate {
  std::string id;
  std::optional<double> similarity = {};  // absent: it has no vector, or none was asked for
  double trust = 1;                       // how much the similarity counts, from 0 to 1 (trust_in_meaning)
  bool is_near = false;                   // found by its vector, and not by words alone
  double words = 0;                       // 0: none of the words, or not among the best by words
  double date = 0;                        // nearness to the days of the question, from 0 to 1
  bool is_told = false;                   // by somebody whom the question names
  double place = 0;                       // how much it is in the places that the question names, from 0 to 1
  std::vector<std::string> exact = {};    // exact terms of the question that it and few others have
  std::string source = {};                // filled in where it is needed; empty: it has none
  double source_words = 0;                // the share of the question that its source has (source_words.h)
  std::optional<double> pooled = {};      // the score of its source, where sources are ranked

  ScoreParts parts() const {
    return {.meaning = trust * similarity.value_or(0),
            .words = kWordsWeight * std::pow(words, kWordsPower),
            .date = kDateWeight * date,
            .speaker = is_told ? kSpeakerWeight : 0,
            .place = kPlaceWeight * place,
            .exact = kExactWeight * static_cast<double>(exact.size())};
  }
  // What the words add to the cosine.
  double words_part() const { return parts().words; }
  // By words and meaning alone.
  double likeness() const {
    const ScoreParts all = parts();
    return all.meaning + all.words;
  }
  double own_score() const { return parts().sum(); }
  // What counts besides words and meaning.
  double boosts() const {
    const ScoreParts all = parts();
    return all.date + all.speaker + all.place + all.exact;
  }
  double score() const { return pooled.value_or(own_score()); }
};

// The candidates, best first; equal scores by id, so that the same question gives the same answer twice.
std::vector<Candidate> ranked_by_score(std::vector<Candidate> candidates);

}  // namespace loci
