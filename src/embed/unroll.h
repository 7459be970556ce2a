// Tells the compiler to write a short loop of constant length out: what it indexes can then stay in registers.
#pragma once

#if defined(__clang__)
#define LOCI_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LOCI_UNROLL _Pragma("GCC unroll 16")
#endif
