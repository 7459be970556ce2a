#include <cstdio>

int main() {
  std::puts("loci " LOCI_VERSION);
  return 0;
}
