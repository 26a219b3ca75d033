// SPDX-License-Identifier: Apache-2.0
// golden/reference/formats.h: the formats of elements and scales by name.
// Source: OCP Microscaling Formats (MX) v1.0, clauses 5.3 (elements) and 5.4 (E8M0); OCP 8-bit
// floating point (OFP8) v1.0 (E4M3, E5M2); ONNX, "Float stored in 8 bits" (FNUZ); IEEE 754-2019,
// clause 3.4 (binary16, binary32).
#pragma once
#include "golden/reference/number_format.h"

namespace golden::formats {

/// Elements. INT8 counts units of 2^-6: 0x80 is read as -2 and never written.
[[nodiscard]] const number_format& e2m1();
[[nodiscard]] const number_format& e2m3();
[[nodiscard]] const number_format& e3m2();
[[nodiscard]] const number_format& e4m3();
[[nodiscard]] const number_format& e5m2();
[[nodiscard]] const number_format& int8();
[[nodiscard]] const number_format& e4m3fnuz();
[[nodiscard]] const number_format& e5m2fnuz();

/// Scales. These have no sign; fp32 below is one too, of which rules choose magnitudes.
///   e8m(k)  2^(field - 127) (1 + fraction / 2^k) for each field below 255, 0 too; k in [0, 16]
///   ue4m3   the magnitudes of E4M3, seven bits of a byte; 127 is NaN
///   ue5m3   5 and 3 bits with bias 15; 255 is NaN
[[nodiscard]] const number_format& e8m(int k);
[[nodiscard]] const number_format& ue4m3();
[[nodiscard]] const number_format& ue5m3();

/// What tensors come in. TF32 has the exponents of FP32 and the fraction of FP16, in 19 bits.
[[nodiscard]] const number_format& fp16();
[[nodiscard]] const number_format& bf16();
[[nodiscard]] const number_format& tf32();
[[nodiscard]] const number_format& fp32();

/// What the highest codes of a floating-point format are.
///   numbers            all of them
///   one_nan            the highest magnitude is NaN
///   infinity_and_nans  those of the highest field, as in IEEE 754
///   nan_of_minus_zero  all of them, and -0 is the NaN
enum class special_codes : unsigned char { numbers, one_nan, infinity_and_nans, nan_of_minus_zero };

struct floating_bits {
  int exponent_bits;
  int fraction_bits;
  int bias;
};

/// A floating-point format of a sign and some bits; an integer of width - 2 bits behind the binary
/// point, whose lowest code is read as -2 and never written. Those above are some of them.
[[nodiscard]] number_format floating_format(std::string name, floating_bits bits,
                                            special_codes specials);
[[nodiscard]] number_format integer_format(int width);

/// Every element format with a name.
[[nodiscard]] const std::vector<const number_format*>& elements();

}  // namespace golden::formats
