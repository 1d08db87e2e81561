//! Every operand form that the language knows is read to a typed operand and printed as it was.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_ir::entities::ConstantPoolIndex;
use tribunal_ir::function::RegisterListKind;
use tribunal_ir::text::{parse_module, print_module};
use tribunal_ir::{
    AddressBase, AddressData, AtomicOrdering, Bits, FloatFormat, FloatPredicate, Function, GlobalName, JumpTableKind,
    MemOperand, Module, Operand, Pointer, PoolValue, SyncScope, TargetFlags, UnknownKind,
};
use tribunal_target::Target;

fn target(name: &str) -> &'static Target {
    tribunal_target::by_name(name).unwrap()
}

/// A function of one block whose only instruction is `line`, with a stack, a constant pool and a jump table.
fn source(line: &str) -> String {
    format!(
        "---\nname:            f\nframeInfo:\n  stackSize:       16\n  maxAlignment:    8\n  hasCalls:        true\n  \
         maxCallFrameSize: 0\n  savePoint:       [ {{ point: '%bb.4' }} ]\nfixedStack:\n  - {{ id: 0, offset: 0, size: \
         8, alignment: 8 }}\nstack:\n  - {{ id: 0, name: a.addr, size: 8, alignment: 8 }}\nconstants:\n  - id:              \
         0\n    value:           'i64 -5'\n    alignment:       8\n  - id:              1\n    value:           'double \
         1.000000e+00'\n  - id:              2\n    value:           '<2 x i32> <i32 1, i32 2>'\n    isTargetSpecific: \
         true\njumpTable:\n  kind:            label-difference32\n  entries:\n    - id:              0\n      \
         blocks:          [ '%bb.4', '%bb.4' ]\nbody:             |\n  bb.4:\n    successors:\n  \n    {line}\n...\n"
    )
}

fn module(target: &Target, line: &str) -> Module {
    let source = source(line);
    let module = parse_module(&source, target.vocabulary).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let module = module.whole().unwrap_or_else(|unread| panic!("{unread}\n{source}"));
    assert_eq!(print_module(&module, target.vocabulary), source);
    module
}

/// The operands of the one instruction of a function.
fn operands(function: &Function) -> &[Operand] {
    &function.inst(function.all_insts().next().unwrap()).operands
}

/// Reads `text` as the second operand of an opaque instruction, and checks that it is printed again.
fn operand(target: &Target, text: &str, check: impl Fn(&Function, &Operand)) {
    let module = module(target, &format!("SOME_OPCODE {text}, 1"));
    let [Operand::OpcodeName(_), operand, Operand::Imm(1)] = operands(&module.functions[0]) else {
        panic!("{text}: {:?}", operands(&module.functions[0]));
    };
    check(&module.functions[0], operand);
}

fn address(target: &Target, text: &str, check: impl Fn(&Function, AddressData)) {
    operand(target, text, |function, operand| check(function, *function.address_of(operand).expect(text)));
}

#[test]
fn addresses_name_their_entity() {
    let riscv = target("riscv64");
    for (text, name, offset) in [
        ("@g", "g", 0),
        ("@g + 8", "g", 8),
        ("@.str.1 - 4", ".str.1", -4),
        ("@\"a + 3\" + 9223372036854775807", "a + 3", i64::MAX),
        ("@\"\\C3\\A9\\22$\" - 9223372036854775808", "é\"$", i64::MIN),
    ] {
        address(riscv, text, |function, address| {
            assert_eq!((function.symbol_name(address.base), address.offset), (Some(name), offset));
        });
    }
    address(riscv, "@0", |_, address| assert_eq!(address.base, AddressBase::Global(GlobalName::Numbered(0))));
    address(riscv, "@\"0\"", |function, address| assert_eq!(function.symbol_name(address.base), Some("0")));
    for (text, name) in [("&memcpy", "memcpy"), ("&\"\"", ""), ("&\"nop\\0A $0\"", "nop\n $0"), ("&f + 4", "f")] {
        address(riscv, text, |function, address| assert_eq!(function.external(address.base), Some(name)));
    }
    address(riscv, "%const.1 + 4", |_, address| {
        assert_eq!((address.base, address.offset), (AddressBase::Constant(ConstantPoolIndex::from_u32(1)), 4));
    });
    address(riscv, "%jump-table.0", |_, address| assert!(matches!(address.base, AddressBase::JumpTable(_))));
    for text in
        ["blockaddress(@f, %ir-block.x)", "blockaddress(@0, %ir-block.3)", "blockaddress(@f, %ir-block.\"a b\")"]
    {
        address(riscv, text, |_, address| assert!(matches!(address.base, AddressBase::Block { .. })));
    }
    address(riscv, "<mcsymbol .Lpcrel_hi0>", |_, address| assert!(matches!(address.base, AddressBase::Label(_))));
}

#[test]
fn every_target_flag_is_read_and_printed() {
    for target in tribunal_target::ALL {
        assert!(!target.target_flags.is_empty() && target.target_flags.len() <= 32);
        for (bit, name) in target.target_flags.iter().enumerate() {
            for entity in ["@g + 8", "&memcpy", "%const.0", "%jump-table.0"] {
                address(target, &format!("target-flags({name}) {entity}"), |_, address| {
                    assert_eq!(address.flags, TargetFlags(1 << bit));
                });
            }
        }
    }
    address(target("aarch64"), "target-flags(aarch64-pageoff, aarch64-nc) @g", |_, address| {
        assert_eq!(address.flags, TargetFlags(1 << 1 | 1 << 9));
    });
}

#[test]
fn an_unknown_flag_or_scope_is_that_functions_own() {
    let vocabulary = target("riscv64").vocabulary;
    for (line, kind, text) in [
        ("SOME_OPCODE target-flags(riscv-lo, x86-got) @g", UnknownKind::TargetFlag, "x86-got"),
        ("SOME_OPCODE target-flags(aarch64-page) @g", UnknownKind::TargetFlag, "aarch64-page"),
        ("SOME_OPCODE csr_other", UnknownKind::RegisterMask, "csr_other"),
        ("SOME_OPCODE CustomRegMask($q9)", UnknownKind::Register, "$q9"),
        ("SOME_OPCODE 1 :: (load syncscope(\"agent\") acquire (s32))", UnknownKind::SyncScope, "agent"),
    ] {
        let text_of_both = source(line) + &source("SOME_OPCODE @g").replace("name:            f", "name:            h");
        let module = parse_module(&text_of_both, vocabulary).unwrap();
        assert_eq!((module.functions.len(), module.unread.len()), (1, 1), "{line}");
        assert_eq!((module.unread[0].unknown.kind, module.unread[0].unknown.text.as_str()), (kind, text));
        assert_eq!(print_module(&module, vocabulary), text_of_both);
    }
}

#[test]
fn constants_and_tables_must_be_there() {
    for line in ["SOME_OPCODE %const.3", "SOME_OPCODE %jump-table.1", "SOME_OPCODE 1 :: (load (s8) from %stack.1)"] {
        assert!(parse_module(&source(line), target("riscv64").vocabulary).is_err(), "{line}");
    }
    let without_block = source("SOME_OPCODE 1").replace("'%bb.4', '%bb.4'", "'%bb.4', '%bb.5'");
    let error = parse_module(&without_block, target("riscv64").vocabulary).unwrap_err();
    assert_eq!(error.message, "there is no block bb.5");
}

#[test]
fn other_operands_are_typed() {
    let riscv = target("riscv64");
    for predicate in FloatPredicate::ALL {
        operand(riscv, &format!("floatpred({})", predicate.name()), |_, operand| {
            assert_eq!(*operand, Operand::FloatPredicate(predicate));
        });
    }
    operand(riscv, "float 0x3FB99999A0000000", |function, operand| {
        let Operand::Float(constant) = operand else { panic!("{operand:?}") };
        assert_eq!(function.float_bits(*constant), Some(Bits::new(0x3dcc_cccd, 32)));
    });
    for target in tribunal_target::ALL {
        for (name, _) in target.register_masks {
            operand(target, name, |_, operand| assert!(matches!(operand, Operand::RegisterMask(_))));
        }
    }
    for (text, kind) in
        [("CustomRegMask($x8,$x9)", RegisterListKind::Preserved), ("liveout($x10, $x11)", RegisterListKind::LiveOut)]
    {
        operand(riscv, text, |function, operand| {
            let Operand::RegisterList(list) = operand else { panic!("{operand:?}") };
            let list = &function.register_lists[*list];
            assert_eq!((list.kind, list.registers.len()), (kind, 2));
        });
    }
    operand(riscv, "intrinsic(@llvm.riscv.orc.b)", |_, operand| assert!(matches!(operand, Operand::Intrinsic(_))));
    operand(riscv, "shufflemask(0, undef, 5)", |function, operand| {
        let Operand::ShuffleMask(mask) = operand else { panic!("{operand:?}") };
        assert_eq!(function.shuffle_masks[*mask], [Some(0), None, Some(5)]);
    });
    operand(riscv, "!5", |_, operand| assert_eq!(*operand, Operand::Metadata(5)));
    operand(riscv, "$noreg", |_, operand| assert_eq!(*operand, Operand::NoRegister));
    for text in ["!DIExpression(DW_OP_deref, 1)", "target-index(some, 1)", "ppc_fp128 0xM00", "%ir.x"] {
        operand(riscv, text, |_, operand| assert!(matches!(operand, Operand::Text(_)), "{text}: {operand:?}"));
    }
}

/// The memory operand of an instruction that accesses four bytes.
fn memory(words: &str, check: impl Fn(&Function, &MemOperand)) {
    let module = module(target("riscv64"), &format!("SOME_OPCODE 1 :: ({words})"));
    let function = &module.functions[0];
    check(function, &function.inst(function.all_insts().next().unwrap()).memory[0]);
}

/// The text of a pointer, and whether it is read as the right one.
type PointerCase = (&'static str, fn(Pointer) -> bool);

#[test]
fn pointers_of_memory_operands_are_typed() {
    let cases: [PointerCase; 13] = [
        ("%ir.p", |pointer| matches!(pointer, Pointer::Ir(_))),
        ("%ir.\"a b\"", |pointer| matches!(pointer, Pointer::Ir(_))),
        ("`ptr getelementptr (i8, ptr @g, i64 8)`", |pointer| matches!(pointer, Pointer::Expression(_))),
        ("@g", |pointer| matches!(pointer, Pointer::Global(GlobalName::Named(_)))),
        ("@0", |pointer| pointer == Pointer::Global(GlobalName::Numbered(0))),
        ("%stack.0.a.addr", |pointer| matches!(pointer, Pointer::Stack(_))),
        ("%fixed-stack.0", |pointer| matches!(pointer, Pointer::FixedStack(_))),
        ("stack", |pointer| pointer == Pointer::OutgoingArguments),
        ("constant-pool", |pointer| pointer == Pointer::ConstantPool),
        ("jump-table", |pointer| pointer == Pointer::JumpTable),
        ("got", |pointer| pointer == Pointer::Got),
        ("unknown-address", |pointer| pointer == Pointer::Unknown),
        ("custom \"TargetCustom7\"", |pointer| matches!(pointer, Pointer::Text(_))),
    ];
    for (text, is_right) in cases {
        for (sum, offset) in [("", 0), (" + 4", 4), (" - 16", -16)] {
            memory(&format!("load (s32) from {text}{sum}, align 1, !tbaa !9, addrspace 1"), |_, memory| {
                let is_text = matches!(memory.pointer, Some(Pointer::Text(_)));
                assert!(is_right(memory.pointer.unwrap()) && (is_text || memory.offset == offset), "{text}{sum}");
            });
        }
    }
    memory("load (s64) from call-entry @f", |_, memory| assert!(matches!(memory.pointer, Some(Pointer::CallEntry(_)))));
    memory("load (s64) from call-entry &f", |function, memory| {
        let Some(Pointer::ExternalCallEntry(name)) = memory.pointer else { panic!("{memory:?}") };
        assert_eq!(function.symbols[name], "f");
    });
}

#[test]
fn orderings_and_scopes_are_typed() {
    for ordering in AtomicOrdering::NAMED {
        memory(&format!("load store {} (s32) on %ir.p", ordering.name()), |_, memory| {
            assert_eq!((memory.ordering, memory.failure_ordering), (ordering, AtomicOrdering::NotAtomic));
            assert!(memory.is_atomic() && memory.scope == SyncScope::System);
        });
    }
    memory("load store syncscope(\"singlethread\") seq_cst acquire (s32) on %ir.p", |_, memory| {
        assert_eq!(memory.scope, SyncScope::SingleThread);
        assert_eq!(memory.ordering, AtomicOrdering::SequentiallyConsistent);
        assert_eq!(memory.failure_ordering, AtomicOrdering::Acquire);
    });
    memory("load (s32)", |_, memory| assert!(!memory.is_atomic()));
}

#[test]
fn the_tables_of_a_function_are_typed() {
    let module = module(target("riscv64"), "SOME_OPCODE 1");
    let function = &module.functions[0];
    let info = &function.frame_info;
    assert_eq!((info.stack_size, info.max_alignment, info.has_calls), (16, 8, true));
    assert_eq!((info.max_call_frame_size, info.has_tail_call), (Some(0), false));
    let values: Vec<&PoolValue> = function.constants.values().map(|constant| &constant.value).collect();
    assert_eq!(*values[0], PoolValue::Integer(Bits::from_i64(-5, 64)));
    assert_eq!(*values[1], PoolValue::Float(FloatFormat::Double, Bits::new(1.0f64.to_bits().into(), 64)));
    assert_eq!((values[1].bits().map(Bits::width), values[2].bits()), (Some(64), None));
    assert_eq!(function.jump_tables.kind, JumpTableKind::LabelDifference32);
    let entry = function.entry().unwrap();
    assert!(function.jump_tables.tables.values().eq([&vec![entry, entry]]));
    assert!(function.extra.is_empty());
}

#[test]
fn call_frame_information_is_typed() {
    let rules = [
        "def_cfa $x8, 16",
        "def_cfa_register $x8",
        "def_cfa_offset 48",
        "offset $x1, -8",
        "restore $x1",
        "same_value $x8",
        "undefined $x1",
        "remember_state",
        "restore_state",
    ];
    for rule in rules {
        let module = module(target("riscv64"), &format!("frame-setup CFI_INSTRUCTION {rule}"));
        let [Operand::Cfi(read)] = operands(&module.functions[0]) else { panic!("{rule}") };
        assert!(rule.starts_with(read.parts().0), "{rule}");
    }
}
