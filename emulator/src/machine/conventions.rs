//! The registers that a function must leave as they were, those that a callee may change, those of arguments and
//! results, and the thread pointer, as the psABIs list them; and the accesses that a machine guarantees to make.
//! Sources: RISC-V ELF psABI, "Integer Register Convention", "Floating-point Register Convention", "Integer Calling
//! Convention", "Hardware Floating-point Calling Convention", "Frame Pointer Convention" and "DWARF Register Numbers";
//! Procedure Call Standard for the Arm 64-bit Architecture, "General-purpose Registers", "SIMD and Floating-Point
//! Registers", "The Frame Pointer", "Parameter passing rules" and "Result return"; DWARF for the Arm 64-bit
//! Architecture, "DWARF register names". The RISC-V Instruction Set Manual, Volume I, "Load and Store Instructions";
//! Arm Architecture Reference Manual, "Alignment of data accesses".
//!
//! Invariant: the lists are read from those documents, and not from the target. A wrong list of the backend is seen.

use tribunal_ir::{PReg, RegMask};
use tribunal_target::Target;
use tribunal_target::aarch64::{self, AARCH64};
use tribunal_target::calls::{PassedValue, Signature};
use tribunal_target::riscv::{self, RISCV32, RISCV64};
use tribunal_target::runtime::RuntimeType;

/// A run of registers: the first, and their count.
type Run = (PReg, u16);

/// The accesses that a machine guarantees to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessRule {
    /// Those whose address is a multiple of their size: an environment may trap on others.
    Aligned,
    /// Any, but for the instructions that ask for more.
    Any,
}

/// The lists of one machine. The stack pointer and the zero register are in neither.
struct Convention {
    targets: &'static [&'static Target],
    /// Preserved, or nobody's to change: those that belong to the platform, to threads or to the linker.
    kept: &'static [Run],
    /// Those of `kept` that a platform may give to functions: Linux gives r18 of AArch64.
    platform: &'static [PReg],
    /// A callee may leave anything in them.
    changed: &'static [Run],
    /// Registers of arguments, and of results from the first on: of integers, and of numbers.
    passing: [Run; 2],
    /// The widest number that is passed in a register of numbers where the call names no convention, in bits.
    number_bits: u32,
    /// Whether an integer of two registers begins at an even place.
    is_even: bool,
    /// Whether a number of more than two registers is passed by reference.
    refers: bool,
    accesses: AccessRule,
    /// The thread pointer; `None` where it is a register of the system.
    thread_pointer: Option<PReg>,
    /// The frame pointer.
    frame_pointer: PReg,
    /// The distances, in registers, from the frame pointer to the words of the frame record: the caller's frame
    /// pointer, and the return address.
    frame_record: [i64; 2],
    /// Runs of full registers that an unwinder's table names, each with the number of the first.
    dwarf_numbers: &'static [(u16, Run)],
}

static CONVENTIONS: &[Convention] = &[
    Convention {
        targets: &[&RISCV64, &RISCV32],
        // gp and tp; s0 and s1; s2 to s11; fs0 and fs1; fs2 to fs11.
        kept: &[
            (riscv::registers::x(3), 2),
            (riscv::registers::x(8), 2),
            (riscv::registers::x(18), 10),
            (riscv::registers::f(8), 2),
            (riscv::registers::f(18), 10),
        ],
        platform: &[],
        // ra; t0 to t2; a0 to a7; t3 to t6; ft0 to ft7; fa0 to fa7; ft8 to ft11.
        changed: &[
            (riscv::registers::x(1), 1),
            (riscv::registers::x(5), 3),
            (riscv::registers::x(10), 8),
            (riscv::registers::x(28), 4),
            (riscv::registers::f(0), 8),
            (riscv::registers::f(10), 8),
            (riscv::registers::f(28), 4),
        ],
        // a0 to a7; fa0 to fa7.
        passing: [(riscv::registers::x(10), 8), (riscv::registers::f(10), 8)],
        number_bits: 0,
        is_even: false,
        refers: true,
        accesses: AccessRule::Aligned,
        thread_pointer: Some(riscv::registers::x(4)),
        frame_pointer: riscv::registers::x(8),
        frame_record: [-2, -1],
        dwarf_numbers: &[(1, (riscv::registers::x(1), 31)), (32, (riscv::registers::f(0), 32))],
    },
    Convention {
        targets: &[&AARCH64],
        // r18, the platform's; r19 to r28; the frame pointer; the lower halves of v8 to v15, which is what an engine
        // has of them.
        kept: &[(aarch64::registers::x(18), 12), (aarch64::registers::q(8), 8)],
        platform: &[aarch64::registers::x(18)],
        // r0 to r17; the link register; flags; v0 to v7; v16 to v31.
        changed: &[
            (aarch64::registers::x(0), 18),
            (aarch64::registers::LR, 1),
            (aarch64::registers::NZCV, 1),
            (aarch64::registers::q(0), 8),
            (aarch64::registers::q(16), 16),
        ],
        // r0 to r7; v0 to v7.
        passing: [(aarch64::registers::x(0), 8), (aarch64::registers::q(0), 8)],
        number_bits: 128,
        is_even: true,
        refers: false,
        accesses: AccessRule::Any,
        thread_pointer: None,
        frame_pointer: aarch64::registers::x(29),
        frame_record: [0, 1],
        dwarf_numbers: &[
            (0, (aarch64::registers::x(0), 30)),
            (30, (aarch64::registers::LR, 1)),
            (31, (aarch64::registers::SP, 1)),
            (64, (aarch64::registers::q(0), 32)),
        ],
    },
];

/// Where the words of the frame record lie from this register on, in bytes: the caller's frame pointer, and the return
/// address. `None` if it is not the frame pointer.
pub(super) fn frame_record(target: &Target, register: PReg) -> Option<[i64; 2]> {
    let convention = of(target).filter(|convention| convention.frame_pointer == register)?;
    Some(convention.frame_record.map(|words| words * i64::from(target.register_bytes())))
}

fn of(target: &Target) -> Option<&'static Convention> {
    CONVENTIONS.iter().find(|row| row.targets.iter().any(|own| own.name == target.name))
}

fn listed(runs: &[Run]) -> Vec<PReg> {
    runs.iter().flat_map(|&(first, count)| (first.0..first.0 + count).map(PReg)).collect()
}

/// The registers that a function leaves as they were, besides the stack pointer. A machine without a document has its
/// own word.
pub(super) fn kept(target: &Target) -> Vec<PReg> {
    of(target).map_or_else(|| target.abi.callee_saved.to_vec(), |row| listed(row.kept))
}

/// The registers of [`kept`] that a platform may give to functions.
pub(super) fn platform(target: &Target) -> &'static [PReg] {
    of(target).map_or(&[], |row| row.platform)
}

/// The registers that a callee may change.
pub(super) fn changed(target: &Target) -> Vec<PReg> {
    of(target).map_or_else(|| target.abi.caller_saved.to_vec(), |row| listed(row.changed))
}

/// The registers of arguments that are integers or pointers, in order.
pub(super) fn arguments(target: &Target) -> Vec<PReg> {
    of(target).map_or_else(|| target.abi.arguments().to_vec(), |row| listed(&row.passing[..1]))
}

/// The registers in which a function of the library is passed its arguments and leaves its result, for a signature of
/// the backend: the documents say which, and the signature how wide. A result lies where a first argument would. If
/// that is by reference, the caller passes its place before all arguments. `None` where not all lie in registers.
pub(super) fn documented(
    target: &Target,
    (arguments, result): (&[RuntimeType], RuntimeType),
    mask: Option<RegMask>,
    said: Signature,
) -> Option<Signature> {
    let Some(convention) = of(target) else { return Some(said) };
    let number_bits = mask.and_then(|mask| target.passed_float_bits(mask)).unwrap_or(convention.number_bits);
    let mut next = [0; 2];
    let result = convention.placed(target, (said.result, result), number_bits, &mut next)?;
    if !result.by_reference {
        next = [0; 2];
    }
    let placed = said.arguments.into_iter().zip(arguments);
    let placed = placed.map(|(said, &ty)| convention.placed(target, (said, ty), number_bits, &mut next));
    Some(Signature { arguments: placed.collect::<Option<_>>()?, result })
}

impl Convention {
    /// The next registers for a value; `next` are the places after those of the values before it.
    fn placed(
        &self,
        target: &Target,
        (said, ty): (PassedValue, RuntimeType),
        number_bits: u32,
        next: &mut [u16; 2],
    ) -> Option<PassedValue> {
        let is_number = matches!(ty, RuntimeType::Float(bits) if bits <= number_bits);
        let kind = usize::from(is_number);
        let words = ty.bits().div_ceil(target.pointer_bits.into()) as u16;
        let by_reference = self.refers && !is_number && words > 2;
        let count = if is_number || by_reference { 1 } else { words };
        if self.is_even && count == 2 && !is_number {
            next[kind] = next[kind].next_multiple_of(2);
        }
        let ((first, all), place) = (self.passing[kind], next[kind]);
        next[kind] += count;
        let whole = if is_number { ty.bits() } else { target.pointer_bits.into() };
        let part = |index: u16| {
            let said = said.registers.get(usize::from(index));
            let bits = said.map_or(whole, |&register| target.vocabulary.register_bits(register));
            target.part_of(PReg(first.0 + place + index), bits)
        };
        let registers = || (0..count).map(part).collect();
        (place + count <= all).then(|| PassedValue { registers: registers(), bits: ty.bits(), by_reference })
    }
}

/// The general register that holds the thread pointer.
pub(super) fn thread_pointer(target: &Target) -> Option<PReg> {
    of(target)?.thread_pointer
}

/// The number by which an unwinder's table names a full register; `None` where it has none.
pub(super) fn dwarf_number(target: &Target, register: PReg) -> Option<u16> {
    let number = |&(number, (first, count)): &(u16, Run)| {
        let place = register.0.checked_sub(first.0).filter(|&place| place < count)?;
        Some(number + place)
    };
    of(target)?.dwarf_numbers.iter().find_map(number)
}

/// The full register of such a number.
pub(super) fn of_dwarf_number(target: &Target, number: u16) -> Option<PReg> {
    let register = |&(own, (first, count)): &(u16, Run)| {
        let place = number.checked_sub(own).filter(|&place| place < count)?;
        Some(PReg(first.0 + place))
    };
    of(target)?.dwarf_numbers.iter().find_map(register)
}

/// The accesses that the machine makes. Of one without a document its rows say more.
pub(super) fn accesses(target: &Target) -> AccessRule {
    of(target).map_or(AccessRule::Any, |row| row.accesses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tribunal_target::runtime::FUNCTIONS;

    /// The backend saves no register that it need not, relies on none that may change, and each register is in a list.
    #[test]
    fn the_targets_lists_are_those_of_the_documents() {
        for &target in tribunal_target::ALL {
            let [kept, changed]: [BTreeSet<PReg>; 2] =
                [kept(target), changed(target)].map(|list| list.into_iter().collect());
            assert!(of(target).is_some(), "{}", target.name);
            let [saved, lost]: [BTreeSet<PReg>; 2] =
                [target.abi.callee_saved, target.abi.caller_saved].map(|list| list.iter().copied().collect());
            assert_eq!(lost, changed, "{}", target.name);
            assert_eq!(target.abi.thread_pointer.register(), thread_pointer(target), "{}", target.name);
            assert!(saved.is_subset(&kept), "{}", target.name);
            let full = (0..).map(PReg).zip(target.registers).filter(|(register, row)| row.full == *register);
            for (register, row) in full.filter(|(register, _)| !target.vocabulary.is_zero_register(*register)) {
                let lists = [kept.contains(&register), changed.contains(&register)];
                let is_stack_pointer = register == target.abi.stack_pointer;
                let count = lists.iter().filter(|&&is_in| is_in).count();
                assert_eq!(count, usize::from(!is_stack_pointer), "{} of {}", row.name, target.name);
            }
        }
    }

    /// The backend passes values as the documents say, for every function of the library by every convention.
    #[test]
    fn arguments_lie_where_the_documents_say() {
        let shown = |signature: Signature| -> Vec<(Vec<PReg>, u32, bool)> {
            let values = signature.arguments.into_iter().chain([signature.result]);
            values.map(|value| (value.registers.to_vec(), value.bits, value.by_reference)).collect()
        };
        let mut compared = 0;
        for &target in tribunal_target::ALL {
            let floats = target.abi.calls.as_ref().map_or(&[][..], |calls| calls.floats);
            for mask in floats.iter().map(|convention| Some(convention.mask)).chain([None]) {
                for function in FUNCTIONS.iter() {
                    let said = || target.signature(function, mask);
                    let (Some(said), Some(again)) = (said(), said()) else { continue };
                    let types = (function.arguments, function.result);
                    let own = documented(target, types, mask, said).map(shown);
                    assert_eq!(own, Some(shown(again)), "{} of {}", function.name, target.name);
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 1_822, "functions by conventions");
    }

    /// An integer of two registers is passed in an even pair on the machine whose document asks for it.
    #[test]
    fn pairs_begin_where_the_documents_say() {
        for &target in tribunal_target::ALL {
            let convention = of(target).expect("a document");
            let (pair, said) = (RuntimeType::Integer(2 * u32::from(target.pointer_bits)), || PassedValue {
                registers: Default::default(),
                bits: 0,
                by_reference: false,
            });
            let mut next = [1, 0];
            let placed = convention.placed(target, (said(), pair), 0, &mut next).expect("there are registers");
            let first = convention.passing[0].0.0 + if convention.is_even { 2 } else { 1 };
            assert_eq!(placed.registers.to_vec(), [PReg(first), PReg(first + 1)], "{}", target.name);
            assert!(convention.placed(target, (said(), pair), 0, &mut [7, 0]).is_none(), "{}", target.name);
        }
    }
}
