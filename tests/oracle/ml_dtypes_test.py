# SPDX-License-Identifier: Apache-2.0
# tests/oracle/ml_dtypes_test.py: the core's formats against the NumPy types of ml_dtypes.

import unittest
import warnings

from oracle_case import codes_of, np, numbers, oracle_case, packages, values_of

(ml_dtypes,) = packages("ml_dtypes")

TYPES = {
    "e2m1": ml_dtypes.float4_e2m1fn,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "e4m3ieee": ml_dtypes.float8_e4m3,
    "e3m4ieee": ml_dtypes.float8_e3m4,
    "e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "bfloat16": ml_dtypes.bfloat16,
    "binary16": np.float16,
}
WITHOUT_NAN = ("e2m1", "e2m3", "e3m2")


def word_of(dtype):
    return {1: np.uint8, 2: np.uint16}[np.dtype(dtype).itemsize]


def their_codes(dtype, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of overflow and of NaN
        return x.astype(dtype).view(word_of(dtype)).astype(np.uint32)


def their_values(dtype, count):
    return np.arange(count).astype(word_of(dtype)).view(dtype).astype(np.float32)


class ml_dtypes_test(oracle_case):
    @classmethod
    def setUpClass(cls):
        cls.x = numbers()
        cls.nan = np.isnan(cls.x)

    def test_every_code_stands_for_the_same_value(self):
        for name, dtype in TYPES.items():
            with self.subTest(name):
                values = values_of(name)
                self.assert_equal_values(values, their_values(dtype, values.size), name)

    def test_every_number_gets_the_same_code(self):
        """Beyond the largest number ml_dtypes writes Inf, else NaN, else that number."""
        x = self.x[~self.nan]
        for name, dtype in TYPES.items():
            with self.subTest(name):
                ours = codes_of(name, x, overflow="infinity")
                self.assert_equal_codes(x, ours, their_codes(dtype, x), name)

    def test_nan_becomes_nan_where_the_format_has_one(self):
        """Ours is positive; that of ml_dtypes keeps the sign if the format has two NaN."""
        x = self.x[self.nan]
        for name, dtype in TYPES.items():
            if name in WITHOUT_NAN:
                continue
            with self.subTest(name):
                self.assertTrue(np.isnan(their_values(dtype, 1 << 16)[their_codes(dtype, x)]).all())
                ours = codes_of(name, x)
                self.assertEqual(np.unique(ours).size, 1)
                self.assertTrue(np.isnan(values_of(name)[ours]).all())

    def test_nan_differs_in_formats_without_nan(self):
        """ml_dtypes gives a zero with the sign flipped; we give the largest number, as PTX does."""
        x = self.x[self.nan]
        for name in WITHOUT_NAN:
            with self.subTest(name):
                sign = values_of(name).size // 2
                theirs = their_codes(TYPES[name], x)
                self.assert_equal_codes(x, np.where(np.signbit(x), 0, sign), theirs, name)
                self.assert_equal_codes(x, codes_of(name, x), np.full(x.size, sign - 1), name)


    def test_the_preset_of_their_name_gives_the_same_code_to_nan_as_well(self):
        for name in WITHOUT_NAN:
            with self.subTest(name):
                ours = codes_of(name, self.x, "preset:ml_dtypes")
                self.assert_equal_codes(self.x, ours, their_codes(TYPES[name], self.x), name)


class ml_dtypes_scale_test(oracle_case):
    """E8M0, whose conversion of numbers differs from the others in three ways."""

    @classmethod
    def setUpClass(cls):
        x = numbers()
        cls.x = x[~np.isnan(x)]
        cls.ours = codes_of("e8m0", cls.x, overflow="infinity")
        cls.theirs = their_codes(ml_dtypes.float8_e8m0fnu, cls.x)

    def test_every_scale_stands_for_the_same_value(self):
        theirs = their_values(ml_dtypes.float8_e8m0fnu, 256)
        self.assert_equal_values(values_of("e8m0"), theirs, "e8m0")

    def test_the_preset_of_their_name_gives_the_same_code_to_every_number(self):
        x = numbers()
        theirs = their_codes(ml_dtypes.float8_e8m0fnu, x)
        self.assert_equal_codes(x, codes_of("e8m0", x, "preset:ml_dtypes"), theirs, "e8m0")

    def test_zero_and_negative_numbers_are_nan_to_them(self):
        chosen = (self.x == 0) | np.signbit(self.x)
        self.assertTrue((self.theirs[chosen] == 255).all())
        self.assertTrue((codes_of("e8m0", np.zeros(1, np.float32)) == 0).all())

    def test_all_between_the_two_smallest_scales_goes_up(self):
        chosen = (self.x > 2.0**-127) & (self.x < 2.0**-126)
        self.assertTrue((self.theirs[chosen] == 1).all())
        self.assert_equal_codes(self.x[chosen], self.ours[chosen],
                                np.where(self.x[chosen] > 1.5 * 2.0**-127, 1, 0), "e8m0")

    def test_ties_go_up_and_all_else_is_equal(self):
        chosen = (self.x >= 2.0**-126) | ((self.x > 0) & (self.x <= 2.0**-127))
        x, ours, theirs = self.x[chosen], self.ours[chosen], self.theirs[chosen]
        bits = x.view(np.uint32)
        field = bits >> 23
        tie = (x >= 2.0**-126) & ((bits & 0x7FFFFF) == 0x400000)
        self.assertGreater(np.count_nonzero(tie), 100)
        self.assert_equal_codes(x[tie], field[tie] + 1, theirs[tie], "e8m0, theirs")
        self.assert_equal_codes(x[tie], field[tie] + field[tie] % 2, ours[tie], "e8m0, ours")
        self.assert_equal_codes(x[~tie], ours[~tie], theirs[~tie], "e8m0")


if __name__ == "__main__":
    unittest.main()
