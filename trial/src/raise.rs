//! Generic MIR of scalars and memory as LLVM IR, so that a finding about LLVM has a reproducer that any LLVM reads.
//!
//! Arguments are the argument registers up to the last that the function reads, results the result registers that its
//! returns write. LLVM's translator makes generic MIR of the IR again, which `validate` compares with the source.
//!
//! Invariant: nothing is left out. An instruction without a counterpart is an error with its name.

use std::collections::BTreeMap;
use std::fmt::Write;
use tribunal_ir::{
    AddressBase, Block, Family, Function, InstData, InstFlags, MemFlags, Opcode, Operand, PReg, Type, VReg,
};
use tribunal_target::Target;

/// The part of a function that has no counterpart in IR.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("@{function}: no LLVM IR for {what}")]
pub struct NotRaised {
    /// The function.
    pub function: String,
    /// The instruction or the convention, by name.
    pub what: String,
}

/// Opcodes with two operands of one type, and LLVM's instruction.
const BINARY: [(Opcode, &str); 13] = [
    (Opcode::G_ADD, "add"),
    (Opcode::G_SUB, "sub"),
    (Opcode::G_MUL, "mul"),
    (Opcode::G_UDIV, "udiv"),
    (Opcode::G_SDIV, "sdiv"),
    (Opcode::G_UREM, "urem"),
    (Opcode::G_SREM, "srem"),
    (Opcode::G_AND, "and"),
    (Opcode::G_OR, "or"),
    (Opcode::G_XOR, "xor"),
    (Opcode::G_SHL, "shl"),
    (Opcode::G_LSHR, "lshr"),
    (Opcode::G_ASHR, "ashr"),
];

/// Opcodes that a cast writes.
const CASTS: [(Opcode, &str); 6] = [
    (Opcode::G_TRUNC, "trunc"),
    (Opcode::G_ZEXT, "zext"),
    (Opcode::G_SEXT, "sext"),
    // Any bits above: zeros are some.
    (Opcode::G_ANYEXT, "zext"),
    (Opcode::G_PTRTOINT, "ptrtoint"),
    (Opcode::G_INTTOPTR, "inttoptr"),
];

/// Opcodes with a form of their own.
const FORMS: [(Opcode, &str); 6] = [
    (Opcode::G_ICMP, "icmp"),
    (Opcode::G_SELECT, "select"),
    (Opcode::G_PTR_ADD, "getelementptr"),
    (Opcode::G_LOAD, "load"),
    (Opcode::G_STORE, "store"),
    (Opcode::G_FREEZE, "freeze"),
];

/// Opcodes that an intrinsic writes: its name, how often the first operand is repeated, and a last argument.
const INTRINSICS: [(Opcode, &str, usize, &str); 20] = [
    (Opcode::G_SMIN, "smin", 1, ""),
    (Opcode::G_SMAX, "smax", 1, ""),
    (Opcode::G_UMIN, "umin", 1, ""),
    (Opcode::G_UMAX, "umax", 1, ""),
    (Opcode::G_UADDSAT, "uadd.sat", 1, ""),
    (Opcode::G_SADDSAT, "sadd.sat", 1, ""),
    (Opcode::G_USUBSAT, "usub.sat", 1, ""),
    (Opcode::G_SSUBSAT, "ssub.sat", 1, ""),
    (Opcode::G_USHLSAT, "ushl.sat", 1, ""),
    (Opcode::G_SSHLSAT, "sshl.sat", 1, ""),
    (Opcode::G_FSHL, "fshl", 1, ""),
    (Opcode::G_FSHR, "fshr", 1, ""),
    (Opcode::G_ROTL, "fshl", 2, ""),
    (Opcode::G_ROTR, "fshr", 2, ""),
    (Opcode::G_CTPOP, "ctpop", 1, ""),
    (Opcode::G_BSWAP, "bswap", 1, ""),
    (Opcode::G_BITREVERSE, "bitreverse", 1, ""),
    (Opcode::G_CTLZ, "ctlz", 1, ", i1 false"),
    (Opcode::G_CTTZ, "cttz", 1, ", i1 false"),
    (Opcode::G_ABS, "abs", 1, ", i1 false"),
];

/// Flags with their words.
const FLAGS: [(InstFlags, &str); 5] = [
    (InstFlags::NUW, "nuw "),
    (InstFlags::NSW, "nsw "),
    (InstFlags::EXACT, "exact "),
    (InstFlags::DISJOINT, "disjoint "),
    (InstFlags::NNEG, "nneg "),
];

/// The module of these functions.
///
/// # Errors
/// The first thing that has no counterpart.
pub fn module(functions: &[Function], target: &'static Target) -> Result<String, NotRaised> {
    let mut text = format!("target triple = \"{}\"\n", target.triple);
    let mut globals: Vec<String> = functions.iter().flat_map(names).collect();
    globals.sort_unstable();
    globals.dedup();
    for name in globals {
        let _ = writeln!(text, "\n@{name} = external global [64 x i8], align 8");
    }
    for function in functions {
        let mut raiser = Raiser { function, target, values: BTreeMap::new(), fresh: 0, text: String::new() };
        let raised = raiser.function();
        raised.map_err(|what| NotRaised { function: function.name.clone(), what })?;
        text.push_str(&raiser.text);
    }
    Ok(text)
}

/// The parts of LLVM's LangRef that say what a function computes, each once.
pub fn sources(function: &Function) -> Vec<String> {
    let source = |opcode: Opcode| {
        let word = BINARY.iter().chain(&CASTS).find(|(own, _)| *own == opcode).map(|(_, word)| *word);
        let word = word.or(FORMS.iter().find(|(own, _)| *own == opcode).map(|(_, word)| *word));
        let intrinsic = INTRINSICS.iter().find(|(own, ..)| *own == opcode).map(|(_, word, ..)| *word);
        let instruction = word.map(|word| format!("LangRef, instruction `{word}`"));
        instruction.or(intrinsic.map(|word| format!("LangRef, intrinsic `llvm.{word}`")))
    };
    let mut found: Vec<String> = function.all_insts().filter_map(|inst| source(function.inst(inst).opcode)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn names(function: &Function) -> Vec<String> {
    let name = |base| function.symbol_name(base).map(str::to_string);
    function.addresses.values().filter_map(|address| name(address.base)).collect()
}

struct Raiser<'f> {
    function: &'f Function,
    target: &'static Target,
    /// The text of each register.
    values: BTreeMap<VReg, String>,
    /// Values that no register names.
    fresh: u32,
    text: String,
}

/// Opcodes whose result is their operand: what they promise besides is left out, so that more is defined.
fn is_copy(opcode: Opcode) -> bool {
    let asserts = [Opcode::G_ASSERT_ZEXT, Opcode::G_ASSERT_SEXT, Opcode::G_ASSERT_ALIGN];
    opcode == Opcode::COPY || opcode == Opcode::G_CONSTANT_FOLD_BARRIER || asserts.contains(&opcode)
}

/// The name of what has no counterpart.
type Raised<T> = Result<T, String>;

fn ir_type(ty: Type) -> Raised<String> {
    match ty {
        Type::Scalar { bits } => Ok(format!("i{bits}")),
        Type::Pointer { address_space: 0, .. } => Ok("ptr".to_string()),
        _ => Err(format!("the type {ty}")),
    }
}

impl Raiser<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str("  ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn type_of(&self, register: VReg) -> Raised<String> {
        ir_type(self.function.type_of(register).ok_or("a register without a type")?)
    }

    fn bits(&self, register: VReg) -> u32 {
        self.function.type_of(register).map_or(0, |ty| ty.bits())
    }

    fn function(&mut self) -> Raised<()> {
        let function = self.function;
        let parameters = self.parameters()?;
        self.name_values()?;
        let results = self.results()?;
        let returned = returned_type(&results);
        let _ = writeln!(self.text, "\ndefine {returned} @{}({}) {{", function.name, parameters.join(", "));
        for (index, &block) in function.layout().iter().enumerate() {
            let _ = writeln!(self.text, "{}:", self.label(block));
            if index == 0 {
                self.objects();
            }
            self.block(block, function.layout().get(index + 1).copied(), &results)?;
        }
        self.text.push_str("}\n");
        Ok(())
    }

    fn label(&self, block: Block) -> String {
        format!("bb{}", self.function.block(block).number)
    }

    /// Registers by their names; constants by their values. Arguments have theirs.
    fn name_values(&mut self) -> Raised<()> {
        let entry = self.function.entry();
        if self.function.layout().iter().any(|&block| self.function.successors(block).any(|to| Some(to) == entry)) {
            return Err("a loop to the entry".to_string());
        }
        for inst in self.function.all_insts() {
            let data = self.function.inst(inst);
            let is_argument = data.opcode == Opcode::COPY && data.vreg(1).is_none();
            if is_argument && data.vreg(0).is_some() && self.function.block_of(inst) != entry {
                return Err("a physical register".to_string());
            }
            for register in data.vreg_defs() {
                if self.values.contains_key(&register) {
                    continue;
                }
                let named = format!("%v{}", self.values.len());
                let value = match (data.opcode, data.operands.get(1)) {
                    (Opcode::G_CONSTANT, Some(operand)) => self.constant(register, operand)?,
                    (Opcode::G_IMPLICIT_DEF, _) => "undef".to_string(),
                    (opcode, _) if !is_argument && is_copy(opcode) => {
                        let source = data.vreg(1).and_then(|source| self.values.get(&source));
                        source.ok_or("a copy before its source")?.clone()
                    }
                    (Opcode::G_GLOBAL_VALUE, Some(Operand::Address(address))) => self.global(*address)?,
                    (Opcode::G_FRAME_INDEX, Some(Operand::Stack(slot))) => {
                        let place = self.function.stack.keys().position(|own| own == *slot);
                        format!("%stack{}", place.ok_or("an object of another frame")?)
                    }
                    _ => named,
                };
                self.values.insert(register, value);
            }
        }
        Ok(())
    }

    fn constant(&self, register: VReg, operand: &Operand) -> Raised<String> {
        let value = self.function.constant_value(operand).ok_or("a constant of another kind")?;
        match self.function.type_of(register) {
            Some(Type::Pointer { .. }) => Ok(format!("inttoptr (i{} {value} to ptr)", value.width())),
            _ => Ok(value.to_string()),
        }
    }

    fn global(&self, address: tribunal_ir::Address) -> Raised<String> {
        let address = &self.function.addresses[address];
        let AddressBase::Global(_) = address.base else { return Err("an address of another kind".to_string()) };
        let name = self.function.symbol_name(address.base).ok_or("a global without a name")?;
        match address.offset {
            0 => Ok(format!("@{name}")),
            offset => Ok(format!("getelementptr (i8, ptr @{name}, i64 {offset})")),
        }
    }

    fn objects(&mut self) {
        let objects: Vec<(u64, u32)> = self.function.stack.values().map(|object| (object.size, object.align)).collect();
        for (index, (size, align)) in objects.into_iter().enumerate() {
            self.line(&format!("%stack{index} = alloca [{size} x i8], align {align}"));
        }
    }

    /// The copies of physical registers, each with the register that it reads or writes.
    fn copies(&self, block: Block, is_from: bool) -> impl Iterator<Item = (PReg, VReg)> + '_ {
        let insts = self.function.insts(block).map(|inst| self.function.inst(inst));
        insts.filter(|data| data.opcode == Opcode::COPY).filter_map(move |data| {
            let register = |index: usize| data.operands.get(index)?.as_reg().map(|operand| operand.reg);
            let (virtual_, physical) =
                if is_from { (register(0)?, register(1)?) } else { (register(1)?, register(0)?) };
            Some((physical.as_physical()?, virtual_.as_virtual()?))
        })
    }

    fn parameters(&mut self) -> Raised<Vec<String>> {
        let entry = self.function.entry().ok_or("a function without blocks")?;
        let full = |register| self.target.vocabulary.full_register(register);
        let read: Vec<(PReg, VReg)> = self.copies(entry, true).collect();
        let arguments = self.target.abi.arguments();
        if let Some((other, _)) = read.iter().find(|(register, _)| !arguments.contains(&full(*register))) {
            return Err(format!("an argument in ${}", self.target.vocabulary.register_name(*other)));
        }
        let last = arguments.iter().rposition(|&own| read.iter().any(|(register, _)| full(*register) == own));
        let mut parameters = Vec::new();
        for (index, &own) in arguments.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
            let name = format!("%a{index}");
            let readers: Vec<VReg> =
                read.iter().filter(|(register, _)| full(*register) == own).map(|(_, value)| *value).collect();
            let ty = match readers.as_slice() {
                [] => format!("i{}", self.target.register_bytes() * 8),
                [one] => self.type_of(*one)?,
                _ => return Err("an argument that is read twice".to_string()),
            };
            parameters.push(format!("{ty} {name}"));
            readers.into_iter().for_each(|reader| drop(self.values.insert(reader, name.clone())));
        }
        Ok(parameters)
    }

    /// The types of the results, which all returns have.
    fn results(&self) -> Raised<Vec<String>> {
        let mut found: Option<Vec<String>> = None;
        for &block in self.function.layout() {
            let Some(values) = self.returned(block) else { continue };
            let types = values?.into_iter().map(|value| self.type_of(value)).collect::<Raised<Vec<String>>>()?;
            if found.replace(types.clone()).is_some_and(|before| before != types) {
                return Err("returns of several types".to_string());
            }
        }
        Ok(found.unwrap_or_default())
    }

    /// The values that a block returns, in the order of the result registers; `None` if it does not return.
    fn returned(&self, block: Block) -> Option<Raised<Vec<VReg>>> {
        let last = self.function.inst(self.function.last_inst(block)?);
        let Opcode::Target(opcode) = last.opcode else { return None };
        if !self.target.instruction(opcode).flags.contains(tribunal_ir::OpcodeFlags::RETURN) {
            return None;
        }
        let mut written: Vec<(PReg, VReg)> = self.copies(block, false).collect();
        let results = self.target.abi.results();
        let place =
            |register: PReg| results.iter().position(|&own| own == self.target.vocabulary.full_register(register));
        written.sort_by_key(|(register, _)| place(*register));
        let in_order = written.iter().enumerate().all(|(index, (register, _))| place(*register) == Some(index));
        let values = written.iter().map(|(_, value)| *value).collect();
        Some(if in_order { Ok(values) } else { Err("a result in another register".to_string()) })
    }

    fn block(&mut self, block: Block, next: Option<Block>, results: &[String]) -> Raised<()> {
        let function = self.function;
        let mut taken: Option<(VReg, Block)> = None;
        for inst in function.insts(block) {
            let data = function.inst(inst);
            match (data.opcode, data.operands.as_slice()) {
                (opcode, _) if is_copy(opcode) => {}
                (Opcode::G_CONSTANT | Opcode::G_IMPLICIT_DEF, _) => {}
                (Opcode::G_GLOBAL_VALUE | Opcode::G_FRAME_INDEX, _) => {}
                (Opcode::G_BRCOND, [Operand::Reg(_), Operand::Block(to)]) if taken.is_none() => {
                    taken = Some((data.vreg(0).ok_or("a condition in a register")?, *to));
                }
                (Opcode::G_BR, [Operand::Block(to)]) => return self.branch(taken, *to),
                (Opcode::Target(_), _) => return self.ret(block, results),
                _ => self.instruction(data)?,
            }
        }
        self.branch(taken, next.ok_or("a block that ends in nothing")?)
    }

    fn branch(&mut self, taken: Option<(VReg, Block)>, to: Block) -> Raised<()> {
        let to = self.label(to);
        match taken {
            None => self.line(&format!("br label %{to}")),
            Some((condition, other)) => {
                // A wide condition is 0 or 1.
                let bit = self.resized(condition, 1)?;
                let line = format!("br i1 {bit}, label %{}, label %{to}", self.label(other));
                self.line(&line);
            }
        }
        Ok(())
    }

    fn ret(&mut self, block: Block, results: &[String]) -> Raised<()> {
        let values = self.returned(block).ok_or("a machine instruction")??;
        let values = values.iter().map(|&value| self.value(value)).collect::<Raised<Vec<String>>>()?;
        match (results, values.as_slice()) {
            ([], _) => self.line("ret void"),
            ([ty], [value]) => self.line(&format!("ret {ty} {value}")),
            _ => {
                let returned = returned_type(results);
                let mut whole = "poison".to_string();
                for (index, (ty, value)) in results.iter().zip(&values).enumerate() {
                    let name = self.fresh();
                    self.line(&format!("{name} = insertvalue {returned} {whole}, {ty} {value}, {index}"));
                    whole = name;
                }
                self.line(&format!("ret {returned} {whole}"));
            }
        }
        Ok(())
    }

    /// The name of a register's value, or the value of a constant.
    fn value(&self, register: VReg) -> Raised<String> {
        self.values.get(&register).cloned().ok_or_else(|| "a register without a definition".to_string())
    }

    fn fresh(&mut self) -> String {
        self.fresh += 1;
        format!("%t{}", self.fresh)
    }

    /// The value of a register as an integer of another width.
    fn resized(&mut self, register: VReg, bits: u32) -> Raised<String> {
        let (own, value) = (self.bits(register), self.value(register)?);
        if own == bits {
            return Ok(value);
        }
        let name = self.fresh();
        let cast = if own < bits { "zext" } else { "trunc" };
        self.line(&format!("{name} = {cast} i{own} {value} to i{bits}"));
        Ok(name)
    }

    /// A value of another width; one that would be cut stays the same modulo the width.
    fn reduced(&mut self, register: VReg, bits: u32) -> Raised<String> {
        let own = self.bits(register);
        if own <= bits || bits.is_power_of_two() {
            return self.resized(register, bits);
        }
        let (value, rest, cut) = (self.value(register)?, self.fresh(), self.fresh());
        self.line(&format!("{rest} = urem i{own} {value}, {bits}"));
        self.line(&format!("{cut} = trunc i{own} {rest} to i{bits}"));
        Ok(cut)
    }

    fn instruction(&mut self, data: &InstData) -> Raised<()> {
        let name = || data.opcode.to_string();
        if data.opcode == Opcode::G_STORE {
            return self.access(data);
        }
        let result = data.single_def().ok_or_else(name)?;
        let (to, ty) = (self.value(result)?, self.type_of(result)?);
        let uses: Vec<VReg> = data.vreg_uses().collect();
        let values = uses.iter().map(|&value| self.value(value)).collect::<Raised<Vec<String>>>()?;
        let flags: String =
            FLAGS.iter().filter(|(flag, _)| data.flags.contains(*flag)).map(|(_, word)| *word).collect();
        let row = |(opcode, _): &&(Opcode, &'static str)| *opcode == data.opcode;
        if let (Some((_, word)), [_, second]) = (BINARY.iter().find(row), uses.as_slice()) {
            let second = self.resized(*second, self.bits(result))?;
            self.line(&format!("{to} = {word} {flags}{ty} {}, {second}", values[0]));
            return Ok(());
        }
        if let (Some((_, word)), [one]) = (CASTS.iter().find(row), uses.as_slice()) {
            let from = self.type_of(*one)?;
            self.line(&format!("{to} = {word} {flags}{from} {} to {ty}", values[0]));
            return Ok(());
        }
        if let Some((_, word, repeated, last)) = INTRINSICS.iter().find(|(opcode, ..)| *opcode == data.opcode) {
            // A count has a type of its own.
            let (own, bits) = (self.type_of(uses[0])?, self.bits(uses[0]));
            let mut given = vec![format!("{own} {}", values[0]); *repeated];
            for &value in &uses[1..] {
                let value = match data.opcode.family() {
                    Some(Family::Funnel | Family::Rotation) => self.reduced(value, bits)?,
                    _ => self.resized(value, bits)?,
                };
                given.push(format!("{own} {value}"));
            }
            let called = if own == ty { to.clone() } else { self.fresh() };
            self.line(&format!("{called} = call {own} @llvm.{word}.{own}({}{last})", given.join(", ")));
            if own != ty {
                let cast = if bits < self.bits(result) { "zext" } else { "trunc" };
                self.line(&format!("{to} = {cast} {own} {called} to {ty}"));
            }
            return Ok(());
        }
        self.other(data, (&to, &ty), &uses, &values)
    }

    /// Instructions with a form of their own.
    fn other(&mut self, data: &InstData, (to, ty): (&str, &str), uses: &[VReg], values: &[String]) -> Raised<()> {
        let line = match (data.opcode, values) {
            (Opcode::G_LOAD | Opcode::G_ZEXTLOAD | Opcode::G_SEXTLOAD, _) => return self.access(data),
            (Opcode::G_ICMP, [one, other]) => {
                let Some(Operand::Predicate(predicate)) = data.operands.get(1) else {
                    return Err("G_ICMP".to_string());
                };
                let bit = if ty == "i1" { to.to_string() } else { self.fresh() };
                let compared = self.type_of(uses[0])?;
                self.line(&format!("{bit} = icmp {} {compared} {one}, {other}", predicate.name()));
                if ty == "i1" {
                    return Ok(());
                }
                format!("{to} = zext i1 {bit} to {ty}")
            }
            (Opcode::G_SELECT, [_, one, other]) => {
                let bit = self.resized(uses[0], 1)?;
                format!("{to} = select i1 {bit}, {ty} {one}, {ty} {other}")
            }
            (Opcode::G_PTR_ADD, [base, offset]) => {
                format!("{to} = getelementptr i8, ptr {base}, i{} {offset}", self.bits(uses[1]))
            }
            (Opcode::G_FREEZE, [value]) => format!("{to} = freeze {ty} {value}"),
            (Opcode::G_PHI, _) => {
                let inputs = data.phi_inputs();
                let input = |(value, from)| Ok(format!("[ {}, %{} ]", self.value(value)?, self.label(from)));
                let inputs = inputs.map(input).collect::<Raised<Vec<String>>>()?;
                format!("{to} = phi {ty} {}", inputs.join(", "))
            }
            (Opcode::G_SEXT_INREG, [value]) => {
                let Some(Operand::Imm(width)) = data.operands.get(2) else { return Err("G_SEXT_INREG".to_string()) };
                let narrow = self.fresh();
                self.line(&format!("{narrow} = trunc {ty} {value} to i{width}"));
                format!("{to} = sext i{width} {narrow} to {ty}")
            }
            (opcode, _) => return Err(opcode.to_string()),
        };
        self.line(&line);
        Ok(())
    }

    /// A load or a store.
    fn access(&mut self, data: &InstData) -> Raised<()> {
        let [memory] = data.memory.as_slice() else { return Err(format!("{} without its memory", data.opcode)) };
        let is_plain = memory.ordering == tribunal_ir::AtomicOrdering::NotAtomic;
        let stored = memory.ty.filter(|_| is_plain).ok_or_else(|| format!("{} of this kind", data.opcode))?;
        let volatile = if memory.flags.contains(MemFlags::VOLATILE) { "volatile " } else { "" };
        let of = |index: usize| data.vreg(index).ok_or_else(|| data.opcode.to_string());
        let (value, pointer) = (of(0)?, self.value(of(1)?)?);
        let (ty, align) = (self.type_of(value)?, memory.align);
        let own = ir_type(match self.function.type_of(value) {
            Some(pointer @ Type::Pointer { .. }) => pointer,
            _ => Type::scalar(stored.bits()),
        })?;
        if own.len() < 2 || stored.bits() % 8 != 0 {
            return Err(format!("{} of {stored}", data.opcode));
        }
        let text = self.value(value)?;
        if data.opcode == Opcode::G_STORE {
            let narrow = if own == ty { text } else { self.resized(value, stored.bits())? };
            self.line(&format!("store {volatile}{own} {narrow}, ptr {pointer}, align {align}"));
            return Ok(());
        }
        let loaded = if own == ty { text.clone() } else { self.fresh() };
        self.line(&format!("{loaded} = load {volatile}{own}, ptr {pointer}, align {align}"));
        if own != ty {
            let cast = if data.opcode == Opcode::G_SEXTLOAD { "sext" } else { "zext" };
            self.line(&format!("{text} = {cast} {own} {loaded} to {ty}"));
        }
        Ok(())
    }
}

fn returned_type(results: &[String]) -> String {
    match results {
        [] => "void".to_string(),
        [one] => one.clone(),
        _ => format!("{{ {} }}", results.join(", ")),
    }
}
