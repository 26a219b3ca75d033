// SPDX-License-Identifier: Apache-2.0
// mx_dpi_dot_stimulus.svh: operands of dot products, random and adversarial. A word is determined
// by the seed and its number alone, in every simulator.

class mx_dpi_dot_stimulus;
  // Bits of a code and of a scale; elements that share a scale; fraction bits of the window.
  int code_bits, scale_bits, block, fraction_bits;
  bit [63:0] state;

  mx_dpi_codes_t a, b;
  mx_dpi_scales_t scale_a, scale_b;
  bit [31:0] c;

  function new(input int code_width, input int scale_width, input int elements_a_scale,
               input int window);
    code_bits = code_width;
    scale_bits = scale_width;
    block = elements_a_scale;
    fraction_bits = window;
  endfunction

  /// The word of a number: its operands are a, b, scale_a, scale_b, c.
  function void make(input int unsigned seed, input int unsigned number);
    state = {seed, number};
    anything();
    case (number % 10)
      0: ;
      1: around_one(4);
      2: edge_scales();
      3: cancelling();
      4: zeros();
      5: special_addend();
      6: edge_of_window();
      7: negative_zeros();
      8: underflow();
      default: extremes();
    endcase
  endfunction

  /// 32 bits of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators").
  function bit [31:0] bits();
    bit [63:0] z;
    state = state + 64'h9E3779B97F4A7C15;
    z = state;
    z = (z ^ (z >> 30)) * 64'hBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 64'h94D049BB133111EB;
    z = z ^ (z >> 31);
    return z[63:32];
  endfunction
  function int below(input int bound);
    return int'(bits() % unsigned'(bound));
  endfunction

  function void anything();
    for (int i = 0; i < mx_dpi_code_bits; i += 32) begin
      a[i +: 32] = bits();
      b[i +: 32] = bits();
    end
    for (int i = 0; i < mx_dpi_scale_bits; i += 32) begin
      scale_a[i +: 32] = bits();
      scale_b[i +: 32] = bits();
    end
    c = bits();
  endfunction

  /// Scales of a block in both operands.
  function void set_scales(input int index, input int code_a, input int code_b);
    for (int i = 0; i < scale_bits; i++) begin
      scale_a[index * scale_bits + i] = code_a[i];
      scale_b[index * scale_bits + i] = code_b[i];
    end
  endfunction
  function int scales();
    return mx_dpi_k / block;
  endfunction
  /// The code in the middle: 1 in E8M0.
  function int middle();
    return (1 << (scale_bits - 1)) - 1;
  endfunction
  function int largest_scale();
    return (1 << scale_bits) - 1;
  endfunction

  function void around_one(input int spread);
    for (int i = 0; i < scales(); i++) begin
      set_scales(i, middle() + below(spread) - spread / 2, middle() + below(spread) - spread / 2);
    end
    c[30:23] = 8'(127 + below(4 * spread) - 2 * spread);
  endfunction

  function int edge_scale();
    case (below(8))
      0: return 0;
      1: return 1;
      2: return middle() - 1;
      3: return middle();
      4: return middle() + 1;
      5: return largest_scale() - 2;
      6: return largest_scale() - 1;
      default: return largest_scale();
    endcase
  endfunction
  function void edge_scales();
    for (int i = 0; i < scales(); i++) set_scales(i, edge_scale(), edge_scale());
  endfunction

  function void flip_in_a(input int place);
    a[place] ^= 1'b1;
  endfunction

  /// Products of the second half of eight are those of the first with opposite signs, except one.
  function void cancelling();
    around_one(2);
    for (int k = 0; k < mx_dpi_k; k++) begin
      if (k % 8 < 4) continue;
      for (int i = 0; i < code_bits; i++) begin
        a[k * code_bits + i] = a[(k - 4) * code_bits + i] ^ (i == code_bits - 1);
        b[k * code_bits + i] = b[(k - 4) * code_bits + i];
      end
    end
    if (below(2) == 0) flip_in_a(below(mx_dpi_k * code_bits));
    if (below(2) == 0) c[30:23] = 8'(60 + below(70));
  endfunction

  /// Zeros of both signs, with few other numbers.
  function void zeros();
    around_one(4);
    for (int k = 0; k < mx_dpi_k; k++) begin
      if (below(32) == 0) continue;
      for (int i = 0; i < code_bits - 1; i++) a[k * code_bits + i] = 1'b0;
    end
    if (below(2) == 0) c[30:0] = 31'(below(2) * below(1 << 23));
    if (below(4) == 0) set_scales(0, largest_scale(), middle());
  endfunction

  /// Products that are all -0, or all but one, and a C of -0 or +0.
  function void negative_zeros();
    around_one(4);
    for (int k = 0; k < mx_dpi_k; k++) begin
      for (int i = 0; i < code_bits - 1; i++) a[k * code_bits + i] = 1'b0;
      a[(k + 1) * code_bits - 1] = !b[(k + 1) * code_bits - 1];
    end
    c = 32'h80000000;
    if (below(4) == 0) c = 32'd0;
    if (below(4) == 0) flip_in_a((1 + below(mx_dpi_k)) * code_bits - 1);
  endfunction

  /// Sums around the smallest FP32 number, if scales reach that far: elements times 2^-165 and up.
  function void underflow();
    int low, rest;
    for (int i = 0; i < scales(); i++) begin
      low = below(40);
      rest = 2 * middle() - 165 + below(12) - low;
      set_scales(i, low, rest < 0 ? 0 : rest);
    end
    c = {c[31], 31'd0};
  endfunction

  function void special_addend();
    around_one(64);
    case (below(5))
      0: c[30:0] = 31'h7F800000;
      1: c[30:0] = 31'h7F800000 | 31'(1 + below((1 << 23) - 1));
      2: c[30:0] = 31'h7F7FFFFF;
      3: c[30:0] = 31'(below(1 << 23));
      default: c[30:0] = 31'd0;
    endcase
  endfunction

  /// The first block lies above the others, or C above or below it, by about the window's width.
  function void edge_of_window();
    int distance, high;
    distance = fraction_bits + below(7) - 3;
    high = middle() + below(8);
    for (int i = 0; i < scales(); i++) begin
      if (i == 0) set_scales(i, high, middle());
      else set_scales(i, high - distance / 2, middle() - (distance + 1) / 2);
    end
    c[30:23] = 8'(127 + (below(2) == 0 ? distance : -distance) + below(8));
    if (below(2) == 0) c[22:0] = 23'd0;
  endfunction

  /// The largest codes under the largest scales, or the smallest under the smallest.
  function void extremes();
    bit tiny;
    tiny = below(2) == 0;
    for (int i = 0; i < scales(); i++) begin
      if (tiny) set_scales(i, below(middle() / 2), below(2 * middle()));
      else set_scales(i, largest_scale() - below(middle() / 2), middle() + below(4));
    end
    if (!tiny) begin
      for (int k = 0; k < mx_dpi_k; k++) begin
        for (int i = 0; i < code_bits - 1; i++) a[k * code_bits + i] |= below(4) != 0;
      end
    end
    c[30:23] = tiny ? 8'(below(8)) : 8'(247 + below(8));
  endfunction
endclass
