// Shapes and their areas.
#include "shapes.h"

#include <cmath>

namespace geometry {
namespace {

constexpr double kPi = 3.14159;
constexpr char kBrace = '{';  // a brace that opens nothing

// A raw string with what looks like code in it.
constexpr const char* kHelp = R"help(
usage: area {circle|square} "size"

void not_a_function() {
)help";

}  // namespace

/* The area of a circle.
 *
 * Negative radii have none.
 */
double area(const Circle& circle) {
  if (circle.radius < 0) {
    return 0;
  }
#ifdef EXACT
  if (is_exact(circle)) {
#else
  if (is_rough(circle)) {
#endif
    return kPi * circle.radius * circle.radius;
  }
  return 1'000'000;
}

template <typename Shape>
double sum_of_areas(const std::vector<Shape>& shapes) {
  double sum = 0;
  for (const Shape& shape : shapes) sum += area(shape);
  return sum;
}

class Square : public Shape {
 public:
  // How long each side is.
  explicit Square(double side)
      : side_(side),
        name_("square") {}

  double area() const override { return side_ * side_; }

  // Grows in both directions at once.
  void grow(double factor) {
    side_ *= factor;
    notify("grown by " + std::to_string(factor));
  }

 private:
  double side_;
  std::string name_;
};

}  // namespace geometry
