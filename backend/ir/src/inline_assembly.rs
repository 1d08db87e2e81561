//! Inline assembly without a text: it holds the compiler back, and the machine executes nothing.
//!
//! ```text
//! INLINEASM &"", 25, !10                                          asm volatile("" ::: "memory")
//! INLINEASM &"", 0, 3866634, def %1, 2147483657, %2(tied-def 3)   asm("" : "+r"(x)): %1 is %2
//! ```
//!
//! Source: LLVM's `InlineAsm::Flag`. A group of operands follows a number that says its kind, how many they are, and to
//! which earlier group it is tied.

use crate::address::AddressBase;
use crate::function::Function;
use crate::inst::InstData;
use crate::opcode::Opcode;
use crate::operand::{Operand, RegOperand};
use smallvec::SmallVec;

/// True for assembly that says that it has side effects, or reads or writes memory: passes keep it where it is.
/// Source: LLVM's `InlineAsm::Extra_*`, `sideeffect`, `mayload` and `maystore`.
pub fn stays_in_place(data: &InstData) -> bool {
    const EFFECTS: i64 = 1 | 1 << 3 | 1 << 4;
    data.opcode == Opcode::INLINEASM && data.imm(1).is_some_and(|extra| extra & EFFECTS != 0)
}

/// A register that the assembly defines, and the one that it is tied to.
pub type TiedRegisters = (RegOperand, RegOperand);

/// A group of operands.
struct Group<'i> {
    kind: i64,
    /// The number of the group whose registers it has.
    tied_to: Option<usize>,
    members: &'i [Operand],
}

impl Group<'_> {
    const USE: i64 = 1;
    const DEFINITION: i64 = 2;
    const EARLY_DEFINITION: i64 = 3;
    const IMMEDIATE: i64 = 5;
    const MEMORY: i64 = 6;

    fn is_definition(&self) -> bool {
        matches!(self.kind, Group::DEFINITION | Group::EARLY_DEFINITION)
    }

    /// It has no member, or virtual registers alone.
    fn is_virtual(&self) -> bool {
        let is_virtual = |member: &Operand| member.as_reg().is_some_and(|member| member.reg.as_virtual().is_some());
        self.members.iter().all(is_virtual)
    }
}

/// The registers that inline assembly without a text copies. `None` if it has a text, or if it defines a register that
/// is tied to no other, or clobbers one.
pub fn tied_registers(function: &Function, data: &InstData) -> Option<SmallVec<[TiedRegisters; 2]>> {
    if data.opcode != Opcode::INLINEASM {
        return None;
    }
    let [text, Operand::Imm(_), rest @ ..] = data.operands.as_slice() else { return None };
    let AddressBase::External(text) = function.address_of(text)?.base else { return None };
    if !function.symbols.get(text)?.is_empty() {
        return None;
    }
    let groups = groups(rest)?;
    let mut copies = SmallVec::new();
    for (number, group) in groups.iter().enumerate() {
        match group.kind {
            Group::USE | Group::DEFINITION | Group::EARLY_DEFINITION if group.is_virtual() => {}
            Group::IMMEDIATE | Group::MEMORY => continue,
            _ => return None,
        }
        if group.is_definition() {
            let source = groups.iter().find(|other| other.tied_to == Some(number))?;
            let pairs = group.members.iter().zip(source.members);
            copies.extend(pairs.filter_map(|(to, from)| Some((*to.as_reg()?, *from.as_reg()?))));
        }
    }
    Some(copies)
}

/// `None` if an operand stands in no group; metadata ends them.
fn groups(mut rest: &[Operand]) -> Option<SmallVec<[Group<'_>; 4]>> {
    let mut groups = SmallVec::new();
    while let [Operand::Imm(head), after @ ..] = rest {
        let (count, number) = (((head >> 3) & 0x1fff) as usize, ((head >> 16) & 0x7fff) as usize);
        let tied_to = (head >> 31 & 1 == 1).then_some(number);
        groups.push(Group { kind: head & 7, tied_to, members: after.get(..count)? });
        rest = after.get(count..)?;
    }
    rest.iter().all(|operand| matches!(operand, Operand::Metadata(_))).then_some(groups)
}
