//! Planted faults of legalization recipes and of artifact combines.

use super::site::{Site, less, more};
use super::{A64, ALL, BOTH, Fault, Plant, Programs, RISCV, RV64, Rules};
use tribunal_ir::Opcode::*;
use tribunal_ir::{AddressBase, AddressData, Bits, Inst, InstFlags, IntPredicate};

/// Rules of these builder methods: a wider type, parts, other operations.
const WIDEN: &[&str] = &["min_scalar", "widen_scalar_to_next_pow2", "scalar_same_size_as"];
const NARROW: &[&str] = &["max_scalar", "narrow_scalar_if", "halve_scalar_if"];
const LOWER: &[&str] = &["lower", "lower_if", "lower_if_mem_size_not_byte_size_pow2"];
const CUSTOM: &[&str] = &["custom_for"];
const LIBCALL: &[&str] = &["libcall_for"];
const LIBCALLS: &[&str] = &["libcall"];

const MEMORY_FUNCTIONS: &[&str] = &["G_MEMCPY", "G_MEMMOVE", "G_MEMSET", "G_BZERO"];

pub(super) fn is_combine(name: &str) -> bool {
    name.contains("_of_") || name.ends_with("_by_constant")
}

type Change = fn(&mut Site<'_>) -> Option<()>;

const fn row(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    opcodes: &'static [&'static str],
    methods: &'static [&'static str],
    change: Change,
) -> Fault {
    Fault {
        name,
        model,
        targets,
        plant: Plant::Rewrite(Rules::Legality(opcodes, methods), change),
        programs: Programs::Generated,
    }
}

const fn combine(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    names: &'static [&'static str],
    change: Change,
) -> Fault {
    Fault { name, model, targets, plant: Plant::Rewrite(Rules::Named(names), change), programs: Programs::Generated }
}

/// The call that the step writes.
fn call(s: &Site<'_>) -> Option<Inst> {
    s.after.iter().copied().find(|&inst| s.target.is_call(s.function.inst(inst)))
}

/// The name of its callee.
fn callee(s: &Site<'_>) -> Option<String> {
    let callee = s.function.address_of(&s.function.inst(call(s)?).operands[0])?;
    s.function.external(callee.base).map(str::to_string)
}

/// Makes it call `name`.
fn called(s: &mut Site<'_>, name: &str) -> Option<()> {
    let call = call(s)?;
    let callee = *s.function.address_of(&s.function.inst(call).operands[0])?;
    let base = AddressBase::External(s.function.intern(name));
    let other = s.function.address(AddressData { base, ..callee });
    s.function.set_operand(call, 0, other);
    Some(())
}

pub(super) static FAULTS: &[Fault] = &[
    // Widening
    row("lshr-widened-by-its-sign", "extension kind swapped", BOTH, &["G_LSHR"], WIDEN, |s| s.turn(G_ZEXT, G_SEXT)),
    row("ashr-widened-by-zeros", "extension kind swapped", BOTH, &["G_ASHR"], WIDEN, |s| s.turn(G_SEXT, G_ZEXT)),
    row("udiv-widened-by-anything", "extension kind swapped", BOTH, &["G_UDIV"], WIDEN, |s| s.turn(G_ZEXT, G_ANYEXT)),
    row("sdiv-widened-by-zeros", "wasmtime: zext for sext", BOTH, &["G_SDIV"], WIDEN, |s| s.turn(G_SEXT, G_ZEXT)),
    row("icmp-widened-by-the-other-sign", "wasmtime: sext for zext", ALL, &["G_ICMP"], WIDEN, |s| {
        s.turn(G_ZEXT, G_SEXT).or_else(|| s.turn(G_SEXT, G_ZEXT))
    }),
    row("condition-of-select-widened-by-anything", "llvm#58431", BOTH, &["G_SELECT"], WIDEN, |s| {
        s.turn(G_ZEXT, G_ANYEXT)
    }),
    row("condition-of-branch-widened-by-anything", "llvm#58431", BOTH, &["G_BRCOND"], WIDEN, |s| {
        s.turn(G_ZEXT, G_ANYEXT)
    }),
    row("amount-widened-by-anything", "extension kind swapped", BOTH, &["G_SHL"], WIDEN, |s| s.turn(G_ZEXT, G_ANYEXT)),
    row("add-widened-with-its-flags", "flag kept while widening", BOTH, &["G_ADD"], WIDEN, |s| {
        let flags = s.before.last()?.flags & (InstFlags::NUW | InstFlags::NSW);
        let add = s.first(G_ADD).filter(|_| !flags.is_empty())?;
        let data = s.function.inst(add).clone();
        s.function.replace(add, data.with_flags(flags));
        Some(())
    }),
    row("ctlz-widened-without-correction", "forgotten leftover part", BOTH, &["G_CTLZ"], WIDEN, |s| {
        s.skip(s.first(G_SUB)?, 1)
    }),
    row("cttz-widened-without-end", "forgotten leftover part", BOTH, &["G_CTTZ"], WIDEN, |s| s.skip(s.first(G_OR)?, 1)),
    row("bswap-widened-without-shift", "forgotten leftover part", ALL, &["G_BSWAP"], WIDEN, |s| {
        s.skip(s.first(G_LSHR)?, 1)
    }),
    row("freeze-widened-to-copy", "undefined value duplicated", BOTH, &["G_FREEZE"], WIDEN, |s| {
        s.skip(s.first(G_FREEZE)?, 1)
    }),
    row("word-sum-extended-too-low", "wrong extension width", RV64, &["G_ADD", "G_SUB"], CUSTOM, |s| {
        s.immediate(s.first(G_SEXT_INREG)?, 2, |bits| bits - 1)
    }),
    // Narrowing
    row("carry-turned-over", "carry polarity", ALL, &["G_ADD"], NARROW, |s| {
        s.predicate(s.first(G_ICMP)?, IntPredicate::inverse)
    }),
    row("carry-of-equal-sums", "carry polarity", ALL, &["G_ADD"], NARROW, |s| {
        s.predicate(s.first(G_ICMP)?, |_| IntPredicate::Ule)
    }),
    row("borrow-the-other-way", "carry polarity", ALL, &["G_SUB"], NARROW, |s| s.swap(s.first(G_ICMP)?, 2, 3)),
    row("product-without-a-cross-term", "forgotten leftover part", ALL, &["G_MUL"], NARROW, |s| {
        s.skip(s.last(G_ADD)?, 1)
    }),
    row("product-with-signed-carry", "wrong sign of a high product", RISCV, &["G_MUL"], NARROW, |s| {
        s.turn(G_UMULH, G_SMULH)
    }),
    row("high-product-without-a-carry", "forgotten leftover part", BOTH, &["G_UMULH"], NARROW, |s| {
        s.skip(s.nth(G_ADD, 2)?, 1)
    }),
    row("wide-shift-reaches-the-half", "shift amount modulo", BOTH, &["G_SHL"], NARROW, |s| {
        s.predicate(s.first(G_ICMP)?, |_| IntPredicate::Ule)
    }),
    row("wide-shift-by-nothing", "llvm#55003", BOTH, &["G_LSHR"], NARROW, |s| s.skip(s.first(G_SELECT)?, 3)),
    row("wide-ashr-filled-with-zeros", "forgotten sign", BOTH, &["G_ASHR"], NARROW, |s| {
        s.becomes(s.last(G_ASHR)?, G_LSHR)
    }),
    row("wide-order-of-signed-low-halves", "wrong predicate", BOTH, &["G_ICMP"], NARROW, |s| {
        s.predicate(s.nth(G_ICMP, 1)?, |predicate| match predicate {
            IntPredicate::Ult => IntPredicate::Slt,
            IntPredicate::Ule => IntPredicate::Sle,
            IntPredicate::Ugt => IntPredicate::Sgt,
            IntPredicate::Uge => IntPredicate::Sge,
            other => other,
        })
    }),
    row("wide-equality-of-low-halves", "forgotten leftover part", ALL, &["G_ICMP"], NARROW, |s| {
        s.skip(s.first(G_OR)?, 1)
    }),
    row("phi-with-halves-exchanged", "parts in the wrong order", BOTH, &["G_PHI"], NARROW, |s| {
        s.swap(s.first(G_MERGE_VALUES)?, 1, 2)
    }),
    row("constant-with-halves-exchanged", "parts in the wrong order", BOTH, &["G_CONSTANT"], NARROW, |s| {
        s.swap(s.first(G_MERGE_VALUES)?, 1, 2)
    }),
    row("last-part-of-a-bitwise-operation", "forgotten leftover part", ALL, &["G_AND", "G_OR", "G_XOR"], NARROW, |s| {
        let opcode = s.before.last()?.opcode;
        s.skip(s.last(opcode)?, 1)
    }),
    row("wide-count-without-the-other-half", "forgotten leftover part", BOTH, &["G_CTPOP"], NARROW, |s| {
        s.skip(s.first(G_ADD)?, 1)
    }),
    row("wide-zeros-of-the-wrong-half", "select operands inverted", BOTH, &["G_CTLZ", "G_CTTZ"], NARROW, |s| {
        s.swap(s.first(G_SELECT)?, 2, 3)
    }),
    row("sign-spread-from-one-bit-low", "off by one", BOTH, &["G_SEXT_INREG"], NARROW, |s| {
        s.constant_of(s.last(G_ASHR)?, 2, less)
    }),
    row(
        "wide-select-takes-one-half",
        "or-of-and took the wrong operand, llvm#55284",
        BOTH,
        &["G_SELECT"],
        NARROW,
        |s| s.swap(s.last(G_SELECT)?, 2, 3),
    ),
    // Memory
    row("load-with-halves-exchanged", "parts in the wrong order", BOTH, &["G_LOAD"], NARROW, |s| {
        s.swap(s.first(G_MERGE_VALUES)?, 1, 2)
    }),
    row("load-of-one-place-twice", "wrong offset", BOTH, &["G_LOAD"], NARROW, |s| s.skip(s.last(G_PTR_ADD)?, 1)),
    row("store-without-its-last-part", "forgotten leftover part", BOTH, &["G_STORE"], NARROW, |s| {
        s.drop(s.last(G_STORE)?)
    }),
    row("split-load-with-signed-low-part", "load size or sign", ALL, &["G_LOAD", "G_ZEXTLOAD"], LOWER, |s| {
        s.turn(G_ZEXTLOAD, G_SEXTLOAD)
    }),
    row("split-store-at-one-place", "wrong offset", ALL, &["G_STORE"], LOWER, |s| s.skip(s.last(G_PTR_ADD)?, 1)),
    row("odd-store-with-garbage-above", "load size or sign", ALL, &["G_STORE"], LOWER, |s| s.skip(s.first(G_AND)?, 1)),
    // Lowering
    row("funnel-amount-not-reduced", "llvm#55003", BOTH, &["G_FSHL", "G_FSHR"], LOWER, |s| s.skip(s.first(G_AND)?, 1)),
    row("funnel-by-one-too-many", "llvm#56664", BOTH, &["G_FSHL", "G_FSHR"], LOWER, |s| {
        s.constant_of(s.first(G_SUB)?, 1, more)
    }),
    row("rotation-the-other-way", "wrong operation", ALL, &["G_ROTL", "G_ROTR"], LOWER, |s| {
        s.turn(G_FSHL, G_FSHR).or_else(|| s.turn(G_FSHR, G_FSHL))
    }),
    row("uaddsat-short-of-its-bound", "saturation bound", BOTH, &["G_UADDSAT"], LOWER, |s| {
        s.constant_of(s.last(G_SELECT)?, 2, less)
    }),
    row("usubsat-keeps-what-wrapped", "llvm#127804", BOTH, &["G_USUBSAT"], LOWER, |s| s.swap(s.last(G_SELECT)?, 2, 3)),
    row("saddsat-at-the-other-bound", "saturation bound", BOTH, &["G_SADDSAT", "G_SSUBSAT"], LOWER, |s| {
        s.constant_of(s.last(G_XOR)?, 2, Bits::not)
    }),
    row("ushlsat-saturates-what-fits", "wrong predicate", BOTH, &["G_USHLSAT"], LOWER, |s| {
        s.predicate(s.first(G_ICMP)?, IntPredicate::inverse)
    }),
    row("sshlsat-unsigned", "forgotten sign", BOTH, &["G_SSHLSAT"], LOWER, |s| s.turn(G_ASHR, G_LSHR)),
    row("saddo-of-zero", "wrong predicate", BOTH, &["G_SADDO", "G_SSUBO"], LOWER, |s| {
        s.predicate(s.last(G_ICMP)?, |predicate| match predicate {
            IntPredicate::Slt => IntPredicate::Sle,
            _ => IntPredicate::Sge,
        })
    }),
    row("uadde-forgets-a-carry", "carry polarity", BOTH, &["G_UADDE", "G_USUBE"], LOWER, |s| s.skip(s.first(G_OR)?, 1)),
    row("smulo-of-negative-products", "forgotten sign", BOTH, &["G_SMULO"], LOWER, |s| s.turn(G_ASHR, G_LSHR)),
    row("smulh-corrected-once", "forgotten leftover part", BOTH, &["G_SMULH"], LOWER, |s| s.skip(s.last(G_SUB)?, 1)),
    row("average-of-negatives", "forgotten sign", BOTH, &["G_SAVGFLOOR", "G_SAVGCEIL"], LOWER, |s| {
        s.turn(G_ASHR, G_LSHR)
    }),
    row("fixed-point-scale-off-by-one", "off by one", BOTH, &["G_SMULFIX", "G_UMULFIX"], LOWER, |s| {
        s.constant_of(s.first(G_LSHR)?, 2, less)
    }),
    row("abs-of-the-wrong-sign-bit", "missing INT_MIN guard, synth#633", BOTH, &["G_ABS"], LOWER, |s| {
        s.constant_of(s.first(G_ASHR)?, 2, less)
    }),
    row("minimum-is-maximum", "select operands inverted", BOTH, &["G_SMIN", "G_SMAX"], LOWER, |s| {
        s.swap(s.last(G_SELECT)?, 2, 3)
    }),
    row("unsigned-minimum-signed", "wrong predicate", BOTH, &["G_UMIN", "G_UMAX"], LOWER, |s| {
        s.predicate(s.first(G_ICMP)?, |predicate| match predicate {
            IntPredicate::Ult => IntPredicate::Slt,
            _ => IntPredicate::Sgt,
        })
    }),
    row("three-way-reversed", "operands exchanged", BOTH, &["G_SCMP", "G_UCMP"], LOWER, |s| {
        s.swap(s.last(G_SUB)?, 1, 2)
    }),
    row("distance-of-signs", "wrong predicate", BOTH, &["G_ABDU"], LOWER, |s| {
        s.predicate(s.first(G_ICMP)?, |_| IntPredicate::Sgt)
    }),
    row("population-of-overlapping-lanes", "wrong mask", BOTH, &["G_CTPOP"], LOWER, |s| {
        s.constant_of(s.nth(G_AND, 0)?, 2, |mask| mask.add(mask))
    }),
    row("leading-zeros-smeared-too-short", "forgotten last round", RISCV, &["G_CTLZ"], LOWER, |s| {
        s.skip(s.last(G_OR)?, 1)
    }),
    row("byte-swap-with-a-misplaced-mask", "wrong mask", RISCV, &["G_BSWAP"], LOWER, |s| {
        s.constant_of(s.first(G_AND)?, 2, |mask| mask.shl(1))
    }),
    row("sign-extension-of-a-bit-too-many", "llvm#61008", RISCV, &["G_SEXT_INREG"], LOWER, |s| {
        s.constant_of(s.first(G_SHL)?, 2, less)
    }),
    row("insert-over-what-was-there", "wrong mask", BOTH, &["G_INSERT"], LOWER, |s| s.skip(s.first(G_AND)?, 1)),
    row("extract-one-bit-high", "off by one", BOTH, &["G_EXTRACT"], LOWER, |s| {
        s.constant_of(s.first(G_LSHR)?, 2, more)
    }),
    row("field-without-its-sign", "forgotten sign", BOTH, &["G_SBFX"], LOWER, |s| s.turn(G_ASHR, G_LSHR)),
    row("parts-put-together-one-bit-low", "off by one", ALL, &["G_MERGE_VALUES"], LOWER, |s| {
        s.constant_of(s.first(G_SHL)?, 2, less)
    }),
    row("parts-taken-apart-one-bit-low", "off by one", ALL, &["G_UNMERGE_VALUES"], LOWER, |s| {
        s.constant_of(s.first(G_LSHR)?, 2, less)
    }),
    row("remainder-of-unsigned-division", "wrong operation", BOTH, &["G_SDIVREM"], LOWER, |s| s.turn(G_SREM, G_UREM)),
    // Library calls
    row("call-of-another-function", "wrong callee", ALL, &["G_UDIV", "G_SDIV", "G_UREM", "G_SREM"], LIBCALL, |s| {
        let name = callee(s)?;
        let other = if name.contains("mod") { name.replace("mod", "div") } else { name.replace("div", "mod") };
        called(s, &other)
    }),
    row(
        "results-of-a-call-exchanged",
        "parts in the wrong order",
        BOTH,
        &["G_UDIV", "G_SDIV", "G_UREM", "G_SREM"],
        LIBCALL,
        |s| s.swap(s.last(G_MERGE_VALUES)?, 1, 2),
    ),
    // Artifact combines
    combine("zext-of-trunc-for-nothing", "llvm#58431", ALL, &["zext_of_trunc"], |s| s.skip(s.first(G_AND)?, 1)),
    combine("sext-of-trunc-of-one-bit", "llvm#61008", ALL, &["sext_of_trunc"], |s| {
        s.immediate(s.first(G_SEXT_INREG)?, 2, |bits| if bits == 1 { 8 } else { bits })
    }),
    combine("constant-extended-by-the-other-sign", "llvm#55490", A64, &["ext_of_constant"], |s| {
        let narrow = s.function.type_of(s.before.last()?.vreg(1)?)?.bits();
        let is_zext = s.before.last()?.opcode == G_ZEXT;
        s.constant(s.first(G_CONSTANT)?, |value| {
            let low = value.zext_or_trunc(narrow);
            if is_zext { low.sext_or_trunc(value.width()) } else { low.zext_or_trunc(value.width()) }
        })
    }),
    combine("parts-of-an-extension-without-sign", "forgotten sign", BOTH, &["unmerge_of_ext"], |s| {
        s.turn(G_ASHR, G_LSHR)
    }),
    combine("division-by-a-smaller-multiplier", "off by one", BOTH, &["udiv_by_constant"], |s| {
        s.constant_of(s.first(G_UMULH)?, 2, less)
    }),
    combine("division-shifted-once-more", "llvm#71440", ALL, &["udiv_by_constant"], |s| {
        s.constant_of(s.last(G_LSHR)?, 2, more)
    }),
    combine("copy-of-one-place-twice", "wrong offset", ALL, &["memcpy_of_constant_length"], |s| {
        s.skip(s.first(G_PTR_ADD)?, 1)
    }),
    combine("move-without-its-last-part", "forgotten leftover part", ALL, &["memmove_of_constant_length"], |s| {
        s.drop(s.last(G_STORE)?)
    }),
    combine("move-that-stores-too-early", "memmove as memcpy", ALL, &["memmove_of_constant_length"], |s| {
        let (load, store) = (s.last(G_LOAD)?, s.first(G_STORE)?);
        s.exchange(load, store)
    }),
    combine("filled-with-a-signed-byte", "extension kind swapped", ALL, &["memset_of_constant_length"], |s| {
        s.turn(G_ZEXT, G_SEXT)
    }),
    combine("filled-in-part", "forgotten last round", ALL, &["memset_of_constant_length"], |s| {
        s.skip(s.last(G_OR)?, 1)
    }),
    row("length-widened-by-its-sign", "extension kind swapped", ALL, MEMORY_FUNCTIONS, LIBCALLS, |s| {
        s.turn(G_ZEXT, G_SEXT)
    }),
    row("arguments-of-a-copy-exchanged", "operands exchanged", ALL, &["G_MEMCPY", "G_MEMMOVE"], LIBCALLS, |s| {
        let copies: Vec<_> = s.after.iter().copied().filter(|&inst| s.function.inst(inst).opcode == COPY).collect();
        let [one, other, ..] = copies[..] else { return None };
        let source = |inst| s.function.inst(inst).operands[1];
        let (first, second) = (source(one), source(other));
        s.function.set_operand(one, 1, second);
        s.function.set_operand(other, 1, first);
        Some(())
    }),
    row("copy-for-a-move", "wrong callee", ALL, &["G_MEMMOVE"], LIBCALLS, |s| called(s, "memcpy")),
    combine("remainder-by-a-short-mask", "wrong mask", ALL, &["urem_by_constant"], |s| {
        s.constant_of(s.first(G_AND)?, 2, |mask| mask.lshr(1))
    }),
];
