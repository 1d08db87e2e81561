//! A function's body: block headers, successors, live-ins, instructions.

use super::cursor::{Cursor, Parsed};
use super::envelope::{Objects, RegisterNames};
use super::{Failure, memory, operands};
use crate::entities::{Block, VReg};
use crate::function::{Constraint, Function};
use crate::inst::{InstData, InstFlags};
use crate::module::{Unknown, UnknownKind};
use crate::opcode::{Opcode, OpcodeFlags};
use crate::operand::{Operand, Reg};
use crate::vocabulary::Vocabulary;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// The state of a body's reader.
pub(super) struct Body<'a> {
    pub function: &'a mut Function,
    pub objects: &'a Objects,
    pub vocabulary: &'a dyn Vocabulary,
    pub blocks: FxHashMap<u32, Block>,
    pub names: RegisterNames,
    /// The number of registers that have a number for a name: `%5` is register 5.
    pub numbered: u32,
    /// The place of each register's first read before any definition, for the error if none comes.
    pub first_use: Vec<Option<(usize, Cursor<'a>)>>,
    /// The block that lines are read into.
    current: Option<Block>,
    /// The blocks that have a line of successors.
    explicit: Vec<bool>,
}

/// Reads the lines of a body; the first is line number `first` of the file. Returns the register names. A line that
/// names something unknown is skipped, and the lines after it are read: malformed text is an error wherever it stands.
pub(super) fn parse<'a>(
    lines: &[&'a str],
    first: usize,
    function: &'a mut Function,
    objects: &'a Objects,
    vocabulary: &'a dyn Vocabulary,
) -> Parsed<RegisterNames> {
    let mut body = Body {
        function,
        objects,
        vocabulary,
        blocks: FxHashMap::default(),
        names: RegisterNames::default(),
        numbered: 0,
        first_use: Vec::new(),
        current: None,
        explicit: Vec::new(),
    };
    body.reserve_registers(lines, first)?;
    body.block_headers(lines, first)?;
    body.explicit.resize(body.function.block_bound(), false);
    let mut unknown: Option<Unknown> = None;
    for (line, text) in (first..).zip(lines) {
        match body.line(&mut Cursor::new(text, line)) {
            Err(Failure::Unknown(thing)) => drop(unknown.get_or_insert(thing)),
            read => read?,
        }
    }
    if let Some(unknown) = unknown {
        return Err(Failure::Unknown(unknown));
    }
    body.listed_constraints();
    body.every_register_is_known()?;
    body.infer_successors();
    body.function.make_strict_if_named(vocabulary);
    Ok(body.names)
}

/// N of `bb.N`; leaves the cursor after it.
fn header_number(cursor: &mut Cursor<'_>) -> Parsed<u32> {
    cursor.expect("bb.")?;
    cursor.number()
}

impl<'a> Body<'a> {
    fn line(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        if cursor.at_end() {
            return Ok(());
        }
        if cursor.rest().starts_with("bb.") {
            let number = header_number(cursor)?;
            self.current = self.blocks.get(&number).copied();
            return Ok(());
        }
        let Some(block) = self.current else { return Err(cursor.error("expected a block header: `bb.0:`")) };
        if cursor.eat("successors:") {
            self.explicit[block.index()] = true;
            self.successors(cursor, block)?;
        } else if cursor.eat("liveins:") {
            self.liveins(cursor, block)?;
        } else if cursor.rest() == "}" {
            return Err(cursor.unknown(UnknownKind::Operand, "}"));
        } else {
            let data = self.instruction(cursor)?;
            self.function.append(block, data);
        }
        cursor.expect_end()
    }

    /// Makes a register for each number up to the highest, so that `%N` is register N. Numbers far above what the text
    /// could define are refused: they would cost memory and nothing else.
    fn reserve_registers(&mut self, lines: &[&'a str], first: usize) -> Parsed<()> {
        let capacity = lines.iter().map(|line| line.len()).sum::<usize>() as u64 * 8 + 1024;
        for (line, text) in (first..).zip(lines) {
            for (offset, _) in text.match_indices('%') {
                let digits = text.as_bytes()[offset + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                if digits == 0 {
                    continue;
                }
                let number = text[offset + 1..offset + 1 + digits].parse::<u64>().unwrap_or(u64::MAX);
                if number > capacity {
                    let cursor = Cursor::new(&text[offset..], line);
                    return Err(cursor.error_over(digits + 1, "the register's number is too large for this function"));
                }
                self.numbered = self.numbered.max(number as u32 + 1);
            }
        }
        for _ in 0..self.numbered {
            self.function.push_vreg(None, crate::Constraint::None);
        }
        Ok(())
    }

    /// Makes the blocks, so that branches may refer forward.
    fn block_headers(&mut self, lines: &[&'a str], first: usize) -> Parsed<()> {
        for (line, text) in (first..).zip(lines) {
            let mut cursor = Cursor::new(text, line);
            let start = cursor.clone();
            if !cursor.rest().starts_with("bb.") {
                continue;
            }
            let number = header_number(&mut cursor)?;
            let block = self.function.new_numbered_block(number);
            if self.blocks.insert(number, block).is_some() {
                return Err(start.error(format!("a second block bb.{number}")));
            }
            let data = self.function.block_mut(block);
            if cursor.eat(".") {
                let name = cursor.take_until(|c| c == ':' || c == '(' || c == ' ');
                data.name = Some(name.to_string());
                cursor.skip_blanks();
            }
            if cursor.eat("(") {
                data.attributes = Some(cursor.take_until(|c| c == ')').trim().to_string());
                cursor.expect(")")?;
            }
            cursor.expect(":")?;
            cursor.expect_end()?;
        }
        Ok(())
    }

    fn successors(&mut self, cursor: &mut Cursor<'a>, block: Block) -> Parsed<()> {
        // The empty list: a block that ends in unreachable code.
        while !cursor.at_end() {
            let successor = self.block_reference(cursor)?;
            let mut weight = None;
            if cursor.eat("(") {
                let word = cursor.clone();
                let text = cursor.word();
                let parsed = text.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16));
                weight =
                    Some(parsed.and_then(Result::ok).ok_or_else(|| word.error("expected a weight: `0x40000000`"))?);
                cursor.expect(")")?;
            }
            self.function.block_mut(block).successors.push((successor, weight));
            if !cursor.eat(",") {
                break;
            }
        }
        Ok(())
    }

    /// `%bb.N` or `%bb.N.name`.
    pub fn block_reference(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Block> {
        let start = cursor.clone();
        cursor.expect("%bb.")?;
        let number: u32 = cursor.number()?;
        if cursor.eat(".") {
            cursor.word();
        }
        let length = "%bb.".len() + number.to_string().len();
        let missing = || start.error_over(length, format!("there is no block bb.{number}"));
        self.blocks.get(&number).copied().ok_or_else(missing)
    }

    fn liveins(&mut self, cursor: &mut Cursor<'a>, block: Block) -> Parsed<()> {
        while !cursor.at_end() {
            let register = self.physical(cursor)?;
            let mut mask = None;
            if cursor.eat(":") {
                let start = cursor.clone();
                let digits = cursor.word().strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
                mask = Some(digits.and_then(Result::ok).ok_or_else(|| start.error("expected a lane mask: `0x3`"))?);
            }
            self.function.block_mut(block).liveins.push((register, mask));
            if !cursor.eat(",") {
                break;
            }
        }
        Ok(())
    }

    /// `$name`.
    pub fn physical(&mut self, cursor: &mut Cursor<'a>) -> Parsed<crate::PReg> {
        let start = cursor.clone();
        cursor.expect("$")?;
        let name = cursor.take_until(|c| !c.is_ascii_alphanumeric() && c != '_');
        cursor.skip_blanks();
        match self.vocabulary.register(name) {
            Some(register) => Ok(register),
            None if name.is_empty() => Err(start.error_over(1, "expected a register")),
            None => Err(start.unknown(UnknownKind::Register, format!("${name}"))),
        }
    }

    /// The register called `name`.
    pub fn register_named(&mut self, name: &str) -> VReg {
        if let Some(&register) = self.names.get(name) {
            return register;
        }
        let number = name.parse::<u32>().ok().filter(|number| *number < self.numbered && !name.starts_with('+'));
        let register = match number {
            Some(number) => VReg::from_u32(number),
            None => {
                let symbol = self.function.intern(name);
                let register = self.function.push_vreg(None, crate::Constraint::None);
                self.function.vregs[register].name = Some(symbol);
                register
            }
        };
        self.names.insert(name.to_string(), register);
        register
    }

    fn instruction(&mut self, cursor: &mut Cursor<'a>) -> Parsed<InstData> {
        let mut data = InstData::new(Opcode::COPY, []);
        let flagged = matches!(cursor.peek_word(), "dead" | "renamable" | "early-clobber" | "def" | "undef");
        if flagged || cursor.rest().starts_with(['%', '$']) {
            self.definitions(cursor, &mut data)?;
        }
        let results = data.operands.len();
        data.flags = instruction_flags(cursor);
        data.opcode = self.opcode(cursor, &mut data)?;
        while !cursor.at_end() && !cursor.rest().starts_with("::") {
            if self.skip_trailer(cursor, data.opcode)? {
                break;
            }
            let operand = match data.opcode {
                Opcode::CFI_INSTRUCTION => operands::cfi(self, cursor)?,
                _ => operands::operand(self, cursor)?,
            };
            data.operands.push(operand);
            if !cursor.eat(",") {
                break;
            }
        }
        self.without_row(&mut data, results);
        if cursor.rest() == "{" {
            return Err(cursor.unknown(UnknownKind::Operand, "{"));
        }
        if cursor.eat("::") {
            loop {
                let memory = memory::memory(self, cursor)?;
                data.memory.push(memory);
                if !cursor.eat(",") {
                    break;
                }
            }
        }
        Ok(data)
    }

    /// An instruction that names a part of registers that the target does not know, or that its row does not take, is
    /// another than its row describes.
    fn without_row(&mut self, data: &mut InstData, results: usize) {
        let Opcode::Target(opcode) = data.opcode else { return };
        if let Some(part) = operands::part_index(self.vocabulary, data)
            && let Some(bits) = self.register_bits(data)
            && !self.vocabulary.opcode_takes_part(opcode, part.0.into(), bits)
        {
            let name = self.function.intern(&format!("%subreg.{}", self.vocabulary.subregister_name(part)));
            data.operands[operands::PART_INDEX] = Operand::Text(name);
        }
        if data.operands.iter().any(|operand| operands::is_unknown_part(self.function, operand)) {
            let name = self.function.intern(self.vocabulary.opcode_name(opcode));
            data.operands.insert(results, Operand::OpcodeName(name));
            data.opcode = Opcode::OPAQUE;
        }
    }

    /// The width of the register that an instruction defines first, if its text says it.
    fn register_bits(&self, data: &InstData) -> Option<u32> {
        match data.operands.first()?.as_reg()?.reg {
            Reg::Physical(register) => Some(self.vocabulary.register_bits(register)),
            Reg::Virtual(register) => match self.function.vregs[register].constraint {
                Constraint::Class(class) => Some(self.vocabulary.class_bits(class)),
                _ => None,
            },
        }
    }

    /// `debug-location !5` and the like end the operands and are dropped. True if one stood here.
    fn skip_trailer(&mut self, cursor: &mut Cursor<'a>, opcode: Opcode) -> Parsed<bool> {
        let word = cursor.peek_word();
        if !TRAILERS.contains(&word) {
            return Ok(false);
        }
        // Debuggers follow values that instructions of the machine compute. LLVM refuses this on what computes none.
        if word == VALUE_NUMBER && !matches!(opcode, Opcode::Target(_) | Opcode::OPAQUE) {
            return Err(cursor.unknown(UnknownKind::Operand, word));
        }
        cursor.word();
        cursor.verbatim();
        cursor.skip_blanks();
        Ok(true)
    }

    /// The registers left of `=`.
    fn definitions(&mut self, cursor: &mut Cursor<'a>, data: &mut InstData) -> Parsed<()> {
        loop {
            let operand = operands::register(self, cursor, true)?;
            data.operands.push(operand);
            if !cursor.eat(",") {
                return cursor.expect("=");
            }
        }
    }

    /// The opcode; the name of one without a row becomes an operand.
    fn opcode(&mut self, cursor: &mut Cursor<'a>, data: &mut InstData) -> Parsed<Opcode> {
        let start = cursor.clone();
        let name = cursor.word();
        if name.is_empty() {
            return Err(start.error("expected an opcode"));
        }
        let known = Opcode::from_name(name).filter(|opcode| *opcode != Opcode::OPAQUE);
        if let Some(known) = known.or_else(|| self.vocabulary.opcode(name).map(Opcode::Target)) {
            return Ok(known);
        }
        if !crate::opaque::is_spelled_as_opcode(name) {
            return Err(start.error(format!("unknown opcode `{name}`")));
        }
        if name == "OPAQUE" || !crate::opaque::may_be_opcode(name) {
            return Err(start.unknown(UnknownKind::Opcode, name));
        }
        data.operands.push(Operand::OpcodeName(self.function.intern(name)));
        Ok(Opcode::OPAQUE)
    }

    /// Classes and banks that only the list of registers gives.
    fn listed_constraints(&mut self) {
        for (&number, &constraint) in &self.objects.constraints {
            let listed = self.function.vregs.get_mut(VReg::from_u32(number)).filter(|_| number < self.numbered);
            if let Some(data) = listed.filter(|data| data.ty.is_none() && data.constraint == crate::Constraint::None) {
                data.constraint = constraint;
            }
        }
    }

    /// Checks that each register that is read has a type or a class. Whether it has a definition is the verifier's.
    fn every_register_is_known(&mut self) -> Parsed<()> {
        for (index, first_use) in self.first_use.iter().enumerate() {
            let data = &self.function.vregs[VReg::new(index)];
            if let Some((length, place)) = first_use
                && data.ty.is_none()
                && data.constraint == crate::Constraint::None
            {
                return Err(place.error_over(*length, "this register has neither a type nor a class"));
            }
        }
        Ok(())
    }

    /// `-simplify-mir` leaves out successors that the instructions imply: the blocks that any of them names, whether
    /// its opcode is known or not, and the next block.
    fn infer_successors(&mut self) {
        let layout = self.function.layout().to_vec();
        for (index, &block) in layout.iter().enumerate() {
            if self.explicit[block.index()] {
                continue;
            }
            let insts = || self.function.insts(block).map(|inst| self.function.inst(inst));
            let named = insts().filter(|data| !data.opcode.is_phi()).flat_map(|data| &data.operands);
            let mut targets: Vec<Block> = named
                .filter_map(|operand| match operand {
                    Operand::Block(block) => Some(*block),
                    _ => None,
                })
                .collect();
            let last = insts().last().map(|data| self.function.opcode_flags(data, self.vocabulary));
            if let (true, Some(&next)) = (last.is_none_or(OpcodeFlags::seems_to_fall_through), layout.get(index + 1)) {
                targets.push(next);
            }
            let mut successors: Vec<(Block, Option<u32>)> = Vec::new();
            for target in targets {
                if !successors.iter().any(|&(known, _)| known == target) {
                    successors.push((target, None));
                }
            }
            self.function.block_mut(block).successors = successors;
        }
    }
}

/// The number of a value that debuggers follow.
const VALUE_NUMBER: &str = "debug-instr-number";

/// Words after the operands that have no bearing on the result.
const TRAILERS: [&str; 8] = [
    "pre-instr-symbol",
    "post-instr-symbol",
    "heap-alloc-marker",
    "pcsections",
    "mmra",
    "cfi-type",
    VALUE_NUMBER,
    "debug-location",
];

/// Flag words before the opcode.
fn instruction_flags(cursor: &mut Cursor<'_>) -> InstFlags {
    let mut flags = InstFlags::empty();
    loop {
        let word = cursor.peek_word();
        let Some(&(_, flag)) = super::print::INST_FLAGS.iter().find(|(name, _)| *name == word) else { return flags };
        cursor.word();
        flags |= flag;
    }
}
