// The yardstick for how fast a C++ program can start.
#include <iostream>

int main() {
  std::cout << "hello, world\n";
  return 0;
}
