//! Resolutions of a stage's nondeterminism: what its unconstrained bits are.

use std::fmt;
use tribunal_ir::{Bits, Builder, Function, Inst, InstData, Opcode, Operand, Position, Type};

/// A resolution of the later stage's nondeterminism: any one is a behaviour that it allows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resolution {
    /// The same pattern everywhere.
    Uniform(&'static str, fn(u32) -> Bits),
    /// One of those patterns at each place, chosen by this number.
    Mixed(u32),
}

/// The uniform resolutions that are tried.
pub(crate) const RESOLUTIONS: [Resolution; 5] = [
    Resolution::Uniform("zeros", Bits::zero),
    Resolution::Uniform("ones", Bits::ones),
    Resolution::Uniform("the greatest value's", |width| Bits::signed_min(width).not()),
    Resolution::Uniform("the least value's", Bits::signed_min),
    Resolution::Uniform("0x40 in each byte", |width| Bits::repeated(0x40, width)),
];

impl Resolution {
    /// The low bits of each choice that an operation makes.
    pub(crate) fn choice(self) -> u64 {
        self.pattern(u32::MAX, u64::BITS).low_u64()
    }

    /// The pattern of `width` bits at the place of this number.
    fn pattern(self, place: u32, width: u32) -> Bits {
        match self {
            Resolution::Uniform(_, pattern) => pattern(width),
            Resolution::Mixed(seed) => {
                let mixed =
                    (u64::from(seed) << 32 | u64::from(place)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                RESOLUTIONS[(mixed >> 32) as usize % RESOLUTIONS.len()].pattern(place, width)
            }
        }
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resolution::Uniform(name, _) => write!(f, "{name}"),
            Resolution::Mixed(seed) => write!(f, "mixture {seed}"),
        }
    }
}

/// The function with its unconstrained bits resolved: high bits of any-extensions and of loads that any-extend,
/// undefined values. The interpreter resolves what an operation chooses ([`Resolution::choice`]), since it alone
/// knows which values are poison, and which results are NaNs.
pub(crate) fn determined(function: &Function, resolution: Resolution) -> Function {
    let mut function = function.clone();
    let insts: Vec<Inst> = function.all_insts().collect();
    for (number, inst) in (0..).zip(insts) {
        let data = function.inst(inst).clone();
        let Some((dst, ty)) = data.vreg(0).and_then(|dst| Some((dst, function.type_of(dst)?))) else { continue };
        if ty.is_vector() || !ty.is_scalar() {
            continue;
        }
        let low = match data.opcode {
            Opcode::G_ANYEXT => data.vreg(1).and_then(|source| function.type_of(source)).map(Type::bits),
            Opcode::G_LOAD => data.memory.first().and_then(|memory| memory.ty).map(Type::bits),
            Opcode::G_IMPLICIT_DEF => Some(0),
            _ => None,
        };
        let Some(low) = low.filter(|&low| low < ty.bits()) else { continue };
        let above = resolution.pattern(number, ty.bits()).lshr(low).shl(low);
        let mut builder = Builder::new(&mut function, Position::Before(inst));
        if low == 0 {
            builder.define_constant(dst, above);
        } else {
            let opcode = if data.opcode == Opcode::G_LOAD { Opcode::G_ZEXTLOAD } else { Opcode::G_ZEXT };
            let zeros = builder.function.new_vreg(ty);
            let mut extended = InstData::new(opcode, data.operands.iter().copied());
            extended.operands[0] = Operand::def(zeros);
            extended.memory = data.memory.clone();
            builder.push(extended);
            let above = builder.constant(ty, above);
            builder.define(dst, Opcode::G_OR, [Operand::used(zeros), Operand::used(above)]);
        }
        function.remove(inst);
    }
    function
}
