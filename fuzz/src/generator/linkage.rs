//! The module that a program is said to be of: where its symbols may lie, which of them each thread has its own of, and
//! how code finds them. And constants of the pool, which are found the same ways.
//!
//! Invariant: a program has a module only if its target computes every address in it.

use super::{Entry, Generator};
use arbitrary::{Result, Unstructured};
use std::sync::{Arc, LazyLock};
use tribunal_ir::{
    AddressBase, AddressData, Function, GlobalName, IrBlock, MemFlags, MemOperand, Opcode, Operand, PoolConstant,
    PoolValue, TargetFlags, Type,
};
use tribunal_target::addressing::Addressing;

/// The levels of position independence of a module and of an executable, and the code model, by LLVM's numbers.
const MODELS: [[u32; 3]; 4] = [[0, 0, 3], [2, 2, 1], [2, 0, 1], [2, 2, 3]];
/// Bits of constants of the pool.
const CONSTANT_BITS: [u32; 5] = [8, 16, 32, 64, 128];

/// The modules, one for each choice of models: symbols of its own, and such as may be anybody's. A library's
/// thread-local variables are said to be those of a program's start, since code finds no others.
static BLOCKS: LazyLock<Vec<IrBlock>> = LazyLock::new(|| {
    let text = |[library, executable, code]: [u32; 3]| {
        let thread_local = if library > executable { "thread_local(initialexec)" } else { "thread_local" };
        format!(
            "  @global0 = external dso_local global [64 x i8]\n  \
               @global1 = external global [64 x i8]\n  \
               @thread0 = external dso_local {thread_local} global [64 x i8]\n  \
               @thread1 = external {thread_local} global [64 x i8]\n  \
               declare ptr @llvm.thread.pointer.p0()\n  \
               define void @f() {{ ret void }}\n  \
               define void @callee1() {{ ret void }}\n  \
               define void @callee2() {{ ret void }}\n  \
               define void @callee3() {{ ret void }}\n  \
               !llvm.module.flags = !{{!0, !1, !2}}\n  \
               !0 = !{{i32 8, !\"PIC Level\", i32 {library}}}\n  \
               !1 = !{{i32 7, !\"PIE Level\", i32 {executable}}}\n  \
               !2 = !{{i32 1, !\"Code Model\", i32 {code}}}"
        )
    };
    MODELS.into_iter().filter_map(|model| IrBlock::read(text(model)).ok()).collect()
});

/// The text of the module that the generator gave a function, for files that hold the function.
pub fn block_of(function: &Function) -> Option<IrBlock> {
    let own = function.ir.as_ref()?;
    BLOCKS.iter().find(|block| Arc::ptr_eq(&block.shared(), own)).cloned()
}

/// A module, now and then.
pub(super) fn module(u: &mut Unstructured<'_>) -> Result<Option<&'static IrBlock>> {
    match BLOCKS.is_empty() || u.arbitrary()? {
        true => Ok(None),
        false => u.choose(&BLOCKS).map(Some),
    }
}

impl Generator<'_, '_, '_> {
    /// The module of the program, or one for a program of one function.
    pub(super) fn linkage(&mut self, module: Option<&IrBlock>) -> Result<()> {
        let is_alone = self.builder.function.name == "f" && self.callees.is_empty();
        let own = if self.policy.linked && is_alone { self::module(self.u)? } else { None };
        let Some(block) = module.or(own) else { return Ok(()) };
        let function = &mut self.builder.function;
        function.ir = Some(block.shared());
        let symbols = ["global0", "global1", "thread0", "thread1"];
        let symbols = symbols.map(|name| AddressBase::Global(GlobalName::Named(function.intern(name))));
        if symbols.into_iter().any(|base| self.target.addressing_of(function, base) == Addressing::Unsupported) {
            function.ir = None;
        }
        Ok(())
    }

    /// The thread pointer as a number, which is the same in every run.
    pub(super) fn thread_pointer(&mut self) -> Result<()> {
        let (pointer, ty) = (self.pointer_type(), self.register_type());
        let name = Operand::Intrinsic(self.builder.function.intern("llvm.thread.pointer"));
        let address = self.builder.build(pointer, Opcode::G_INTRINSIC, [name]);
        let register = self.builder.op(ty, Opcode::G_PTRTOINT, &[address]);
        self.scope.push(Entry { register, ty, deterministic: true });
        Ok(())
    }

    /// A load of a constant of the pool.
    pub(super) fn pooled(&mut self) -> Result<()> {
        let bits = *self.u.choose(&CONSTANT_BITS)?;
        let value = self.constant_value(bits)?;
        let align = 1u32 << self.u.int_in_range(0..=(bits / 8).ilog2())?;
        let constant = PoolConstant { value: PoolValue::Integer(value), align: Some(align), target_specific: false };
        let pointer = self.pointer_type();
        let base = AddressBase::Constant(self.builder.function.constants.push(constant));
        let operand = self.builder.function.address(AddressData { base, offset: 0, flags: TargetFlags::NONE });
        let address = self.builder.build(pointer, Opcode::G_CONSTANT_POOL, [operand]);
        let ty = Type::scalar(bits);
        let register = self.builder.load(Opcode::G_LOAD, ty, address, MemOperand::new(MemFlags::LOAD, ty, align));
        self.scope.push(Entry { register, ty, deterministic: true });
        Ok(())
    }
}
