// Functions that the processor has no instruction for. Included once per target.
#if defined(LOCI_EMBED_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCI_EMBED_VECTOR_MATH_INL_H_
#undef LOCI_EMBED_VECTOR_MATH_INL_H_
#else
#define LOCI_EMBED_VECTOR_MATH_INL_H_
#endif

#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace loci::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// e^x for x <= 0; a relative error below 1e-6, and 0 or nearly so below -87.
template <typename Tag, typename Vector = hn::Vec<Tag>>
HWY_ATTR inline Vector exp_of_negative(Tag tag, Vector x) {
  x = hn::Max(x, hn::Set(tag, -87.0F));
  // x = n ln 2 + rest with |rest| <= ln 2 / 2; ln 2 in two parts keeps the rest exact.
  const Vector n = hn::Round(hn::Mul(x, hn::Set(tag, 1.44269504F)));
  Vector rest = hn::NegMulAdd(n, hn::Set(tag, 0.693359375F), x);
  rest = hn::NegMulAdd(n, hn::Set(tag, -2.12194440e-4F), rest);
  // The first terms of the series.
  Vector sum = hn::Set(tag, 1.0F / 720);
  sum = hn::MulAdd(sum, rest, hn::Set(tag, 1.0F / 120));
  sum = hn::MulAdd(sum, rest, hn::Set(tag, 1.0F / 24));
  sum = hn::MulAdd(sum, rest, hn::Set(tag, 1.0F / 6));
  sum = hn::MulAdd(sum, rest, hn::Set(tag, 0.5F));
  sum = hn::MulAdd(sum, rest, hn::Set(tag, 1.0F));
  sum = hn::MulAdd(sum, rest, hn::Set(tag, 1.0F));
  // 2^n: n is added to the exponent.
  const hn::RebindToSigned<Tag> integer_tag;
  const auto exponent = hn::ShiftLeft<23>(hn::ConvertTo(integer_tag, n));
  return hn::BitCast(tag, hn::Add(hn::BitCast(integer_tag, sum), exponent));
}

// The Gaussian error linear unit. The error function is Abramowitz and Stegun's formula 7.1.26, which is off by 1.5e-7
// at most.
template <typename Tag, typename Vector = hn::Vec<Tag>>
HWY_ATTR inline Vector gelu(Tag tag, Vector x) {
  const Vector one = hn::Set(tag, 1.0F);
  const Vector z = hn::Mul(hn::Abs(x), hn::Set(tag, 0.70710678F));
  const Vector t = hn::Div(one, hn::MulAdd(hn::Set(tag, 0.3275911F), z, one));
  Vector sum = hn::Set(tag, 1.061405429F);
  sum = hn::MulAdd(sum, t, hn::Set(tag, -1.453152027F));
  sum = hn::MulAdd(sum, t, hn::Set(tag, 1.421413741F));
  sum = hn::MulAdd(sum, t, hn::Set(tag, -0.284496736F));
  sum = hn::MulAdd(sum, t, hn::Set(tag, 0.254829592F));
  const Vector erfc = hn::Mul(hn::Mul(sum, t), exp_of_negative(tag, hn::Neg(hn::Mul(z, z))));
  // max(x, 0) - |x| erfc(z) / 2 is the same for both signs.
  return hn::NegMulAdd(hn::Mul(hn::Abs(x), hn::Set(tag, 0.5F)), erfc, hn::Max(x, hn::Zero(tag)));
}

}  // namespace loci::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
