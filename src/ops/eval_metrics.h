// How good a ranking is: the counts that publications use, computed from rows so that anyone can check them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace loci {

// One question: what was found, best first, and what should have been found.
struct EvalRow {
  std::string conversation;                  // the part of the set that it belongs to; may be empty
  std::string question;                      // its id, or its index in that part
  std::string category = {};                 // empty: the set has none
  std::vector<std::string> ranked = {};      // items, each once
  std::vector<double> scores = {};           // of `ranked`
  std::vector<std::string> gold = {};        // items
  std::map<std::string, double> gains = {};  // of gold items, where some count more than others; absent: 1
  bool is_answerable = true;                 // false: nothing in the set answers it, whatever its gold says
};

// Of one row, or the mean of several; each from 0 to 1. A row without gold counts 1 in all of them.
struct EvalMetrics {
  double recall_at_1 = 0;
  double fractional_recall_at_5 = 0;
  double fractional_recall_at_10 = 0;
  double recall_at_100 = 0;
  double any_hit_at_5 = 0;
  double any_hit_at_10 = 0;
  double all_hit_at_5 = 0;
  double all_hit_at_10 = 0;
  double mrr = 0;
  double ndcg_at_10 = 0;
};
EvalMetrics metrics_of(const EvalRow& row);

// The metrics that rankings of so many items can tell, by their names, in the order in which they are shown.
std::vector<std::pair<std::string, double>> named(const EvalMetrics& metrics, std::size_t depth);

struct EvalSummary {
  std::size_t questions = 0;
  std::size_t without_gold = 0;
  EvalMetrics mean = {};
  EvalMetrics low = {};  // of the interval that holds 95 of 100 means of samples drawn with replacement
  EvalMetrics high = {};
  EvalMetrics mean_with_gold = {};  // over the questions that have gold
};
// The same rows give the same intervals: the seed is fixed.
EvalSummary summarize(const std::vector<EvalRow>& rows);
EvalSummary summarize_answerable(const std::vector<EvalRow>& rows);
std::map<std::string, EvalSummary> summarize_by_category(const std::vector<EvalRow>& rows);

}  // namespace loci
