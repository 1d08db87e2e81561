//! The whole pipeline, top to bottom.
//! (Interface first; the driver and the passes follow.)

use crate::{CompileError, Context};
use tribunal_ir::{Function, Properties};

/// One pass.
pub struct Pass {
    /// Pass name = module = command-line argument = corpus folder = timing label.
    pub name: &'static str,
    /// Properties that the function must have before, and must not have.
    pub requires: Properties,
    pub forbids: Properties,
    /// Properties that it has after, and has lost.
    pub ensures: Properties,
    pub drops: Properties,
    pub run: fn(&mut Context<'_>, &mut Function) -> Result<(), CompileError>,
}
