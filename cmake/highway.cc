// The functions of Highway that choosing a kernel at run time needs. Debian ships them in a shared library only, which
// measures the processor's clock when it is loaded: some 4 ms, more than the program otherwise takes to start.
#include <atomic>

#include <hwy/targets.h>
#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace hwy {
namespace {

std::atomic<int64_t> only_for_test{0};

#if HWY_ARCH_X86
// What clang 14 does not know by name.
bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & (1U << 29)) != 0;
}
bool has_vaes() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx & (1U << 9)) != 0;
}

int64_t supported_now() {
  int64_t targets = 0;
  if (__builtin_cpu_supports("ssse3")) targets |= HWY_SSSE3;
  if (__builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
      __builtin_cpu_supports("aes"))
    targets |= HWY_SSE4;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2") && has_f16c())
    targets |= HWY_AVX2;
  if ((targets & HWY_AVX2) != 0 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
    targets |= HWY_AVX3;
  if ((targets & HWY_AVX3) != 0 && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("vpclmulqdq") &&
      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") && has_vaes() &&
      __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg"))
    targets |= HWY_AVX3_DL;
  return targets;
}
#elif HWY_ARCH_ARM
int64_t supported_now() { return HWY_NEON; }
#else
int64_t supported_now() { return 0; }
#endif

}  // namespace

int64_t SupportedTargets() {
  static const int64_t kTargets = supported_now();
  const int64_t only = only_for_test.load();
  return only != 0 ? only : kTargets | HWY_STATIC_TARGET;
}

void SetSupportedTargetsForTest(int64_t targets) {
  only_for_test.store(targets);
  GetChosenTarget().DeInit();
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
