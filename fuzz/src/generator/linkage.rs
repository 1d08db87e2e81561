//! The module that a program is said to be of: where its symbols may lie, which of them each thread has its own of, and
//! how code finds them. And constants of the pool, which are found the same ways.
//!
//! Invariant: a program has a module only if its target computes every address in it.

use super::data::{self, DATA_MODULES};
use super::{Entry, Generator};
use arbitrary::{Result, Unstructured};
use std::sync::{Arc, LazyLock};
use tribunal_ir::{
    AddressBase, AddressData, Function, GlobalName, IrBlock, MemFlags, MemOperand, Opcode, Operand, PoolConstant,
    PoolValue, TargetFlags, Type, VReg,
};
use tribunal_target::addressing::Addressing;

/// The levels of position independence of a module and of an executable, and the code model, by LLVM's numbers.
const MODELS: [[u32; 3]; 4] = [[0, 0, 3], [2, 2, 1], [2, 0, 1], [2, 2, 3]];
/// The heads of the function that runs. A prime number of them meets each model.
const FUNCTIONS: [&str; 7] = [
    "define void @f()",
    "define weak hidden void @f()",
    "define internal void @f() section \".text.own\"",
    "$f = comdat any\n  define linkonce_odr protected void @f() comdat align 64",
    "define weak_odr void @f() align 256",
    "define void @f() \"frame-pointer\"=\"all\"",
    "define dso_local void @f() \"frame-pointer\"=\"non-leaf\"",
];
/// The intrinsic that says which thread's variable is meant.
pub(super) const THREAD_LOCAL: &str = "llvm.threadlocal.address";
/// The intrinsic for the thread pointer.
pub(super) const THREAD_POINTER: &str = "llvm.thread.pointer";
/// Bits of constants of the pool.
const CONSTANT_BITS: [u32; 5] = [8, 16, 32, 64, 128];

/// The modules of targets with addresses of 32 and of 64 bits, one for each choice of data, with the models in turn:
/// symbols of its own, and such as may be anybody's. A library's thread-local variables are said to be those of a
/// program's start, since code finds no others.
static BLOCKS: LazyLock<[Vec<IrBlock>; 2]> = LazyLock::new(|| [32, 64].map(blocks));

fn blocks(address_bits: u32) -> Vec<IrBlock> {
    let text = |(number, [library, executable, code]): (u32, [u32; 3])| {
        let (head, data) = (FUNCTIONS[number as usize % FUNCTIONS.len()], data::definitions(number, address_bits));
        let thread_local = if library > executable { "thread_local(initialexec)" } else { "thread_local" };
        format!(
            "  @global0 = external dso_local global [64 x i8]\n  \
               @global1 = external global [64 x i8]\n  \
               @thread0 = external dso_local {thread_local} global [64 x i8]\n  \
               @thread1 = external {thread_local} global [64 x i8]\n  \
               declare ptr @llvm.thread.pointer.p0()\n  \
               {head} {{ ret void }}\n  \
               define void @callee1() {{ ret void }}\n  \
               define void @callee2() {{ ret void }}\n  \
               define void @callee3() {{ ret void }}\n  \
               {data}\
               !llvm.module.flags = !{{!0, !1, !2}}\n  \
               !0 = !{{i32 8, !\"PIC Level\", i32 {library}}}\n  \
               !1 = !{{i32 7, !\"PIE Level\", i32 {executable}}}\n  \
               !2 = !{{i32 1, !\"Code Model\", i32 {code}}}"
        )
    };
    (0..DATA_MODULES).zip(MODELS.into_iter().cycle()).filter_map(|module| IrBlock::read(text(module)).ok()).collect()
}

/// The text of the module that the generator gave a function, for files that hold the function.
pub fn block_of(function: &Function) -> Option<IrBlock> {
    let own = function.ir.as_ref()?;
    BLOCKS.iter().flatten().find(|block| Arc::ptr_eq(&block.shared(), own)).cloned()
}

/// A module of a target with addresses of so many bits, now and then.
pub(super) fn module(u: &mut Unstructured<'_>, address_bits: u16) -> Result<Option<&'static IrBlock>> {
    let blocks = &BLOCKS[usize::from(address_bits == 64)];
    match blocks.is_empty() || u.arbitrary()? {
        true => Ok(None),
        false => u.choose(blocks).map(Some),
    }
}

impl Generator<'_, '_, '_> {
    /// The module of the program, or one for a program of one function.
    pub(super) fn linkage(&mut self, module: Option<&IrBlock>) -> Result<()> {
        let is_alone = self.builder.function.name == "f" && self.callees.is_empty();
        let own = if self.policy.linked && is_alone { self::module(self.u, self.target.pointer_bits)? } else { None };
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
        let name = Operand::Intrinsic(self.builder.function.intern(THREAD_POINTER));
        let address = self.builder.build(pointer, Opcode::G_INTRINSIC, [name]);
        let register = self.builder.op(ty, Opcode::G_PTRTOINT, &[address]);
        self.scope.push(Entry { register, ty, deterministic: true });
        Ok(())
    }

    /// The same address, as LLVM writes that it is this thread's.
    pub(super) fn of_this_thread(&mut self, address: VReg) -> VReg {
        let name = Operand::Intrinsic(self.builder.function.intern(THREAD_LOCAL));
        self.builder.build(self.pointer_type(), Opcode::G_INTRINSIC, [name, Operand::used(address)])
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
