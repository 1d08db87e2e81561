//! Planted faults of the machine code's bytes and of their relocations.

use super::{A64, BOTH, Fault, Plant, Programs, RISCV, RV64};
use object::elf::{self, RelocationType};
use tribunal_codegen::pipeline::Code;
use tribunal_ir::{InstData, Opcode, OpcodeFlags, Operand, Reg};
use tribunal_target::Target;

const fn row(
    name: &'static str,
    model: &'static str,
    targets: &'static [&'static str],
    change: fn(&mut Code, &'static Target) -> Option<()>,
) -> Fault {
    Fault { name, model, targets, plant: Plant::Emission(change), programs: Programs::Generated }
}

pub(super) static FAULTS: &[Fault] = &[
    row("branch-one-instruction-far", "branch off by one", RV64, |code, target| {
        last_inst(code, target, |data, flags| {
            let is_branch = flags.contains(OpcodeFlags::BRANCH) && !flags.contains(OpcodeFlags::CALL);
            with_last_immediate(data, |distance| distance + 4).filter(|_| is_branch)
        })
    }),
    row("jump-backwards-from-its-end", "branch off by one", RV64, |code, target| {
        last_inst(code, target, |data, flags| {
            let is_jump = flags.contains(OpcodeFlags::BRANCH | OpcodeFlags::BARRIER);
            with_last_immediate(data, |distance| distance - 4).filter(|_| is_jump)
        })
    }),
    row("immediate-without-its-sign", "off-by-one immediate range", RV64, |code, target| {
        last_inst(code, target, |data, _| {
            let is_short = data.imm(2).is_some_and(|value| (-2048..0).contains(&value));
            with_last_immediate(data, |value| value & 0x7ff).filter(|_| is_short && named(data, target, "ADDI"))
        })
    }),
    row("shift-amount-without-its-top-bit", "shift amount modulo", RV64, |code, target| {
        last_inst(code, target, |data, _| {
            let shifts = ["SLLI", "SRLI", "SRAI"].iter().any(|name| named(data, target, name));
            let is_long = data.imm(2).is_some_and(|amount| amount >= 32);
            with_last_immediate(data, |amount| amount & 31).filter(|_| shifts && is_long)
        })
    }),
    row("another-destination", "wrong register", RV64, |code, target| {
        last_inst(code, target, |data, flags| {
            (flags == OpcodeFlags::empty()).then_some(())?;
            let mut data = data.clone();
            let Operand::Reg(operand) = data.operands.first_mut()? else { return None };
            let register = operand.reg.as_physical()?;
            let full = target.vocabulary.full_register(register);
            let arguments = target.abi.arguments();
            let place = arguments.iter().position(|&argument| argument == full)?;
            let other = arguments[(place + 1) % arguments.len()];
            operand.reg = Reg::Physical(target.part_of(other, target.vocabulary.register_bits(register)));
            Some(data)
        })
    }),
    row("sources-exchanged", "operands exchanged", RV64, |code, target| {
        last_inst(code, target, |data, _| {
            let subtracts = ["SUB", "SUBW", "SUBWrr", "SUBXrr"].iter().any(|name| named(data, target, name));
            let mut data = data.clone();
            (subtracts && data.operands[1] != data.operands[2]).then(|| data.operands.swap(1, 2))?;
            Some(data)
        })
    }),
    row("return-left-out", "code cut short", BOTH, |code, _| {
        let length = code.bytes.len().checked_sub(4)?;
        code.bytes.truncate(length);
        Some(())
    }),
    row("call-linked-to-another-function", "relocation of another symbol", BOTH, |code, _| {
        let exchange = |symbol: &str| {
            let (called, other) =
                [("mod", "div"), ("div", "mod")].into_iter().find(|(name, _)| symbol.contains(name))?;
            // There is no remainder of floating point.
            symbol.ends_with("i3").then(|| symbol.replace(called, other))
        };
        let (call, symbol) =
            code.calls.iter_mut().find_map(|call| exchange(&call.symbol).map(|other| (call, other)))?;
        call.symbol = symbol;
        Some(())
    }),
    row("relocation-without-its-addend", "addend dropped", BOTH, |code, _| {
        let relocation = code.relocations.iter_mut().find(|relocation| relocation.addend != 0)?;
        relocation.addend = 0;
        Some(())
    }),
    row("low-part-of-the-upper-half", "wrong relocation kind", RV64, |code, _| {
        exchanged(code, elf::R_RISCV_LO12_I, elf::R_RISCV_LO12_S)
    }),
    row("place-in-page-of-a-scaled-access", "wrong relocation kind", A64, |code, _| {
        exchanged(code, elf::R_AARCH64_LD64_GOT_LO12_NC, elf::R_AARCH64_ADD_ABS_LO12_NC)
    }),
    row("address-of-the-entry-of-a-symbol", "wrong relocation kind", A64, |code, _| {
        exchanged(code, elf::R_AARCH64_ADR_GOT_PAGE, elf::R_AARCH64_ADR_PREL_PG_HI21)
    }),
    row("low-part-of-a-store-in-a-thread", "wrong relocation kind", RISCV, |code, _| {
        exchanged(code, elf::R_RISCV_TPREL_LO12_I, elf::R_RISCV_TPREL_LO12_S)
    }),
    row("low-part-of-a-distance-for-the-upper", "wrong relocation kind", A64, |code, _| {
        exchanged(code, elf::R_AARCH64_TLSLE_ADD_TPREL_HI12, elf::R_AARCH64_TLSLE_ADD_TPREL_LO12_NC)
    }),
    row("entry-of-an-address-for-that-of-a-distance", "wrong relocation kind", A64, |code, _| {
        exchanged(code, elf::R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21, elf::R_AARCH64_ADR_GOT_PAGE)
    }),
    row("relocation-one-word-late", "relocation of another word", BOTH, |code, _| {
        code.relocations.first_mut().map(|relocation| relocation.offset += 4)
    }),
    row("table-of-the-code-one-block-late", "jump table off by one", BOTH, |code, _| {
        let table = code.tables.tables.iter_mut().find(|table| table.windows(2).any(|pair| pair[0] != pair[1]))?;
        table.rotate_left(1);
        Some(())
    }),
    row("conditional-branch-one-word-far", "branch off by one", A64, |code, _| {
        last_word(code, |word| is_conditional(word).then(|| word.wrapping_add(1 << 5)))
    }),
    row("jump-one-word-short", "branch off by one", A64, |code, _| {
        last_word(code, |word| {
            (word & 0xfc00_0000 == 0x1400_0000).then(|| word & 0xfc00_0000 | word.wrapping_sub(1) & 0x3ff_ffff)
        })
    }),
    row("last-bit-of-a-field-off", "off-by-one immediate", A64, |code, _| {
        // UBFM: the lowest bit of `imms`.
        last_word(code, |word| (word & 0x7f80_0000 == 0x5300_0000).then_some(word ^ 1 << 10))
    }),
    row("another-destination-register", "wrong register", A64, |code, _| {
        // Sums and bitwise operations of registers below x8.
        let plain = |word: u32| word & 0x1e00_0000 == 0x0a00_0000 && word & 31 < 8;
        last_word(code, |word| plain(word).then(|| word & !31 | (word + 1) & 7))
    }),
    row("difference-of-exchanged-sources", "operands exchanged", A64, |code, _| {
        // SUB of registers, unshifted.
        let plain = |word: u32| word & 0x7fe0_fc00 == 0x4b00_0000;
        last_word(code, |word| {
            plain(word).then_some(word & !0x1f_03e0 | (word >> 16 & 31) << 5 | (word >> 5 & 31) << 16)
        })
    }),
];

/// Changes the last word that `change` changes, where words can be decoded.
fn last_inst(
    code: &mut Code,
    target: &Target,
    change: impl Fn(&InstData, OpcodeFlags) -> Option<InstData>,
) -> Option<()> {
    last_word(code, |word| {
        let data = target.decode(word)?;
        let Opcode::Target(opcode) = data.opcode else { return None };
        target.encode(&change(&data, target.instruction(opcode).flags)?).ok()
    })
}

/// Gives the first relocation of one kind the other.
fn exchanged(code: &mut Code, from: RelocationType, to: RelocationType) -> Option<()> {
    code.relocations.iter_mut().find(|relocation| relocation.kind == from).map(|relocation| relocation.kind = to)
}

/// Changes the last word that `change` changes.
fn last_word(code: &mut Code, change: impl Fn(u32) -> Option<u32>) -> Option<()> {
    code.bytes.rchunks_exact_mut(4).find_map(|bytes| {
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let changed = change(word).filter(|&changed| changed != word)?;
        bytes.copy_from_slice(&changed.to_le_bytes());
        Some(())
    })
}

/// A64: `B.cond`, `CBZ` and `CBNZ` hold their distance, in words, in 19 bits from bit 5 on.
fn is_conditional(word: u32) -> bool {
    word & 0xff00_0010 == 0x5400_0000 || word & 0x7e00_0000 == 0x3400_0000
}

fn with_last_immediate(data: &InstData, change: impl Fn(i64) -> i64) -> Option<InstData> {
    let mut data = data.clone();
    let immediate = data.operands.iter_mut().rev().find_map(|operand| match operand {
        Operand::Imm(value) => Some(value),
        _ => None,
    })?;
    *immediate = change(*immediate);
    Some(data)
}

fn named(data: &InstData, target: &Target, name: &str) -> bool {
    target.vocabulary.opcode(name).map(Opcode::Target) == Some(data.opcode)
}
