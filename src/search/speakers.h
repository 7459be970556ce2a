// Questions about somebody who speaks in the palace. Who is asked about in the third person told it in the first: the
// answer to "Where did Nina learn to sail?" was said as "I learnt it in Kiel". A question put as she would put it is
// nearer to her words, and her name, which is in every drawer of the conversation, no longer hides what is asked.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loci/record.h"

namespace loci {

// The names under which a drawer's speakers are asked about: as they are written there, and the first name alone. Those
// who have no name but their role ("assistant") have none here.
std::vector<std::string> speaker_names(const Metadata& metadata);

// The names that the question has, of those who speak in the drawers (those that its words find best); each once,
// longer ones first.
std::vector<std::string> named_speakers(std::span<const Record> drawers, std::string_view question);

// The question as those who are named would ask it: "Nina's" becomes "my", "Nina" becomes "I".
std::string in_first_person(std::string_view question, std::span<const std::string> names);

}  // namespace loci
