//! Inputs of a run, and the address layout: the same addresses for the interpreter, for Unicorn and for the stepper.

use rustc_hash::FxHasher;
use std::hash::Hasher;
use tribunal_ir::semantics::walk;
use tribunal_ir::{Block, Function, PReg};
use tribunal_target::Target;

/// Memory behind a pointer argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// The address of its first byte.
    pub address: u64,
    /// Its contents before the run.
    pub bytes: Vec<u8>,
}

/// Argument registers (full width) and buffers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Input {
    /// Machine registers and their contents before the run.
    pub registers: Vec<(PReg, u128)>,
    /// The memory that the function may access through its arguments.
    pub buffers: Vec<Buffer>,
}

impl Input {
    /// A number that its contents determine: the seed of what unknown functions do.
    pub fn seed(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for &(register, value) in &self.registers {
            hasher.write_u64(value as u64 ^ u64::from(register.0) << 56);
            if value >> u64::BITS != 0 {
                hasher.write_u64((value >> u64::BITS) as u64);
            }
        }
        self.buffers.iter().for_each(|buffer| hasher.write(&buffer.bytes));
        hasher.finish()
    }
}

/// The contents of every byte that nobody wrote: of stack objects, of the stack, of guard zones, of the caller's frame.
pub const UNWRITTEN: u8 = 0xa5;

/// The contents of a register that nobody wrote, as far as it is wide enough. They are the same everywhere, so wrong
/// code that reads one behaves the same in every engine.
pub const fn unwritten_register(register: PReg) -> u64 {
    (register.0 as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The contents of a register before a run, unless it is the stack pointer or has an argument.
pub fn before_run(target: &Target, register: PReg) -> u64 {
    match target.abi.thread_pointer.register() {
        Some(thread) if thread == register => THREAD_POINTER,
        // The default environment of floating point.
        _ if target.abi.is_of_environment(register) => 0,
        _ => unwritten_register(register),
    }
}

/// The contents of a clobbered register after the `count`th call of a run, as far as it is wide enough.
pub const fn clobbered(register: PReg, count: u64) -> u64 {
    !unwritten_register(register) ^ (count << 4)
}

/// The address of the first buffer. Each page has one buffer, in the middle of it: guard zones on both sides.
pub const BUFFERS: u64 = 0x1000_0000;
/// The address of the buffer that holds the arguments on the stack, in an input. A run puts them elsewhere: above its
/// frame.
pub const STACK_ARGUMENTS: u64 = 0x0a00_0000;

/// True for an address that may be called: a multiple of an instruction's size, where a run has no code of its own and
/// no frame.
pub fn is_callable(address: u64) -> bool {
    let own = [0x0040_0000..0x0a00_0000u64, 0x2000_0000..0x4000_0000, 0x5000_0000..0x8000_0000];
    address.is_multiple_of(4) && !own.iter().any(|range| range.contains(&address))
}

/// Bytes of a page.
pub const PAGE: u64 = 0x1000;
/// From the page's start to the buffer.
pub const GUARD: u64 = 0x400;
/// Bytes of each guard zone that are checked.
pub const GUARD_BYTES: usize = 128;
/// Bytes of the longest buffer.
pub const MOST_BUFFER_BYTES: u64 = PAGE - GUARD - GUARD_BYTES as u64;
/// Pages for buffers.
pub const BUFFER_PAGES: u64 = 64;
/// The last of them, which are those of a function's symbols alone.
pub const SYMBOL_PAGES: u64 = 48;

/// The address of buffer `index`.
pub const fn buffer_address(index: usize) -> u64 {
    BUFFERS + (index as u64 % BUFFER_PAGES) * PAGE + GUARD
}

/// The thread pointer of every run: thread-local variables lie above it. It is aligned as every psABI asks. The
/// lower twelve bits of distances are negative as signed numbers: a forgotten carry shows.
pub const THREAD_POINTER: u64 = 0x0fff_f7c0;

/// The block of the thread's variables that an object places itself. Those of an input are buffers.
pub const THREAD_BLOCK: u64 = BUFFERS + (BUFFER_PAGES + 1) * PAGE;
/// Its size, in bytes.
pub const THREAD_BLOCK_BYTES: u64 = 16 * PAGE;

/// The layout of the interpreter's stack objects, one after the other, and of blocks whose address is taken. Machine
/// code has its own stack and its own blocks, whose addresses no result may show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// A multiple of 16.
    pub address: u64,
    /// Bytes between two objects, so that running off one does not reach the next.
    pub gap: u64,
    /// Bytes of an object's place above a multiple of 16, cut to a multiple of its alignment.
    pub above: u64,
    /// The stack pointer on entry: the address of the arguments on the stack. A multiple of 16.
    pub caller: u64,
    /// The distance of a block from the usual place of its predecessor, and of the first from its own: addresses that a
    /// program takes, not those that jump tables hold.
    pub block_step: u64,
}

impl Frame {
    /// The address of a block that an instruction takes.
    pub fn block_address(&self, block: Block) -> u64 {
        walk::block_address(block) + self.block_step * (1 + u64::from(block.as_u32()))
    }

    /// The block that control goes to at this address.
    pub fn block_at(&self, function: &Function, address: u64) -> Option<Block> {
        let taken = || function.layout().iter().copied().find(|&block| self.block_address(block) == address);
        walk::block_at(function, address).or_else(taken)
    }
}

/// The usual place.
pub const FRAME: Frame = Frame { address: 0x2000_0000, gap: 64, above: 0, caller: 0x2f00_0000, block_step: 0 };
/// Another place and other distances, and other bits wherever an alignment leaves them free: a result that differs here
/// depends on addresses that no source may rely on.
pub const OTHER_FRAME: Frame =
    Frame { address: 0x5cc3_5550, gap: 0x1230, above: 15, caller: 0x6f12_3450, block_step: 0x1235 };
