// The constants of the ranking, in one place. docs/decisions/fusion.md has the evidence for each.
#pragma once

#include <cstddef>

namespace loci {

// Each side hands over more than is asked for: what is tenth by words may be first in all. A source has many drawers.
inline constexpr std::size_t kFewestCandidates = 100;
inline constexpr std::size_t kCandidatesPerHit = 5;
inline constexpr std::size_t kCandidatesPerSource = 20;
inline constexpr std::size_t kMostCandidates = 1'000;

// Where nothing but the words ranks, only copies of one text can take places away.
inline constexpr std::size_t kCandidatesPerHitByWords = 2;

// What a full match by words adds, in units of the cosine; and by which power a smaller share of the question counts: a
// few common words are worth little, most of the rare ones a lot.
inline constexpr double kWordsWeight = 3.0;
inline constexpr double kWordsPower = 1.6;

// What the right day adds, and how many days after and before it are still worth a third of it: a thing is mostly
// spoken of on its day or in the days that follow.
inline constexpr double kDateWeight = 0.6;
inline constexpr double kDaysAfter = 10;
inline constexpr double kDaysBefore = 3;

// What is said by somebody whom the question names counts for so much more.
inline constexpr double kSpeakerWeight = 0.4;

// So many of the drawers that the words find best tell who speaks in the palace, and which wings and rooms it has.
inline constexpr std::size_t kTellingDrawers = 20;

// What stands in the wing and the room that the question names counts for so much more; half of it for one of both.
inline constexpr double kPlaceWeight = 1;

// An exact term is decisive when at most so many drawers have it: it adds more than all else together can.
inline constexpr std::size_t kFewDrawers = 3;
inline constexpr double kExactWeight = 4;

// A source counts so much by its best drawer, and the rest by what its drawers have together: there, how close to the
// best drawer another one must be to count is the temperature of a soft maximum, in units of the cosine.
inline constexpr double kBestDrawerWeight = 0.7;
inline constexpr double kPoolingTemperature = 0.05;

// What the words of a whole source add, and BM25's k1 and b for them: a long text repeats a word more often than a
// drawer before that says nothing new.
inline constexpr double kSourceWordsWeight = 1;
inline constexpr double kSourceSaturation = 3;
inline constexpr double kSourceLengthWeight = 0.75;

}  // namespace loci
