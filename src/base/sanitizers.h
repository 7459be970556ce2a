// Whether a sanitizer stands between the program and its memory: then neither its size nor its failures mean anything.
#pragma once

namespace loci {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kHasSanitizedMemory = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kHasSanitizedMemory = true;
#else
inline constexpr bool kHasSanitizedMemory = false;
#endif
#else
inline constexpr bool kHasSanitizedMemory = false;
#endif

}  // namespace loci
