//! Cross-checks each row of the opcode table against the semantics. Evaluating instances of the opcode must agree with
//! the row on meaning, undefined behaviour, poison, flags, types and immediates.

use tribunal_ir::bits::Bits;
use tribunal_ir::function::{SlotKind, StackObject};
use tribunal_ir::opcode::{IndexTypes, OpcodeInfo, Poison, TypeClass, Undefined};
use tribunal_ir::semantics::{Choice, Concrete, Evaluation, Memory, Unsupported, Value, evaluate};
use tribunal_ir::types::ElementCount;
use tribunal_ir::{
    Family, FixedSlot, FloatFormat, FloatPredicate, Function, InstData, InstFlags, IntPredicate, MemFlags, MemOperand,
    Opcode, OpcodeFlags, Operand, OperandKind, StackSlot, Type,
};

/// The widths from which the types of instances are made.
const WIDTHS: [u32; 6] = [8, 4, 16, 1, 32, 64];

/// Memory that may be accessed at even addresses, and whose bytes are poison where those are multiples of four.
struct Cells;

impl Memory<Concrete> for Cells {
    fn load(&mut self, _: &mut Concrete, address: &Bits, bytes: u32, _: &MemOperand) -> (Value<Concrete>, bool) {
        let (bits, poison) = (Bits::zero(8 * bytes), address.low_u64().is_multiple_of(4));
        (Value::new(bits, poison), address.bit(0))
    }

    fn store(&mut self, _: &mut Concrete, address: &Bits, _: &Value<Concrete>, _: &MemOperand) -> bool {
        address.bit(0)
    }

    fn frame_address(&mut self, _: &mut Concrete, _: StackSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }

    fn fixed_address(&mut self, _: &mut Concrete, _: FixedSlot, bits: u32) -> Bits {
        Bits::zero(bits)
    }
}

/// One instance of an opcode.
struct Instance {
    function: Function,
    data: InstData,
    /// Of each register read.
    reads: Vec<Type>,
}

/// The lanes of the first vector type, and of the others.
const LANES: [[u16; 2]; 2] = [[2, 2], [4, 2]];

/// Types that keep the row's rules; a merge has two parts. A vector stands where nothing else may, and beside a scalar
/// of its size where two types must differ.
fn typings(info: &OpcodeInfo) -> Vec<IndexTypes> {
    let ty = |index: usize, bits: u32, lanes: [u16; 2]| {
        let has_meaning = info.class_of(index) != Some(TypeClass::Float) || FloatFormat::of_width(bits).is_some();
        let scalar = has_meaning.then(|| Type::scalar(bits))?;
        let pointer = Type::Pointer { address_space: 0, bits: bits as u16 };
        let vector = scalar.times(ElementCount::fixed(lanes[index.min(1)]));
        info.class_of(index).and_then(|class| {
            let mut types = [Some(scalar), Some(pointer), vector].into_iter().flatten();
            types.find(|&ty| class.takes(ty))
        })
    };
    let mut all: Vec<IndexTypes> = Vec::new();
    let keep = |types: IndexTypes, all: &mut Vec<IndexTypes>| {
        let is_whole = (0..3).all(|index| types[index].is_some() == info.class_of(index).is_some());
        if is_whole && !all.contains(&types) && info.rules.iter().all(|rule| rule.holds(&types, Some(2))) {
            all.push(types);
        }
    };
    let pairs: Vec<[u32; 2]> = WIDTHS.iter().flat_map(|&first| WIDTHS.map(|second| [first, second])).collect();
    for lanes in LANES {
        for &[first, second] in &pairs {
            keep([ty(0, first, lanes), ty(1, second, lanes), ty(2, 64, lanes)], &mut all);
        }
    }
    if all.is_empty() {
        for &[first, second] in &pairs {
            let vector = Type::scalar(second).times(ElementCount::fixed(2));
            let scalar = ty(0, first, LANES[0]);
            keep(if info.class_of(2).is_some() { [scalar, scalar, vector] } else { [scalar, vector, None] }, &mut all);
        }
    }
    all
}

/// The instruction on these types; `None` if an operand means something outside the function.
fn instance(opcode: Opcode, types: &IndexTypes, predicate: IntPredicate, corner: usize) -> Option<Instance> {
    let info = opcode.info()?;
    let mut function = Function::new("f");
    let (mut operands, mut reads) = (Vec::new(), Vec::new());
    let mut immediates = info.immediates.iter();
    for (place, kind) in info.operands().enumerate() {
        let is_def = place < info.defs.len();
        let own = if is_def { info.defs } else { info.uses };
        // Any number of registers: one more, unless the row has two.
        if kind == OperandKind::MORE && own.len() > 2 {
            continue;
        }
        let kind = if kind == OperandKind::MORE { own[0] } else { kind };
        operands.push(match kind {
            OperandKind::Register(_, index) => {
                let ty = types[usize::from(index)]?;
                let register = function.new_vreg(ty);
                if !is_def {
                    reads.push(ty);
                }
                if is_def { Operand::def(register) } else { Operand::used(register) }
            }
            OperandKind::IMM | OperandKind::IMM0 => {
                let range = immediates.next()?.range(types)?;
                let value = [*range.start(), (*range.end()).min(64)][corner % 2];
                Operand::Imm(range.contains(&value).then_some(value)?)
            }
            OperandKind::CONST => function.constant(Bits::new(1, types[0]?.bits())),
            OperandKind::PRED => Operand::Predicate(predicate),
            OperandKind::FPRED => Operand::FloatPredicate([FloatPredicate::Oeq, FloatPredicate::Ult][corner % 2]),
            OperandKind::FCONST => {
                let format = FloatFormat::of_width(types[0]?.bits())?;
                function.float(format, Bits::new(1, format.bits()))
            }
            OperandKind::MASK => {
                let lanes = u32::from(types[0]?.element_count()?.lanes);
                let mask: Vec<Option<u32>> = (0..lanes).rev().map(Some).collect();
                Operand::ShuffleMask(function.shuffle_masks.intern(&mask))
            }
            OperandKind::FRAME => Operand::Stack(function.stack.push(StackObject::new(SlotKind::Default, 8, 8))),
            _ => return None,
        });
    }
    let mut data = InstData::new(opcode, operands);
    if let Some(accesses) = info.accesses {
        let value = types[info.value_index()].map_or(0, Type::bits);
        let bits = [8, 16].into_iter().find(|&bits| accesses.size.holds(bits, value))?;
        let mut flags = MemFlags::empty();
        flags.set(MemFlags::LOAD, info.flags.contains(OpcodeFlags::LOAD));
        flags.set(MemFlags::STORE, info.flags.contains(OpcodeFlags::STORE));
        data = data.with_memory(MemOperand::new(flags, Type::scalar(bits), 1));
    }
    Some(Instance { function, data, reads })
}

/// All instances that are tried.
fn instances(opcode: Opcode) -> Vec<Instance> {
    let corners = [(IntPredicate::Eq, 0), (IntPredicate::Slt, 1)];
    let typings = opcode.info().map_or(Vec::new(), typings);
    let all =
        typings.iter().flat_map(|types| corners.map(|(predicate, corner)| instance(opcode, types, predicate, corner)));
    all.flatten().collect()
}

impl Instance {
    fn evaluate(&self, args: &[Value<Concrete>]) -> Result<Evaluation<Concrete>, Unsupported> {
        evaluate(&mut Concrete { choice: Choice::Zeros }, &mut Cells, &self.function, &self.data, args)
    }

    /// Operands without poison: corners, and numbers out of `seed`.
    fn sample(&self, seed: u64) -> Vec<Value<Concrete>> {
        let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let infinity = |bits: u32| {
            let fraction_bits = FloatFormat::of_width(bits).map_or(0, FloatFormat::fraction_bits);
            Bits::signed_min(bits).not().lshr(fraction_bits).shl(fraction_bits)
        };
        let mut number = |bits: u32| match next() % 7 {
            0 => Bits::zero(bits),
            6 => infinity(bits),
            1 => Bits::ones(bits),
            2 => Bits::signed_min(bits),
            3 => Bits::new(u128::from(next() % 4), bits),
            _ => Bits::new(u128::from(next()), bits),
        };
        let mut value = |ty: &Type| {
            let lanes = ty.element_count().map_or(1, |count| count.lanes);
            let parts = (0..lanes).map(|_| number(ty.scalar_type().bits()));
            Value::new(parts.reduce(|low, high| high.concat(low)).unwrap_or(Bits::zero(ty.bits())), false)
        };
        self.reads.iter().map(&mut value).collect()
    }
}

/// Rows whose instances the semantics evaluate: all that are defined, except those that the walk through a function
/// defines. `emulator/tests/walk.rs` and `verifier/tests/walk.rs` hold those.
fn evaluated() -> impl Iterator<Item = (Opcode, &'static OpcodeInfo)> {
    let rows = Opcode::ALL.iter().filter_map(|&opcode| Some((opcode, opcode.info()?)));
    let walks = |opcode: &Opcode, info: &OpcodeInfo| {
        info.family == Family::Control || *opcode == Opcode::COPY || opcode.sees_environment()
    };
    rows.filter(move |(opcode, info)| opcode.is_defined() && !walks(opcode, info))
}

#[test]
fn a_row_says_defined_where_the_semantics_define() {
    let mut wrong = Vec::new();
    for (opcode, _) in evaluated() {
        let instances = instances(opcode);
        let failed = instances.iter().find_map(|instance| instance.evaluate(&instance.sample(0)).err());
        if instances.is_empty() || failed.is_some() {
            wrong.push(format!("{opcode}: {} instances, {failed:?}", instances.len()));
        }
    }
    for &opcode in Opcode::ALL.iter().filter(|opcode| !opcode.is_defined()) {
        // Nor does evaluating one panic.
        if instances(opcode).iter().any(|instance| instance.evaluate(&instance.sample(0)).is_ok()) {
            wrong.push(format!("{opcode} has a meaning, and its row does not say so"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(
        [Opcode::G_FREEZE, Opcode::G_ADD, Opcode::G_STORE]
            .iter()
            .all(|opcode| evaluated().any(|(own, _)| own == *opcode))
    );
}

#[test]
fn undefined_behaviour_and_poison_are_where_the_row_says() {
    let mut wrong = Vec::new();
    for (opcode, info) in evaluated() {
        let (mut undefined, mut poison) = (false, false);
        for instance in instances(opcode) {
            for seed in 0..500 {
                let evaluation = instance.evaluate(&instance.sample(seed)).unwrap();
                undefined |= evaluation.ub;
                poison |= !evaluation.ub && evaluation.results.iter().any(|result| result.poison);
            }
        }
        if undefined == info.undefined.is_empty() || poison == info.poison.is_empty() {
            wrong.push(format!("{opcode}: undefined {undefined}, poison {poison}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// On operands of eight bits.
#[test]
fn kinds_of_undefined_behaviour_and_poison_are_told_apart() {
    let of = |opcode: Opcode, args: &[u128]| {
        let byte = Some(Type::scalar(8));
        let instance = instance(opcode, &[byte, byte, None], IntPredicate::Eq, 0).unwrap();
        let args: Vec<_> = args.iter().map(|&arg| Value::new(Bits::new(arg, 8), false)).collect();
        instance.evaluate(&args).unwrap()
    };
    let is_poison = |opcode: Opcode, args: &[u128]| of(opcode, args).results[0].poison;
    let (mut undefined, mut poison) = (Undefined::empty(), Poison::empty());
    for (opcode, info) in evaluated() {
        undefined |= info.undefined;
        poison |= info.poison;
        if info.undefined.contains(Undefined::DIVISOR) {
            assert!(of(opcode, &[7, 0]).ub && !of(opcode, &[7, 2]).ub, "{opcode}");
            assert_eq!(of(opcode, &[0x80, 0xff]).ub, info.undefined.contains(Undefined::QUOTIENT), "{opcode}");
        }
        if info.poison.contains(Poison::AMOUNT) {
            assert!(is_poison(opcode, &[1, 8]) && !is_poison(opcode, &[1, 7]), "{opcode}");
        }
        if info.poison.contains(Poison::ZERO) {
            assert!(is_poison(opcode, &[0]) && !is_poison(opcode, &[1]), "{opcode}");
        }
        if info.poison.contains(Poison::FIELD) {
            assert!(is_poison(opcode, &[1, 4, 5]) && !is_poison(opcode, &[1, 4, 4]), "{opcode}");
        }
    }
    // None of the four is a kind that no row has.
    assert!(undefined.contains(Undefined::DIVISOR | Undefined::QUOTIENT));
    assert!(poison.contains(Poison::AMOUNT | Poison::ZERO | Poison::FIELD));
}

/// A flag that a row allows makes a result poison somewhere.
#[test]
fn flags_mean_something_where_the_row_allows_them() {
    let meant = InstFlags::PROMISES | InstFlags::FLOAT_PROMISES;
    let shows = |mut instance: Instance, flag: InstFlags| {
        (0..500).any(|seed| {
            let args = instance.sample(seed);
            instance.data.flags = InstFlags::empty();
            let without = instance.evaluate(&args).unwrap();
            instance.data.flags = flag;
            !without.ub && !without.results[0].poison && instance.evaluate(&args).unwrap().results[0].poison
        })
    };
    let mut tried = InstFlags::empty();
    for (opcode, info) in evaluated() {
        for flag in meant.intersection(info.promises()) {
            assert!(instances(opcode).into_iter().any(|instance| shows(instance, flag)), "{opcode}: {flag:?}");
            tried |= flag;
        }
    }
    assert_eq!(tried, meant);
}

#[test]
fn commutable_operands_may_change_places() {
    let bits =
        |evaluation: Evaluation<Concrete>| evaluation.results.iter().map(|result| result.bits).collect::<Vec<_>>();
    let commutable = |(_, info): &(Opcode, &OpcodeInfo)| info.flags.contains(OpcodeFlags::COMMUTABLE);
    assert!(evaluated().filter(commutable).any(|(opcode, _)| opcode == Opcode::G_ADD));
    for (opcode, _) in evaluated().filter(commutable) {
        let instances = instances(opcode);
        assert!(!instances.is_empty(), "{opcode}");
        for instance in instances {
            for seed in 0..100 {
                let mut args = instance.sample(seed);
                let one = instance.evaluate(&args).unwrap();
                args.swap(0, 1);
                assert_eq!(bits(one), bits(instance.evaluate(&args).unwrap()), "{opcode}");
            }
        }
    }
}

#[test]
fn rows_agree_with_themselves() {
    for &opcode in Opcode::ALL {
        let info = opcode.info().unwrap();
        let bounded = |kind: &OperandKind| kind.is_immediate() || *kind == OperandKind::CONST;
        let immediates = info.operands().filter(bounded).count();
        assert!(info.immediates.len() <= immediates, "{opcode}: more ranges than immediates");
        let directed = info.flags.intersects(OpcodeFlags::LOAD | OpcodeFlags::STORE);
        let addressed = info.operands().any(|kind| kind.type_class() == Some(TypeClass::Address));
        assert!(info.accesses.is_none() || (directed && addressed), "{opcode}: memory operands, and no access");
        assert!(info.family.opcodes().contains(&opcode) && opcode.family() == Some(info.family), "{opcode}");
        assert_eq!((Opcode::from_name(info.name), opcode.place()), (Some(opcode), usize::from(info.number)));
    }
    assert_eq!(Family::ALL.iter().map(|family| family.opcodes().len()).sum::<usize>(), Opcode::ALL.len());
}
