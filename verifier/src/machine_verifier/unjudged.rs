//! Instructions that the verifier cannot judge: no table here has their operands or their effects.
//!
//! Such a function may break rules that nobody looked at. So its verdict is a finding, or unsupported by the name that
//! is missing here; it is never that all is well.

use super::shapes;
use tribunal_ir::{Function, Opcode, Operand, intrinsics};

/// The name of the first instruction, or of the intrinsic in it, of which no table has the operands.
pub fn unjudged(function: &Function) -> Option<String> {
    function.all_insts().find_map(|inst| {
        let data = function.inst(inst);
        if data.opcode == Opcode::OPAQUE {
            let name = function.opaque_name(data).filter(|name| !shapes::has(name));
            return name.map(|name| format!("the operands of `{name}`"));
        }
        let name = data.operands.iter().find_map(|operand| match operand {
            Operand::Intrinsic(name) => function.symbols.get(*name),
            _ => None,
        })?;
        intrinsics::effects(name).is_none().then(|| format!("the effects of `{name}`"))
    })
}
