//! Operands that are worth trying.

use tribunal_ir::FloatFormat;

/// Marsaglia's xorshift, from a state that is not 0.
pub struct Xorshift(pub u64);

impl Xorshift {
    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below the bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A number of 128 bits.
    pub fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    /// One of a list that has some.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

fn ones(bits: u32) -> u128 {
    (1 << bits) - 1
}

fn number(format: FloatFormat, sign: bool, exponent: u128, fraction: u128) -> u128 {
    let fraction = fraction & ones(format.fraction_bits());
    u128::from(sign) << (format.bits() - 1)
        | (exponent & ones(format.exponent_bits())) << format.fraction_bits()
        | fraction
}

/// Zeros, subnormal numbers, extremes, ones, infinities, quiet and signalling NaNs, and neighbours of each.
pub fn corners(format: FloatFormat) -> Vec<u128> {
    let (bias, fraction_bits) = (format.bias() as u128, format.fraction_bits());
    let most = ones(format.exponent_bits());
    let exponents = [0, 1, bias - 1, bias, bias + u128::from(fraction_bits), most - 1, most];
    let fractions = [0, 1, 1 << (fraction_bits - 1), (1 << (fraction_bits - 1)) - 1, ones(fraction_bits)];
    let all = [false, true].into_iter().flat_map(|sign| {
        exponents.into_iter().flat_map(move |exponent| {
            fractions.into_iter().map(move |fraction| number(format, sign, exponent, fraction))
        })
    });
    all.collect()
}

/// A number whose exponent is near that of another, and whose fraction is sparse, dense or random.
pub fn near(format: FloatFormat, other: u128, random: &mut Xorshift) -> u128 {
    let fraction_bits = format.fraction_bits();
    let exponent = (other >> fraction_bits & ones(format.exponent_bits())) as i128;
    let far = 2 * (i128::from(fraction_bits) + 3);
    let exponent = match random.below(8) {
        0 => i128::from(random.next()),
        1 => 0,
        2 => ones(format.exponent_bits()) as i128,
        3 => 2 * i128::from(format.bias()) - exponent + i128::from(random.below(5)) - 2,
        _ => exponent + i128::from(random.next()) % (far + 1) - far / 2,
    };
    let exponent =
        if random.below(16) == 0 { exponent } else { exponent.clamp(0, ones(format.exponent_bits()) as i128 - 1) };
    let wide = random.wide();
    let fraction = match random.below(6) {
        0 => 1 << random.below(fraction_bits.into()),
        1 => ones(fraction_bits) << random.below(fraction_bits.into()),
        2 => ones(fraction_bits) >> random.below(fraction_bits.into()),
        3 => other ^ 1 << random.below(fraction_bits.into()),
        4 => other,
        _ => wide,
    };
    number(format, random.below(2) == 0, exponent as u128, fraction)
}

/// Any number: a corner, or one near a random one.
pub fn any(format: FloatFormat, corners: &[u128], random: &mut Xorshift) -> u128 {
    match random.below(4) {
        0 => random.pick(corners),
        1 => random.wide() & (u128::MAX >> (128 - format.bits())),
        _ => {
            let other = random.wide();
            near(format, other, random)
        }
    }
}
