// SPDX-License-Identifier: Apache-2.0
// mx_step.sv: one step of a dot product: rounds products, in groups, and C to one FP32 number.
/// Equals mx::step_sum (emulator/include/mx/dot/step_sum.h), checked by tests/rtl.
///
/// Four stages: products and their exact sums; the largest exponent; alignment and sum; rounding.
module mx_step #(
  parameter logic [mx_pkg::FormatWidth-1:0] FormatA = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatB = mx_pkg::E2m1,
  parameter logic [mx_pkg::FormatWidth-1:0] FormatScale = mx_pkg::E8m0,
  /// Elements that share a scale.
  parameter int Block = 32,
  /// Number of products of the step, and how many of them are one term.
  parameter int Products = 64,
  parameter int Group = 16,
  /// mx_pkg::AlignWindow: FractionBits below the largest exponent, lower bits dropped.
  /// mx_pkg::AlignSticky: one term and C, as if no bit were lost.
  /// mx_pkg::AlignExact: a fixed-point register over the whole range.
  parameter int Alignment = mx_pkg::AlignWindow,
  parameter int FractionBits = mx_pkg::Mxf4FractionBits,
  /// The exponent at which zeros are read in a window, at most 1023 from 0.
  parameter int ZeroExponent = mx_pkg::Mxf4ZeroExponent,
  parameter int Rounding = mx_pkg::RoundTowardZero,
  /// mx_pkg::ZeroResultOfTerms: a sum of zero is -0 if every product and C are -0, and a nonzero
  /// sum that rounds to zero keeps its sign. mx_pkg::ZeroResultPlus: every zero result is +0.
  parameter int ZeroResult = mx_pkg::ZeroResultPlus,
  parameter logic [31:0] NanCode = mx_pkg::CanonicalNan,
  /// Bits that travel with the step, for the step after it.
  parameter int CarryWidth = 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  logic [Products*mx_pkg::width(FormatA)-1:0] a_i,
  input  logic [Products*mx_pkg::width(FormatB)-1:0] b_i,
  /// Scale i is that of elements i * Block and up.
  input  logic [Products/Block*mx_pkg::width(FormatScale)-1:0] scale_a_i,
  input  logic [Products/Block*mx_pkg::width(FormatScale)-1:0] scale_b_i,
  input  logic [31:0] c_i,
  input  logic [CarryWidth-1:0] carry_i,
  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] d_o,
  output logic [CarryWidth-1:0] carry_o
);
  localparam int WidthA = mx_pkg::width(FormatA);
  localparam int WidthB = mx_pkg::width(FormatB);
  localparam int WidthScale = mx_pkg::width(FormatScale);
  localparam int ExponentWidth = mx_pkg::ExponentWidth;
  localparam int Groups = Products / Group;
  localparam int Terms = Groups + 1;  // the last one is C
  localparam int GroupBits = mx_pkg::group_bits(FormatA, FormatB, Group);
  localparam int ScaleBits = mx_pkg::product_bits(FormatScale, FormatScale);
  localparam int TermBits = mx_pkg::term_bits(FormatA, FormatB, FormatScale, Group);
  localparam int BinadeBits = mx_pkg::binade_bits(FormatA, FormatB);
  localparam int CBits = mx_pkg::fraction_bits(mx_pkg::Binary32) + 2;  // hidden bit and sign

  // A term is an integer in units of 2^Unit, C one of 2^UnitC, below the exponent it is read at.
  localparam int Unit = mx_pkg::term_unit(FormatA, FormatB, FormatScale, Group);
  localparam int UnitC = 0 - mx_pkg::fraction_bits(mx_pkg::Binary32);
  localparam int GroupExponent = mx_pkg::group_exponent(FormatA, FormatB, Group);
  localparam int EminC = mx_pkg::emin(mx_pkg::Binary32);
  localparam int Largest = mx_pkg::largest_exponent(FormatA, FormatB, FormatScale, Group);
  localparam int Window =
      Alignment == mx_pkg::AlignWindow ? FractionBits :
      Alignment == mx_pkg::AlignSticky ? mx_pkg::sticky_window(TermBits, Unit) :
      mx_pkg::exact_window(FormatA, FormatB, FormatScale, Group);
  localparam int Lost =
      Alignment == mx_pkg::AlignSticky ? mx_pkg::LostSticky : mx_pkg::LostDropped;
  // Zeros contribute to the largest exponent in a window only.
  localparam int ExponentOfZero =
      Alignment == mx_pkg::AlignWindow ? ZeroExponent : mx_pkg::NoExponent;
  localparam int RoomTerm = Window + Unit;
  localparam int RoomC = Window + UnitC;
  localparam int SumBits = Lost + mx_pkg::sum_bits(
      Groups, mx_pkg::largest_term(FormatA, FormatB, FormatScale, Group), RoomTerm, RoomC);

  // Stage 1: products and their exact sums, their scales, C.
  logic [Terms*ExponentWidth-1:0] exponents;
  logic [Groups*TermBits-1:0] terms;
  logic [Groups-1:0] all_negative_zero, nan, positive_infinite, negative_infinite;

  for (genvar i = 0; i < Groups; i++) begin : gen_group
    logic signed [GroupBits-1:0] sum;
    logic [BinadeBits-1:0] binade;
    logic [ScaleBits-1:0] scale_significand;
    logic signed [ExponentWidth-1:0] scale_exponent, exponent;
    logic all_zero, nan_group, nan_scale, infinite, negative, scale_is_zero, is_zero;

    mx_group #(.FormatA(FormatA), .FormatB(FormatB), .Group(Group)) u_group (
      .a_i(a_i[i*Group*WidthA +: Group*WidthA]), .b_i(b_i[i*Group*WidthB +: Group*WidthB]),
      .sum_o(sum), .binade_o(binade), .all_zero_o(all_zero),
      .all_negative_zero_o(all_negative_zero[i]), .nan_o(nan_group), .infinite_o(infinite),
      .negative_o(negative)
    );
    mx_scale #(.Format(FormatScale)) u_scale (
      .a_i(scale_a_i[i*Group/Block*WidthScale +: WidthScale]),
      .b_i(scale_b_i[i*Group/Block*WidthScale +: WidthScale]),
      .significand_o(scale_significand), .exponent_o(scale_exponent), .nan_o(nan_scale)
    );

    assign scale_is_zero = scale_significand == '0;
    assign exponent = scale_exponent + ExponentWidth'(binade) +
        ExponentWidth'(GroupExponent);
    // In a window only a sum without nonzero products is a zero, and one under a zero scale.
    assign is_zero = scale_is_zero ||
        (Alignment == mx_pkg::AlignWindow ? all_zero : sum == '0);
    assign exponents[i*ExponentWidth +: ExponentWidth] =
        is_zero ? ExponentWidth'(ExponentOfZero) : exponent;
    assign terms[i*TermBits +: TermBits] =
        TermBits'(sum) * TermBits'($signed({1'b0, scale_significand}));
    assign nan[i] = nan_group || nan_scale || (infinite && scale_is_zero);
    assign positive_infinite[i] = infinite && !negative;
    assign negative_infinite[i] = infinite && negative;
  end

  logic negative_c, nan_c, infinite_c;
  logic [CBits-2:0] significand_c;
  logic [mx_pkg::exponent_bits(mx_pkg::Binary32)-1:0] binade_c;

  mx_element #(.Format(mx_pkg::Binary32)) u_c (
    .code_i(c_i), .negative_o(negative_c), .significand_o(significand_c), .binade_o(binade_c),
    .nan_o(nan_c), .infinite_o(infinite_c)
  );
  assign exponents[Groups*ExponentWidth +: ExponentWidth] =
      significand_c == '0 ? ExponentWidth'(ExponentOfZero) :
      ExponentWidth'(binade_c) + ExponentWidth'(EminC);

  logic any_nan, any_positive_infinite, any_negative_infinite, special_nan, special_infinite;
  logic zero_is_negative;
  assign any_nan = |nan || nan_c;
  assign any_positive_infinite = |positive_infinite || (infinite_c && !negative_c);
  assign any_negative_infinite = |negative_infinite || (infinite_c && negative_c);
  assign special_nan = any_nan || (any_positive_infinite && any_negative_infinite);
  assign special_infinite = any_positive_infinite || any_negative_infinite;
  assign zero_is_negative = ZeroResult == mx_pkg::ZeroResultOfTerms &&
      &all_negative_zero && significand_c == '0 && negative_c;

  localparam int FlagBits = 4;
  localparam int TermsBits = Groups * TermBits + CBits;
  localparam int OperandsBits = FlagBits + Terms * ExponentWidth + TermsBits + CarryWidth;

  logic operands_valid, operands_ready;
  logic [FlagBits-1:0] operands_flags;
  logic [Terms*ExponentWidth-1:0] operands_exponents;
  logic [TermsBits-1:0] operands_terms;
  logic [CarryWidth-1:0] operands_carry;
  logic signed [CBits-1:0] signed_c;
  assign signed_c = negative_c ? -{1'b0, significand_c} : {1'b0, significand_c};

  mx_register #(.Width(OperandsBits)) u_operands (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), .ready_o(ready_o),
    .data_i({special_nan, special_infinite, any_negative_infinite, zero_is_negative, exponents,
             signed_c, terms, carry_i}),
    .valid_o(operands_valid), .ready_i(operands_ready),
    .data_o({operands_flags, operands_exponents, operands_terms, operands_carry})
  );

  // Stage 2: the largest exponent and how far below it each term is.
  logic signed [ExponentWidth-1:0] largest;
  logic [Terms*ExponentWidth-1:0] distances;

  if (Alignment == mx_pkg::AlignExact) begin : gen_fixed
    assign largest = ExponentWidth'(Largest);
  end else begin : gen_window
    mx_largest #(.Terms(Terms), .Width(ExponentWidth)) u_largest (
      .terms_i(operands_exponents), .largest_o(largest)
    );
  end
  for (genvar i = 0; i < Terms; i++) begin : gen_distance
    assign distances[i*ExponentWidth +: ExponentWidth] =
        largest - operands_exponents[i*ExponentWidth +: ExponentWidth];
  end

  localparam int DistancesBits =
      FlagBits + (Terms + 1) * ExponentWidth + TermsBits + CarryWidth;
  logic distances_valid, distances_ready;
  logic [FlagBits-1:0] distances_flags;
  logic [ExponentWidth-1:0] distances_largest;
  logic [Terms*ExponentWidth-1:0] distances_q;
  logic [TermsBits-1:0] distances_terms;
  logic [CarryWidth-1:0] distances_carry;

  mx_register #(.Width(DistancesBits)) u_distances (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(operands_valid), .ready_o(operands_ready),
    .data_i({operands_flags, largest, distances, operands_terms, operands_carry}),
    .valid_o(distances_valid), .ready_i(distances_ready),
    .data_o({distances_flags, distances_largest, distances_q, distances_terms, distances_carry})
  );

  // Stage 3: every term in units of the window, and their sum.
  logic [Terms*SumBits-1:0] aligned;
  logic [SumBits-1:0] sum;

  for (genvar i = 0; i < Groups; i++) begin : gen_align
    logic signed [TermBits+RoomTerm+Lost-1:0] term;
    mx_align #(.InWidth(TermBits), .Room(RoomTerm), .Lost(Lost)) u_align (
      .term_i(distances_terms[i*TermBits +: TermBits]),
      .distance_i(distances_q[i*ExponentWidth +: ExponentWidth]), .aligned_o(term)
    );
    assign aligned[i*SumBits +: SumBits] = SumBits'(term);
  end
  logic signed [CBits+RoomC+Lost-1:0] aligned_c;
  mx_align #(.InWidth(CBits), .Room(RoomC), .Lost(Lost)) u_align_c (
    .term_i(distances_terms[Groups*TermBits +: CBits]),
    .distance_i(distances_q[Groups*ExponentWidth +: ExponentWidth]), .aligned_o(aligned_c)
  );
  assign aligned[Groups*SumBits +: SumBits] = SumBits'(aligned_c);

  mx_sum #(.Terms(Terms), .Width(SumBits)) u_sum (.terms_i(aligned), .sum_o(sum));

  localparam int SumsBits = FlagBits + ExponentWidth + SumBits + CarryWidth;
  logic sum_valid, sum_ready;
  logic [FlagBits-1:0] sum_flags;
  logic signed [ExponentWidth-1:0] sum_largest;
  logic signed [SumBits-1:0] sum_q;
  logic [CarryWidth-1:0] sum_carry;

  mx_register #(.Width(SumsBits)) u_sums (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(distances_valid), .ready_o(distances_ready),
    .data_i({distances_flags, distances_largest, sum, distances_carry}),
    .valid_o(sum_valid), .ready_i(sum_ready),
    .data_o({sum_flags, sum_largest, sum_q, sum_carry})
  );

  // Stage 4: the result.
  logic [31:0] rounded, result;
  mx_round #(.Width(SumBits), .Rounding(Rounding), .ZeroResult(ZeroResult)) u_round (
    .sum_i(sum_q), .unit_i(sum_largest - ExponentWidth'(Window + Lost)),
    .zero_is_negative_i(sum_flags[0]), .code_o(rounded)
  );
  assign result = sum_flags[3] ? NanCode :
                  sum_flags[2] ? {sum_flags[1], mx_pkg::Binary32Infinity} : rounded;

  mx_register #(.Width(32 + CarryWidth)) u_result (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(sum_valid), .ready_o(sum_ready),
    .data_i({result, sum_carry}), .valid_o(valid_o), .ready_i(ready_i),
    .data_o({d_o, carry_o})
  );

  // Parameters that make no sense end the elaboration: no module has these names.
  if (Products < 1 || Block < 1 || Group < 1) begin : gen_refused_count
    mx_refused_Products_Block_and_Group_must_be_at_least_1 u_refused ();
  end
  if (Products % Group != 0 || Block % Group != 0) begin : gen_refused_group
    mx_refused_Group_must_divide_Products_and_Block u_refused ();
  end
  if (Products % Block != 0) begin : gen_refused_block
    mx_refused_Block_must_divide_Products u_refused ();
  end
  if (Alignment == mx_pkg::AlignSticky && Products != Group) begin : gen_refused_sticky
    mx_refused_AlignSticky_needs_one_Group u_refused ();
  end
  if (Alignment != mx_pkg::AlignWindow && Alignment != mx_pkg::AlignSticky &&
      Alignment != mx_pkg::AlignExact) begin : gen_refused_alignment
    mx_refused_Alignment_must_be_AlignWindow_AlignSticky_or_AlignExact u_refused ();
  end
  // mx_pkg::sum_bits computes with the largest term in 64 bits; its bits are counted without it.
  if (mx_pkg::fraction_bits(FormatA) + mx_pkg::fraction_bits(FormatB) + 2 + $clog2(Group) +
      (Group == 1 ? 0 : mx_pkg::emax(FormatA) - mx_pkg::emin(FormatA) +
       mx_pkg::emax(FormatB) - mx_pkg::emin(FormatB)) +
      (mx_pkg::fraction_bits(FormatScale) == 0 ? 0 : ScaleBits) > 56) begin : gen_refused_places
    mx_refused_Terms_must_have_at_most_56_bits u_refused ();
  end
  // Half of what ExponentWidth bits hold: distances from it, and a window below it, fit too.
  if (Alignment == mx_pkg::AlignWindow &&
      (ZeroExponent > 1023 || ZeroExponent < -1023)) begin : gen_refused_zero
    mx_refused_ZeroExponent_must_be_within_1023_of_0 u_refused ();
  end
  // The least that leaves room below the units of C and of a term.
  if (Alignment == mx_pkg::AlignWindow && RoomC < 1) begin : gen_refused_fraction
    mx_refused_FractionBits_must_be_at_least_24 u_refused ();
  end
  if (Alignment == mx_pkg::AlignWindow && RoomTerm < 1) begin : gen_refused_fraction_of_terms
    mx_refused_FractionBits_must_exceed_the_fraction_bits_of_a_term u_refused ();
  end
endmodule
