//! The IR block of a MIR file: its text, which is printed as it was read, and the module that the text is.

use std::sync::Arc;
use tribunal_llvm::{IrError, IrModule};

/// LLVM IR of the first document of a file. A clone shares the module.
#[derive(Clone, Debug)]
pub struct IrBlock {
    text: String,
    module: Arc<IrModule>,
}

impl IrBlock {
    /// Reads the block. The error's line is counted from the block's first.
    pub fn read(text: String) -> Result<IrBlock, IrError> {
        let module = Arc::new(tribunal_llvm::parse(&text)?);
        Ok(IrBlock { text, module })
    }

    /// The text, as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The module, which functions share.
    pub fn shared(&self) -> Arc<IrModule> {
        self.module.clone()
    }

    /// Types, globals, signatures, data layout and target triple.
    pub fn module(&self) -> &IrModule {
        &self.module
    }
}
