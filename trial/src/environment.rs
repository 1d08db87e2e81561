//! Environments for executions of two stages: addresses, sizes and contents of globals.
//!
//! Sizes come from the types in the file's IR block. Contents are chosen, for constants too: the legalizer does not
//! look at initialisers. A symbol without a declaration there is an address that nobody may touch.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use tribunal_emulator::input::{Buffer, Input};
use tribunal_emulator::interpreter::World;
use tribunal_ir::entities::ConstantPoolIndex;
use tribunal_ir::{AddressBase, FixedSlot, Function, Opcode, Operand, Reg, text};
use tribunal_target::Target;

/// The address of globals, apart from buffers of arguments and from stack objects.
const GLOBALS: u64 = 0x4000_0000;
/// The least distance between the starts of two globals, in bytes: running off one does not reach the next.
const GAP: u64 = 256;
/// Larger globals are not allocated.
const MOST_BYTES: u64 = 1 << 16;
/// Bytes behind pointers that calls return and that memory holds.
const HEAP_BYTES: u64 = 256;

/// The environment in which two functions are executed.
pub struct Surroundings {
    world: World,
    /// Sizes by address.
    places: Vec<(u64, u64)>,
    /// Constants in memory, of each side.
    pools: Vec<(u64, Vec<u8>)>,
    pointer_bytes: usize,
}

impl Surroundings {
    /// `ir` is the IR block of the earlier file.
    pub fn new(before: &Function, after: &Function, ir: &str, target: &Target) -> Surroundings {
        let mut symbols: BTreeMap<String, Entity> = BTreeMap::new();
        for function in [before, after] {
            for inst in function.all_insts() {
                let operands = &function.inst(inst).operands;
                symbols.extend(operands.iter().filter_map(|operand| entity(function, operand)));
            }
        }
        let pointer_bytes = target.register_bytes() as usize;
        let sizes = Sizes::new(ir, pointer_bytes as u64);
        let mut surroundings =
            Surroundings { world: World::default(), places: Vec::new(), pools: Vec::new(), pointer_bytes };
        let mut address = GLOBALS;
        let mut place = |size: u64| {
            let start = address;
            address = (address + size + GAP).next_multiple_of(GAP);
            start
        };
        surroundings.world.heap = place(HEAP_BYTES);
        surroundings.places.push((surroundings.world.heap, HEAP_BYTES));
        for (symbol, entity) in symbols {
            let pooled = match entity {
                Entity::Constant(index) => pooled(after, index),
                Entity::Global | Entity::Fixed(_) => None,
            };
            let size = match (entity, &pooled) {
                (_, Some(bytes)) => Some(bytes.len() as u64),
                (Entity::Fixed(slot), None) => before.fixed_stack.get(slot).map(|object| object.size),
                (Entity::Global, None) => sizes.of_global(&symbol),
                (Entity::Constant(_), None) => None,
            };
            let size = size.filter(|&size| size <= MOST_BYTES).unwrap_or(0);
            let start = place(size);
            match pooled {
                Some(bytes) => surroundings.pools.push((start, bytes)),
                None => surroundings.places.push((start, size)),
            }
            surroundings.world.symbols.insert(symbol, start);
        }
        surroundings.world.return_pointers = return_pointers(before, target);
        surroundings
    }

    /// The environment for the `index`th input, whose buffers gain the globals.
    pub fn around(&self, input: &mut Input, index: u32) -> World {
        let mut state = u64::from(index).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for &(address, size) in &self.places {
            let mut bytes = Vec::new();
            while (bytes.len() as u64) < size {
                let word = match random() % 4 {
                    0 => self.world.heap,
                    1 => random(),
                    _ => random() % 4,
                };
                bytes.extend_from_slice(&word.to_le_bytes()[..self.pointer_bytes]);
            }
            bytes.truncate(size as usize);
            input.buffers.push(Buffer { address, bytes });
        }
        for (address, bytes) in &self.pools {
            input.buffers.push(Buffer { address: *address, bytes: bytes.clone() });
        }
        World { seed: index.into(), ..self.world.clone() }
    }
}

/// An entity whose address the environment chooses.
#[derive(Clone, Copy)]
enum Entity {
    /// A global variable or a function.
    Global,
    /// A constant of the pool.
    Constant(ConstantPoolIndex),
    /// An object of the caller's frame.
    Fixed(FixedSlot),
}

/// The entity that an operand names, with its name in the environment.
fn entity(function: &Function, operand: &Operand) -> Option<(String, Entity)> {
    if let Operand::FixedStack(slot) = operand {
        return Some((slot.to_string(), Entity::Fixed(*slot)));
    }
    let base = function.address_of(operand)?.base;
    let entity = match base {
        AddressBase::Global(_) => Entity::Global,
        AddressBase::Constant(index) => Entity::Constant(index),
        AddressBase::External(_) | AddressBase::JumpTable(_) | AddressBase::Block { .. } | AddressBase::Label(_) => {
            return None;
        }
    };
    Some((text::print_base(function, base), entity))
}

/// The bytes of a number of the constant pool.
fn pooled(function: &Function, index: ConstantPoolIndex) -> Option<Vec<u8>> {
    let bits = function.constants.get(index)?.value.bits()?;
    let whole = bits.width() <= 128 && bits.width().is_multiple_of(8);
    whole.then(|| bits.unsigned().to_le_bytes()[..bits.width() as usize / 8].to_vec())
}

/// Functions whose result is copied to a pointer.
fn return_pointers(function: &Function, target: &Target) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut callee = String::new();
    for inst in function.all_insts() {
        let data = function.inst(inst);
        if data.opcode == Opcode::OPAQUE || target.is_call(data) {
            if let Some(base) = function.callee(data) {
                callee = text::print_base(function, base);
            }
        }
        if let (Opcode::COPY, [Operand::Reg(dst), Operand::Reg(src)]) = (data.opcode, data.operands.as_slice())
            && let (Reg::Virtual(dst), Reg::Physical(src)) = (dst.reg, src.reg)
            && function.type_of(dst).is_some_and(|ty| ty.is_pointer())
            && target.abi.results().contains(&target.vocabulary.full_register(src))
        {
            names.insert(callee.clone());
        }
    }
    names
}

/// Sizes of LLVM's types, read from an IR block.
struct Sizes<'i> {
    pointer: u64,
    globals: FxHashMap<&'i str, &'i str>,
    types: FxHashMap<&'i str, &'i str>,
}

/// Types within one another, at most.
const DEEPEST: usize = 32;

impl<'i> Sizes<'i> {
    fn new(ir: &'i str, pointer: u64) -> Sizes<'i> {
        let mut sizes = Sizes { pointer, globals: FxHashMap::default(), types: FxHashMap::default() };
        for line in ir.lines().map(str::trim) {
            let Some((name, rest)) = line.split_once(" = ") else { continue };
            if let Some(body) = rest.strip_prefix("type ") {
                sizes.types.insert(name, body);
            } else if name.starts_with('@') {
                let ty = [" global ", " constant "].iter().find_map(|word| Some(rest.split_once(word)?.1));
                let ty = ty.or_else(|| ["global ", "constant "].iter().find_map(|word| rest.strip_prefix(word)));
                sizes.globals.extend(ty.map(|ty| (name, ty)));
            }
        }
        sizes
    }

    fn of_global(&self, name: &str) -> Option<u64> {
        self.layout(self.globals.get(name)?, DEEPEST).map(|((size, _), _)| size)
    }

    /// Size and alignment in bytes of the type at the head of the text, and what follows it.
    fn layout<'t>(&self, text: &'t str, depth: usize) -> Option<((u64, u64), &'t str)> {
        let text = text.trim_start();
        let depth = depth.checked_sub(1)?;
        if let Some(rest) = text.strip_prefix("<{") {
            return self.fields(rest, "}>", true, depth);
        }
        if let Some(rest) = text.strip_prefix('{') {
            return self.fields(rest, "}", false, depth);
        }
        if let Some(rest) = text.strip_prefix('[') {
            let (count, rest) = rest.split_once(" x ")?;
            let ((size, align), rest) = self.layout(rest, depth)?;
            let size = size.checked_mul(count.trim().parse().ok()?)?;
            return Some(((size, align), rest.trim_start().strip_prefix(']')?));
        }
        let end = text.find([' ', ',', ']', '}', '>']).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let layout = match word {
            "ptr" => (self.pointer, self.pointer),
            "half" => (2, 2),
            "float" => (4, 4),
            "double" => (8, 8),
            _ if word.starts_with('%') => self.layout(self.types.get(word)?, depth)?.0,
            _ => {
                let bits: u64 = word.strip_prefix('i')?.parse().ok().filter(|bits| (1..=128).contains(bits))?;
                let bytes = bits.div_ceil(8).next_power_of_two();
                (bytes, bytes)
            }
        };
        Some((layout, rest))
    }

    fn fields<'t>(&self, text: &'t str, end: &str, packed: bool, depth: usize) -> Option<((u64, u64), &'t str)> {
        let (mut rest, mut size, mut most) = (text.trim_start(), 0u64, 1);
        loop {
            if let Some(rest) = rest.strip_prefix(end) {
                return Some(((size.next_multiple_of(most), most), rest));
            }
            let ((field, align), after) = self.layout(rest, depth)?;
            let align = if packed { 1 } else { align };
            size = size.next_multiple_of(align).checked_add(field)?;
            most = most.max(align);
            rest = after.trim_start().trim_start_matches(',').trim_start();
        }
    }
}
