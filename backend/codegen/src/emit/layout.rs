//! The places of blocks in the code, and the instructions that take a compressed form.
//!
//! A branch has a compressed form if its distance is small, and distances depend on the forms of the branches between.
//! So all branches begin long, and those that fit become short until no more do. Distances only shrink, so a branch
//! that fits goes on to fit.

use super::resolved;
use crate::relax_branches;
use tribunal_ir::{Block, Function, Inst, InstData};
use tribunal_target::addressing::linked_operand;
use tribunal_target::{Features, Target};

/// Bytes of the shortest instruction, to which code is aligned.
pub fn word_bytes(target: &Target, features: Features) -> u32 {
    let compresses = target.compressed.iter().any(|form| features.contains(form.requires));
    if compresses { 2 } else { 4 }
}

/// The layout of one function.
pub struct Layout {
    target: &'static Target,
    features: Features,
    /// By block, in bytes.
    starts: Vec<i64>,
    /// Bytes of each instruction, by number; empty if no instruction is compressed.
    sizes: Vec<u8>,
}

impl Layout {
    /// Chooses the forms of all instructions.
    pub fn new(function: &Function, target: &'static Target, features: Features) -> Layout {
        let starts = relax_branches::block_offsets(function, target);
        let mut layout = Layout { target, features, starts, sizes: Vec::new() };
        if layout.align() < 4 {
            layout.sizes = vec![0; function.inst_bound()];
            for inst in function.all_insts() {
                layout.sizes[inst.as_u32() as usize] = relax_branches::size(target, function.inst(inst)) as u8;
            }
            while layout.shrink(function) {}
        }
        layout
    }

    /// In bytes.
    pub fn align(&self) -> u32 {
        word_bytes(self.target, self.features)
    }

    /// Bytes from the start of the function to the block.
    pub fn start(&self, block: Block) -> i64 {
        self.starts[block.as_u32() as usize]
    }

    /// The compressed form of `data`, which `inst` expands to, if `inst` is to have one.
    pub fn compressed(&self, inst: Inst, data: &InstData) -> Option<u16> {
        let is_short = self.sizes.get(inst.as_u32() as usize) == Some(&2);
        is_short.then(|| self.target.compress(data, self.features)).flatten()
    }

    /// Compresses the instructions that fit at the distances so far; true if there was one.
    fn shrink(&mut self, function: &Function) -> bool {
        let (mut offset, mut shrinks) = (0, false);
        let mut starts = self.starts.clone();
        for &block in function.layout() {
            starts[block.as_u32() as usize] = offset;
            let mut here = self.start(block);
            for inst in function.insts(block) {
                let number = inst.as_u32() as usize;
                let long = self.sizes[number];
                if long == 4 && self.fits(function, function.inst(inst), here) {
                    self.sizes[number] = 2;
                    shrinks = true;
                }
                here += i64::from(long);
                offset += i64::from(self.sizes[number]);
            }
        }
        self.starts = starts;
        shrinks
    }

    /// True if an instruction at `here` has a compressed form. A linker completes those with symbols, so they stay.
    fn fits(&self, function: &Function, data: &InstData, here: i64) -> bool {
        if linked_operand(function, self.target, data).is_some() {
            return false;
        }
        let resolved = resolved(data, |to| self.start(to) - here);
        let expanded = self.target.machine.expand_pseudo(&resolved);
        let [data] = expanded.as_deref().unwrap_or(std::slice::from_ref(&resolved)) else { return false };
        let linked = self.target.is_call(data) && function.callee(data).is_some();
        !linked && self.target.compress(data, self.features).is_some()
    }
}
