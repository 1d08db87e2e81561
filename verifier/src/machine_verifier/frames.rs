//! The stack pointer and the frame pointer, in a function whose frame is laid out: the stack pointer is restored, the
//! prologue aligns it, and the unwinder's rules agree with both.
//!
//! Their distances from the stack pointer on entry are a forward dataflow over blocks, to a fixed point. A block's own
//! share comes from the meaning of the instructions that write them, and of those in the block that they depend on.
//! These are executed twice, from different stack pointers and different contents of every other register. Where both
//! runs end at one distance, that is it; elsewhere it is unknown, as after an allocation of variable size. A frame
//! pointer is tracked where the prologue sets one up.

use super::register_set::{RegisterSet, bit};
use super::{Rule, Verifier};
use rustc_hash::FxHashMap;
use tribunal_ir::semantics::{Choice, Concrete, Pure, Value};
use tribunal_ir::{
    Bits, Block, CfiInstruction, Function, Inst, InstData, InstFlags, Opcode, OpcodeFlags, Operand, PReg, SlotKind,
};
use tribunal_target::abi::CallKind;
use tribunal_target::{Target, evaluate};

/// Bytes from the stack pointer on entry; `None` if they are no constant.
type Distance = Option<i64>;

/// The distances of the stack pointer and of the frame pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pointers {
    stack: Distance,
    frame: Distance,
}

impl Pointers {
    /// On entry.
    const ENTRY: Pointers = Pointers { stack: Some(0), frame: None };

    /// Those on two ways to one block: what differs is unknown.
    fn meet(self, other: Pointers) -> Pointers {
        let same = |one: Distance, other: Distance| one.filter(|_| one == other);
        Pointers { stack: same(self.stack, other.stack), frame: same(self.frame, other.frame) }
    }
}

/// The registers whose distances are tracked.
#[derive(Clone, Copy)]
struct Tracked<'f> {
    function: &'f Function,
    target: &'f Target,
    stack: PReg,
    frame: Option<PReg>,
    /// True for another compiler's code. Instructions without a row may move its pointers, and LLVM states the
    /// unwinder's rules of blocks after a return in a pass of its own. So what is unknown there is no fault.
    is_foreign: bool,
}

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let (function, target) = (verifier.function, verifier.target);
    let (stack, frame) = (target.abi.stack_pointer, target.abi.frame_pointer);
    let frame = (frame != stack && verifier.reserved.meets(bit(frame))).then_some(frame);
    let tracked = Tracked { function, target, stack, frame, is_foreign: verifier.legalizer.is_none() };
    let heads = tracked.heads();
    let mut arrivals = vec![None; function.block_bound()];
    for &block in function.layout() {
        let Some(head) = heads[block.as_u32() as usize] else { continue };
        restored(verifier, &tracked, block, tracked.after(block, head), &mut arrivals);
    }
    aligned(verifier, &tracked);
    base_pointer(verifier, &tracked);
    unwinding(verifier, &tracked, &heads);
}

/// Each return finds the stack pointer as the entry did. Without a frame pointer all ways to a block move it alike;
/// `arrivals` has the distances at which the blocks before this one go on, by block.
fn restored(
    verifier: &mut Verifier<'_>,
    tracked: &Tracked<'_>,
    block: Block,
    tail: Pointers,
    arrivals: &mut [Distance],
) {
    let function = verifier.function;
    let last = function.last_inst(block).map(|last| verifier.flags(function.inst(last)));
    let returns = last.is_some_and(|flags| flags.contains(OpcodeFlags::RETURN));
    let is_back = tail.stack.map_or(tracked.is_foreign, |bytes| bytes == 0);
    verifier.demand_of_block(Rule::StageFrame, block, !returns || is_back, || match tail.stack {
        Some(bytes) => format!("returns with the stack pointer {bytes} bytes off"),
        None => "returns with the stack pointer at no constant distance".to_string(),
    });
    if tracked.frame.is_some() {
        return;
    }
    for to in function.successors(block) {
        let agrees = tail.stack.is_none_or(|bytes| *arrivals[to.as_u32() as usize].get_or_insert(bytes) == bytes);
        verifier.demand_of_block(Rule::StageFrame, block, agrees, || {
            format!("another way to bb.{} moves the stack pointer otherwise", function.block(to).number)
        });
    }
}

/// The prologue aligns the stack pointer to what the objects of the frame need, wherever it stood on entry.
fn aligned(verifier: &mut Verifier<'_>, tracked: &Tracked<'_>) {
    let (function, target) = (verifier.function, verifier.target);
    let Some(entry) = function.entry() else { return };
    let fixed = function.stack.values().filter(|object| object.kind != SlotKind::VariableSized);
    let align = u64::from(fixed.map(|object| object.align).max().unwrap_or(1));
    let prologue = prologue(function, entry);
    if align <= target.abi.stack_align.into() || !prologue.iter().any(|&inst| tracked.writes(inst)) {
        return;
    }
    let code = needed(tracked, prologue, tracked.stack);
    let is_aligned = |start: u64| {
        let end = executed(tracked, &code, tracked.stack, start, Pointers::ENTRY);
        end.map_or(tracked.is_foreign, |end| end.is_multiple_of(align))
    };
    let starts = [0x4000_0000, 0x4000_0000 + u64::from(target.abi.stack_align)];
    verifier.demand_of_block(Rule::StageFrame, entry, starts.into_iter().all(is_aligned), || {
        format!("objects are aligned to {align} bytes, and the prologue leaves the stack pointer elsewhere")
    });
}

/// Where the prologue aligns the stack pointer and that moves later, objects are found from the base pointer: it is
/// what the prologue leaves in the stack pointer. Other compilers have base pointers of their own.
fn base_pointer(verifier: &mut Verifier<'_>, tracked: &Tracked<'_>) {
    let (function, target) = (verifier.function, verifier.target);
    let Some(entry) = function.entry() else { return };
    let (variable, fixed): (Vec<_>, Vec<_>) =
        function.stack.values().partition(|object| object.kind == SlotKind::VariableSized);
    let is_realigned = fixed.iter().any(|object| object.align > target.abi.stack_align);
    if tracked.is_foreign || variable.is_empty() || !is_realigned {
        return;
    }
    let (code, base) = (prologue(function, entry), target.abi.base_pointer);
    let end = |pointer: PReg, start: u64| {
        executed(tracked, &needed(tracked, code.clone(), pointer), pointer, start, Pointers::ENTRY)
    };
    let agree = |start: u64| end(base, start).is_some() && end(base, start) == end(tracked.stack, start);
    verifier.demand_of_block(
        Rule::StageFrame,
        entry,
        agree(0x4000_0000) && agree(0x2345_6780),
        || "the prologue leaves the base pointer elsewhere than the stack pointer",
    );
}

/// The instructions at the head of the entry that set the frame up.
fn prologue(function: &Function, entry: Block) -> Vec<Inst> {
    let sets_up = |&inst: &Inst| function.inst(inst).flags.contains(InstFlags::FRAME_SETUP);
    function.insts(entry).take_while(sets_up).collect()
}

/// The distance of the caller's frame as the unwinder's rules have it: from block to block in the layout, whatever the
/// edges. It is counted from the stack pointer or from the frame pointer, and is the distance of that, wherever a rule
/// is stated and at each call.
fn unwinding(verifier: &mut Verifier<'_>, tracked: &Tracked<'_>, heads: &[Option<Pointers>]) {
    let function = verifier.function;
    let is_rule = |inst: Inst| function.inst(inst).opcode == Opcode::CFI_INSTRUCTION;
    if !function.all_insts().any(is_rule) {
        return;
    }
    let mut rules = Unwinding { rule: Some((tracked.stack, 0)), remembered: Vec::new() };
    for &block in function.layout() {
        let head = heads[block.as_u32() as usize];
        let (mut here, mut done) = (head, Vec::new());
        let mut wrong = None;
        for inst in function.insts(block) {
            let data = function.inst(inst);
            let looked_at = match data.operands.first() {
                Some(Operand::Cfi(cfi)) if is_rule(inst) => rules.state(*cfi, verifier.target),
                _ => !tracked.is_foreign && verifier.target.call_kind(data) == Some(CallKind::Returning),
            };
            if looked_at {
                here = here.zip(head).map(|(_, head)| tracked.over(&done, head));
                wrong = wrong.or(here.and_then(|here| rules.fault(tracked, here)));
            }
            done.push(inst);
        }
        verifier.demand_of_block(Rule::CallFrameInformation, block, wrong.is_none(), || wrong.unwrap_or_default());
    }
}

/// The register from which the caller's frame is counted, and the bytes to it; `None` if that is no register that is
/// tracked.
struct Unwinding {
    rule: Option<(PReg, i64)>,
    remembered: Vec<Option<(PReg, i64)>>,
}

impl Unwinding {
    /// Goes on with a rule; true if it is about the caller's frame.
    fn state(&mut self, cfi: CfiInstruction, target: &Target) -> bool {
        let full = |register: PReg| target.vocabulary.full_register(register);
        match cfi {
            CfiInstruction::DefCfaOffset(bytes) => self.rule = self.rule.map(|(register, _)| (register, bytes.into())),
            CfiInstruction::DefCfa(register, bytes) => self.rule = Some((full(register), bytes.into())),
            CfiInstruction::DefCfaRegister(register) => {
                self.rule = self.rule.map(|(_, bytes)| (full(register), bytes));
            }
            CfiInstruction::RememberState => self.remembered.push(self.rule),
            CfiInstruction::RestoreState => self.rule = self.remembered.pop().flatten(),
            CfiInstruction::Offset(..)
            | CfiInstruction::Restore(_)
            | CfiInstruction::SameValue(_)
            | CfiInstruction::Undefined(_) => return false,
        }
        true
    }

    /// The fault of the rule where the pointers stand so.
    fn fault(&self, tracked: &Tracked<'_>, here: Pointers) -> Option<String> {
        let (register, above) = self.rule?;
        let (name, distance) = match register {
            _ if register == tracked.stack => ("stack", here.stack),
            _ if Some(register) == tracked.frame => ("frame", here.frame),
            _ => return None,
        };
        match distance {
            Some(bytes) if above == -bytes => None,
            Some(bytes) => Some(format!("the unwinder looks {above} bytes above a {name} pointer {bytes} bytes off")),
            None if tracked.is_foreign => None,
            None => Some(format!("the unwinder counts from a {name} pointer at no constant distance")),
        }
    }
}

impl Tracked<'_> {
    /// The distances at the head of each block that is reached.
    fn heads(&self) -> Vec<Option<Pointers>> {
        let order = self.function.reverse_post_order();
        let mut heads: Vec<Option<Pointers>> = vec![None; self.function.block_bound()];
        if let Some(&entry) = order.first() {
            heads[entry.as_u32() as usize] = Some(Pointers::ENTRY);
        }
        // A head only loses distances, so this ends.
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order {
                let Some(head) = heads[block.as_u32() as usize] else { continue };
                let tail = self.after(block, head);
                for to in self.function.successors(block) {
                    let known = &mut heads[to.as_u32() as usize];
                    let met = known.map_or(tail, |known| known.meet(tail));
                    changed |= *known != Some(met);
                    *known = Some(met);
                }
            }
        }
        heads
    }

    /// True if an instruction writes a pointer. A call leaves both as they were.
    fn writes(&self, inst: Inst) -> bool {
        let data = self.function.inst(inst);
        let is_pointer = |register: PReg| register == self.stack || Some(register) == self.frame;
        let mut written = data.defs().filter_map(|operand| operand.reg.as_physical());
        written.any(is_pointer) && !self.target.is_call(data)
    }

    fn after(&self, block: Block, head: Pointers) -> Pointers {
        if !self.function.insts(block).any(|inst| self.writes(inst)) {
            return head;
        }
        let insts: Vec<Inst> = self.function.insts(block).collect();
        self.over(&insts, head)
    }

    /// The distances after instructions of a block, from its first on.
    fn over(&self, insts: &[Inst], head: Pointers) -> Pointers {
        let writes = |&inst: &Inst| self.writes(inst);
        let Some(last) = insts.iter().rposition(writes) else { return head };
        let insts = &insts[..=last];
        let distance = |register: PReg, before: Distance| {
            let code = needed(self, insts.to_vec(), register);
            if code.is_empty() {
                return before;
            }
            let run = |start: u64| Some(executed(self, &code, register, start, head)?.wrapping_sub(start));
            let (one, other) = (run(0x4000_0000)?, run(0x2345_6780)?);
            let signed = |bytes: u64| Bits::new(bytes.into(), self.target.pointer_bits.into()).to_i64();
            signed(one).filter(|_| signed(one) == signed(other))
        };
        Pointers {
            stack: distance(self.stack, head.stack),
            frame: self.frame.and_then(|frame| distance(frame, head.frame)),
        }
    }
}

/// The instructions, from a block's first on, that `pointer` after them depends on, last to first.
fn needed(tracked: &Tracked<'_>, all: Vec<Inst>, pointer: PReg) -> Vec<Inst> {
    let full = |register: PReg| bit(tracked.target.vocabulary.full_register(register));
    let mut wanted: RegisterSet = full(pointer);
    let mut insts = Vec::new();
    for inst in all.into_iter().rev() {
        let data = tracked.function.inst(inst);
        if tracked.target.is_call(data) {
            continue;
        }
        let written = RegisterSet::of(data.defs().filter_map(|operand| operand.reg.as_physical()).map(full));
        if written.meets(wanted) {
            let read = data.uses().filter_map(|operand| operand.reg.as_physical());
            wanted = read.fold(wanted & !written, |set, register| set | full(register));
            insts.push(inst);
        }
    }
    insts
}

/// The contents of `pointer` after `insts`, last to first, if the stack pointer on entry was `start`. Registers at no
/// known distance start with contents that depend on `start`.
fn executed(tracked: &Tracked<'_>, insts: &[Inst], pointer: PReg, start: u64, head: Pointers) -> Option<u64> {
    let target = tracked.target;
    let full = |register: PReg| target.vocabulary.full_register(register);
    let at = |distance: i64| start.wrapping_add(distance as u64);
    let stack = head.stack.map(|distance| (full(tracked.stack), at(distance)));
    let frame = tracked.frame.zip(head.frame).map(|(frame, distance)| (full(frame), at(distance)));
    let mut contents: FxHashMap<PReg, u64> = stack.into_iter().chain(frame).collect();
    for &inst in insts.iter().rev() {
        let data: &InstData = tracked.function.inst(inst);
        let value = |register: PReg| {
            let unknown = start.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(register.0) << 32;
            let bits = match target.zero.contains(&register) {
                true => 0,
                false => contents.get(&full(register)).copied().unwrap_or(unknown),
            };
            Value::new(Bits::new(bits.into(), target.vocabulary.register_bits(register)), false)
        };
        let args: Vec<Value<Concrete>> =
            data.uses().filter_map(|operand| operand.reg.as_physical()).map(value).collect();
        let mut domain = Concrete { choice: Choice::Seeded(start) };
        let evaluation = evaluate(target, &mut domain, &mut Pure, data, &args).ok().filter(|run| !run.ub)?;
        let defs = data.defs().filter_map(|operand| operand.reg.as_physical());
        contents.extend(defs.zip(&evaluation.results).map(|(def, value)| (full(def), value.bits.low_u64())));
    }
    contents.get(&full(pointer)).copied()
}
