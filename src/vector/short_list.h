// The nearest few of many, as they come by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace loci {

// Keeps the `size` least values and everything equal to the last of them, so that a cut never falls between equals. For
// one thread.
class ShortList {
 public:
  struct Item {
    float value;
    std::uint32_t slot;
  };

  explicit ShortList(std::size_t size) : size_(size), room_(2 * size + 64) { items_.reserve(room_); }

  // What is above it need not be offered.
  float threshold() const { return threshold_; }

  void offer(float value, std::uint32_t slot) {
    if (!(value <= threshold_)) return;  // also what is not a number
    items_.push_back({value, slot});
    if (items_.size() >= room_) cut();
  }

  // In no particular order.
  std::vector<Item> take() && {
    cut();
    return std::move(items_);
  }

 private:
  void cut() {
    if (items_.size() <= size_) return;
    const auto less = [](const Item& a, const Item& b) { return a.value < b.value; };
    std::nth_element(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(size_ - 1), items_.end(), less);
    threshold_ = items_[size_ - 1].value;
    std::erase_if(items_, [&](const Item& item) { return item.value > threshold_; });
    room_ = std::max(room_, 2 * items_.size());  // many equals: grow rather than cut at every offer
  }

  std::size_t size_;
  std::size_t room_;
  float threshold_ = std::numeric_limits<float>::infinity();
  std::vector<Item> items_;
};

}  // namespace loci
