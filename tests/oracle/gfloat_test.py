# SPDX-License-Identifier: Apache-2.0
# tests/oracle/gfloat_test.py: the core's formats and roundings against gfloat.

import unittest

from oracle_case import (codes_of, narrow_numbers, np, numbers, oracle_case, packages,
                         random_codes_of, random_numbers, values_of)

gfloat, gformats = packages("gfloat", "gfloat.formats")
RoundMode = gfloat.RoundMode


def fnuz(name, precision, bias):
    """A format whose code of -0 is its only NaN; gfloat can describe it but has no name for it."""
    return gfloat.FormatInfo(name, 8, precision, bias=bias, is_signed=True, has_nz=False,
                             domain=gfloat.Domain.Finite, num_high_nans=0, has_subnormals=True,
                             is_twos_complement=False)


ELEMENTS = {
    "e2m1": gformats.format_info_ocp_e2m1,
    "e2m3": gformats.format_info_ocp_e2m3,
    "e3m2": gformats.format_info_ocp_e3m2,
    "e4m3": gformats.format_info_ocp_e4m3,
    "e5m2": gformats.format_info_ocp_e5m2,
    "int8": gformats.format_info_ocp_int8,
    "e4m3fnuz": fnuz("e4m3fnuz", 4, 8),
    "e5m2fnuz": fnuz("e5m2fnuz", 3, 16),
}
SCALE = gformats.format_info_ocp_e8m0
ROUNDINGS = {
    "ties-to-even": RoundMode.TiesToEven,
    "ties-away": RoundMode.TiesToAway,
    "toward-zero": RoundMode.TowardZero,
}
RANDOM_BITS = (1, 2, 7, 8, 9, 13, 16, 24)


def their_codes(info, x, mode, **options):
    rounded = gfloat.round_ndarray(info, x.astype(np.float64), mode, **options)
    return gfloat.encode_ndarray(info, rounded).astype(np.uint32)


def their_values(info):
    with np.errstate(over="ignore", invalid="ignore"):
        values = gfloat.decode_ndarray(info, np.arange(1 << info.k))
    return values.astype(np.float32)


def without_int8_minimum(name, codes):
    """0x80, which is -2: gfloat writes it; OCP MX allows leaving it unused, as we do."""
    return np.where(codes == 0x80, 0x81, codes) if name == "int8" else codes


class gfloat_test(oracle_case):
    @classmethod
    def setUpClass(cls):
        x = numbers()
        cls.x = x[~np.isnan(x)]

    def test_every_code_stands_for_the_same_value(self):
        for name, info in {**ELEMENTS, "e8m0": SCALE}.items():
            with self.subTest(name):
                self.assert_equal_values(values_of(name), their_values(info), name)

    def test_every_rounding_that_saturates_gives_the_same_code(self):
        for name, info in ELEMENTS.items():
            for rounding, mode in ROUNDINGS.items():
                with self.subTest(name, rounding=rounding):
                    theirs = their_codes(info, self.x, mode, sat=True)
                    self.assert_equal_codes(self.x, codes_of(name, self.x, rounding),
                                            without_int8_minimum(name, theirs), name)

    def test_rounding_away_from_zero_is_upward_of_the_positive_and_downward_of_the_negative(self):
        for name, info in ELEMENTS.items():
            with self.subTest(name):
                upward = their_codes(info, self.x, RoundMode.TowardPositive, sat=True)
                downward = their_codes(info, self.x, RoundMode.TowardNegative, sat=True)
                theirs = np.where(np.signbit(self.x), downward, upward)
                self.assert_equal_codes(self.x, codes_of(name, self.x, "away-from-zero"),
                                        without_int8_minimum(name, theirs), name)

    def test_overflow_gives_infinity_or_nan_where_the_format_has_them(self):
        """For formats with two NaN, gfloat's is not positive: values are compared."""
        for name, info in ELEMENTS.items():
            if info.num_nans == 0:
                continue
            for rounding in ("ties-to-even", "ties-away"):
                with self.subTest(name, rounding=rounding):
                    theirs = their_codes(info, self.x, ROUNDINGS[rounding], sat=False)
                    ours = codes_of(name, self.x, rounding, "infinity")
                    values = values_of(name)
                    self.assert_equal_values(values[ours], values[theirs], name)

    def test_stochastic_rounding_is_the_carry_of_the_random_bits(self):
        generator = np.random.default_rng(3)
        x = np.concatenate([narrow_numbers(), random_numbers(1 << 16)])
        x = x[np.isfinite(x)]
        for name, info in ELEMENTS.items():
            for bits in RANDOM_BITS:
                with self.subTest(name, bits=bits):
                    random = generator.integers(0, 1 << bits, x.size)
                    theirs = their_codes(info, x, RoundMode.StochasticFastest, sat=True,
                                         srbits=random, srnumbits=bits)
                    self.assert_equal_codes(x, random_codes_of(name, x, random, bits),
                                            without_int8_minimum(name, theirs), name)


class gfloat_scale_test(oracle_case):
    """E8M0: what they round below 2^-127 and what is negative has no code in arrays, and is NaN
    where numbers are taken one by one."""

    @classmethod
    def setUpClass(cls):
        x = numbers()
        cls.x = x[np.isfinite(x) & (x >= 2.0**-127)]

    def test_scales_get_the_same_code(self):
        roundings = {**ROUNDINGS, "away-from-zero": RoundMode.TowardPositive}
        for rounding, mode in roundings.items():
            with self.subTest(rounding):
                theirs = their_codes(SCALE, self.x, mode, sat=True)
                self.assert_equal_codes(self.x, codes_of("e8m0", self.x, rounding), theirs, "e8m0")

    def test_presets_of_their_name_are_their_conversion_of_single_numbers(self):
        x = narrow_numbers()[:1 << 16]
        for name, saturates in (("gfloat", False), ("gfloat.saturate", True)):
            with self.subTest(name):
                rounded = (gfloat.round_float(SCALE, value, sat=saturates) for value in x.tolist())
                theirs = np.array([gfloat.encode_float(SCALE, value) for value in rounded])
                ours = codes_of("e8m0", x, f"preset:{name}")
                self.assert_equal_codes(x, ours, theirs, name)


if __name__ == "__main__":
    unittest.main()
