//! The runtime library: functions that every compiler for these machines ships (libgcc, compiler-rt), for arithmetic
//! that has no instruction. One table gives the meaning of each to the code that writes, runs or proves a call.
//!
//! The names are libgcc's: `__`, the operation, the size of the operands (`si` 32, `di` 64, `ti` 128 bits), 3 operands.

use tribunal_ir::semantics::{Domain, Evaluation, Unsupported, Value, evaluate_binary};
use tribunal_ir::{Opcode, Type};

/// A function of two scalars of one type, which it returns too. It touches no memory that is the caller's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuntimeFunction {
    /// Its symbol.
    pub name: &'static str,
    /// Its meaning is that of this opcode at this width, undefined behaviour included.
    pub opcode: Opcode,
    /// The width of its operands and of its result, in bits.
    pub bits: u32,
}

macro_rules! functions {
    ($($opcode:ident: $si:literal $di:literal $ti:literal)*) => {
        /// Every function that calls are made to.
        pub static FUNCTIONS: &[RuntimeFunction] = &[$(
            RuntimeFunction { name: $si, opcode: Opcode::$opcode, bits: 32 },
            RuntimeFunction { name: $di, opcode: Opcode::$opcode, bits: 64 },
            RuntimeFunction { name: $ti, opcode: Opcode::$opcode, bits: 128 },
        )*];
    };
}

functions! {
    G_MUL: "__mulsi3" "__muldi3" "__multi3"
    G_UDIV: "__udivsi3" "__udivdi3" "__udivti3"
    G_SDIV: "__divsi3" "__divdi3" "__divti3"
    G_UREM: "__umodsi3" "__umoddi3" "__umodti3"
    G_SREM: "__modsi3" "__moddi3" "__modti3"
}

impl RuntimeFunction {
    /// The function with this symbol.
    pub fn named(name: &str) -> Option<&'static RuntimeFunction> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// The function that computes `opcode` on scalars of type `ty`.
    pub fn of(opcode: Opcode, ty: Type) -> Option<&'static RuntimeFunction> {
        FUNCTIONS.iter().find(|function| function.opcode == opcode && ty == function.ty())
    }

    /// Of both arguments and of the result.
    pub fn ty(&self) -> Type {
        Type::scalar(self.bits)
    }

    /// Evaluates a call, which has one result.
    pub fn evaluate<D: Domain>(&self, domain: &mut D, args: &[Value<D>; 2]) -> Result<Evaluation<D>, Unsupported> {
        evaluate_binary(domain, self.opcode, args)
    }
}
