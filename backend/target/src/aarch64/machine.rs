//! Moves, spills, frames, branches.

use crate::Machine;
use tribunal_ir::{Block, InstData, PReg, TargetOpcode};

pub struct MachineCode;

impl Machine for MachineCode {
    fn copy(&self, _dst: PReg, _src: PReg) -> InstData {
        unreachable!()
    }
    fn reload(&self, _dst: PReg, _base: PReg, _offset: i64) -> InstData {
        unreachable!()
    }
    fn spill(&self, _src: PReg, _base: PReg, _offset: i64) -> InstData {
        unreachable!()
    }
    fn offset_fits(&self, _opcode: TargetOpcode, _offset: i64) -> bool {
        unreachable!()
    }
    fn offset_operand(&self, _opcode: TargetOpcode, offset: i64) -> i64 {
        offset
    }
    fn operand_offset(&self, _opcode: TargetOpcode, operand: i64) -> i64 {
        operand
    }

    fn add_offset(&self, _dst: PReg, _src: PReg, _offset: i64, _scratch: PReg) -> Vec<InstData> {
        unreachable!()
    }
    fn expand_pseudo(&self, _inst: &InstData) -> Option<InstData> {
        unreachable!()
    }
    fn invert_branch(&self, _inst: &InstData) -> Option<InstData> {
        unreachable!()
    }
    fn jump(&self, _destination: Block) -> InstData {
        unreachable!()
    }
    fn assembly(&self, _inst: &InstData, _label: &dyn Fn(Block) -> String) -> String {
        unreachable!()
    }
}
