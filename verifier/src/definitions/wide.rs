//! Operations on the widest numbers, against arithmetic on integers of any size: definitions split such numbers, and no
//! narrow operand comes there.

use super::floats::operands::Xorshift;
use num_bigint::{BigInt, Sign};
use tribunal_ir::bits::Bits;
use tribunal_ir::semantics::{Choice, Concrete, Pure, Value, evaluate_flagged};
use tribunal_ir::{InstFlags, Opcode};

/// Beyond half of the widest number, odd and even, up to it.
const WIDTHS: [u32; 4] = [257, 300, 511, 512];
/// Random pairs of operands at each width.
const DRAWN: u32 = 16;

/// A definition on integers.
type IntegerMeaning = Box<dyn Fn(&BigInt, &BigInt) -> BigInt>;

/// The second definition: of the signed readings where the flag says so; `None` for an opcode that is not compared.
fn meaning(opcode: Opcode, width: u32) -> Option<(bool, IntegerMeaning)> {
    use Opcode::*;
    Some(match opcode {
        G_ADD => (false, Box::new(|a, b| a + b)),
        G_SUB => (false, Box::new(|a, b| a - b)),
        G_MUL => (false, Box::new(|a, b| a * b)),
        G_UMULH => (false, Box::new(move |a, b| (a * b) >> width)),
        G_SMULH => (true, Box::new(move |a, b| (a * b) >> width)),
        G_UDIV => (false, Box::new(|a, b| a / b)),
        G_UREM => (false, Box::new(|a, b| a % b)),
        G_SDIV => (true, Box::new(|a, b| a / b)),
        G_SREM => (true, Box::new(|a, b| a % b)),
        _ => return None,
    })
}

/// The number of cases compared, or the first difference.
pub(super) fn compared(opcode: Opcode) -> Result<u64, String> {
    let (mut random, mut cases) = (Xorshift(0x1234_5678_9abc_def1), 0);
    for width in WIDTHS {
        let Some((signed, meaning)) = meaning(opcode, width) else { return Ok(0) };
        let corners =
            [Bits::ones(width), Bits::signed_min(width), Bits::new(1, width), Bits::one_bit(width / 2, width)];
        let mut drawn = || {
            let chunks = (0..width.div_ceil(64)).map(|_| Bits::new(random.wide(), 64));
            chunks.reduce(Bits::concat).unwrap_or(Bits::zero(width)).zext_or_trunc(width)
        };
        let random: Vec<[Bits; 2]> = (0..DRAWN).map(|_| [drawn(), drawn()]).collect();
        let pairs = corners.iter().flat_map(|&a| corners.map(|b| [a, b])).chain(random);
        for [a, b] in pairs {
            let args = [a, b].map(|bits| Value::<Concrete>::new(bits, false));
            let mut domain = Concrete { choice: Choice::Zeros };
            let evaluation = evaluate_flagged(&mut domain, &mut Pure, opcode, InstFlags::empty(), &args);
            let Some(value) = evaluation.ok().filter(|it| !it.ub).and_then(|it| it.results.into_iter().next()) else {
                continue;
            };
            let meant = meaning(&integer(a, signed), &integer(b, signed));
            let modulus = BigInt::from(1) << width;
            let meant = ((meant % &modulus) + &modulus) % &modulus;
            if integer(value.bits, false) != meant {
                return Err(format!("{opcode} of {a:?} and {b:?}: {:?}, meant {meant:#x}", value.bits));
            }
            cases += 1;
        }
    }
    Ok(cases)
}

/// The number that the bits are, by the signed or the unsigned reading.
fn integer(bits: Bits, signed: bool) -> BigInt {
    let width = bits.width();
    let words = (0..width.div_ceil(32)).map(|index| {
        let (offset, rest) = (32 * index, width - 32 * index);
        bits.extract(offset, rest.min(32)).low_u64() as u32
    });
    let whole = BigInt::from_slice(Sign::Plus, &words.collect::<Vec<u32>>());
    if signed && bits.bit(width - 1) { whole - (BigInt::from(1) << width) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_operations_are_those_of_integers() {
        let compared: u64 = Opcode::ALL.iter().map(|&opcode| compared(opcode).expect("they agree")).sum();
        // A division of the least number by -1 has no result.
        assert_eq!(compared, 9 * 4 * 32 - 2 * 4);
    }
}
