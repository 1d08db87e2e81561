//! Objects read back by the emulator's loader: what they hold is what runs, and damage is named and never a panic.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use object::elf::{FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, SectionHeader};
use std::collections::BTreeMap;
use tribunal_codegen::pipeline::{self, Code};
use tribunal_codegen::{Context, NoObserver, Options, emit};
use tribunal_emulator::input::Input;
use tribunal_emulator::machine::{Emulator, LoadedObject, ObjectLoadError, ObjectScope};
use tribunal_ir::{
    AddressBase, AddressData, Builder, Function, GlobalName, InstData, MemFlags, MemOperand, Opcode, Operand, Position,
    Properties, RelocationModel, TargetFlags, Type, text,
};
use tribunal_target::Target;
use tribunal_target::addressing::Quantity;
use tribunal_trial::Harness;
use tribunal_trial::inputs::Plan;

/// A call, a jump table and a constant.
fn source(target: &str) -> String {
    let path = format!("{}/../corpus/run/{target}/", env!("CARGO_MANIFEST_DIR"));
    ["g_brjt_distances.mir", "g_constant_pool.mir"]
        .map(|name| std::fs::read_to_string(format!("{path}{name}")).unwrap())
        .join("\n")
}

fn codes(target: &'static Target) -> Vec<Code> {
    let options = Options::new(target.default_features);
    let legalizer = (target.legality)(options.features);
    let module = text::parse_module(&source(target.name), target.vocabulary).unwrap();
    let code = |mut function: Function| {
        let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
        pipeline::compile(&mut function, &mut context).unwrap()
    };
    module.functions.into_iter().map(code).collect()
}

fn object(codes: &[Code], target: &'static Target) -> Vec<u8> {
    emit::object(codes, None, RelocationModel::Static, target).unwrap()
}

fn read(bytes: &[u8]) -> Result<LoadedObject, ObjectLoadError> {
    LoadedObject::read(bytes, BTreeMap::new(), ObjectScope::Alone)
}

#[test]
fn code_comes_first_and_data_after_it() {
    for &target in tribunal_target::ALL {
        for code in codes(target) {
            let object = read(&object(std::slice::from_ref(&code), target)).unwrap();
            let unlinked = object.unlinked();
            assert_eq!(unlinked.text, Some(code.bytes.len()), "{}", code.name);
            assert_eq!(unlinked.code[..code.bytes.len()], code.bytes, "{}", code.name);
            assert!(unlinked.code.len() > code.bytes.len(), "{}: a table or a constant is data", code.name);
        }
    }
}

/// The place of the number of local symbols in the header of the symbols' table.
fn border<H: FileHeader<Endian = object::Endianness>>(bytes: &[u8]) -> usize {
    let header = H::parse(bytes).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, bytes).unwrap();
    let index = sections.iter().position(|section| section.sh_type(endian) == object::elf::SHT_SYMTAB).unwrap();
    let headers: u64 = header.e_shoff(endian).into();
    headers as usize + index * size_of::<H::SectionHeader>() + if header.is_class_64() { 44 } else { 28 }
}

/// The border between local symbols and others is where the header of the symbols' table says.
#[test]
fn local_symbols_come_first() {
    for &target in tribunal_target::ALL {
        let mut bytes = object(&codes(target)[..1], target);
        assert!(read(&bytes).is_ok(), "{}", target.name);
        let border = match target.pointer_bits {
            32 => border::<FileHeader32<_>>(&bytes),
            _ => border::<FileHeader64<_>>(&bytes),
        };
        bytes[border] ^= 1;
        assert!(matches!(read(&bytes), Err(ObjectLoadError::Binding(_))), "{}", target.name);
    }
}

/// Variables of a thread, one with contents and one without, by both models: the object places them, each run anew.
const THREAD: &str = "--- |
  @full = internal thread_local global [2 x i32] [i32 7, i32 41]
  @blank = thread_local global [600 x i32] zeroinitializer
  define i32 @f(i32 %0) { ret i32 0 }
...
---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    liveins: $ARGUMENT

    %0:_(WORD) = COPY $ARGUMENT
    %1:_(s32) = G_TRUNC_OR_COPY
    %2:_(p0) = G_GLOBAL_VALUE @full + 4
    %3:_(s32) = G_LOAD %2(p0) :: (load (s32))
    %4:_(p0) = G_GLOBAL_VALUE @blank + 2396
    %5:_(s32) = G_LOAD %4(p0) :: (load (s32))
    G_STORE %1(s32), %4(p0) :: (store (s32))
    %6:_(s32) = G_LOAD %4(p0) :: (load (s32))
    %7:_(s32) = G_ADD %3, %6
    %8:_(s32) = G_SHL %5, %5
    %9:_(s32) = G_ADD %7, %8
    G_STORE %9(s32), %2(p0) :: (store (s32))
    %10:_(WORD) = G_EXTEND_OR_COPY
    $ARGUMENT = COPY %10(WORD)
    RETURN implicit $ARGUMENT
...
";

/// The object's own variables of a thread lie where the thread pointer says, in both engines.
#[test]
fn an_object_places_variables_of_a_thread() {
    for &target in tribunal_target::ALL {
        let result = target.abi.results()[0];
        let is_word = target.pointer_bits == 32;
        let wide = |opcode: &str, source: u32| match is_word {
            true => format!("COPY %{source}(s32)"),
            false if opcode == "G_TRUNC" => format!("G_TRUNC %{source}(s64)"),
            false => format!("{opcode} %{source}(s32)"),
        };
        let text = THREAD
            .replace("G_TRUNC_OR_COPY", &wide("G_TRUNC", 0))
            .replace("G_EXTEND_OR_COPY", &wide("G_ZEXT", 9))
            .replace("WORD", if is_word { "s32" } else { "s64" })
            .replace("ARGUMENT", target.vocabulary.register_name(result))
            .replace("RETURN", target.vocabulary.opcode_name(target.abi.return_opcode));
        let module = text::parse_module(&text, target.vocabulary).unwrap();
        let options = Options::new(target.default_features);
        let legalizer = (target.legality)(options.features);
        let mut context = Context { target, options, legalizer, observer: &mut NoObserver };
        let mut function = module.functions[0].clone();
        let mut code = pipeline::compile(&mut function, &mut context).unwrap();
        let ir = module.ir.as_ref().map(|ir| ir.module());
        let emitted = |code: &Code| emit::object(std::slice::from_ref(code), ir, RelocationModel::Static, target);
        let object = read(&emitted(&code).unwrap()).unwrap();
        let input = Input { registers: vec![(result, 1000)], buffers: Vec::new() };
        let engines = [Emulator::new(target, options.features), Emulator::stepping(target)];
        for mut engine in engines.map(Result::unwrap) {
            engine.load_linked(&object.unlinked(), &[]).unwrap();
            for _ in 0..2 {
                let run = engine.run(&input, &[result], 1000).unwrap();
                let results: Vec<u128> = run.results.into_iter().map(|(_, value)| value).collect();
                assert_eq!((run.fault, results), (None, vec![1041]), "{}", target.name);
            }
        }
        // An address of such a variable is no relocation of it.
        let of_address = target.addressing.fixups.iter().find(|fixup| fixup.quantity == Quantity::Address).unwrap();
        code.relocations[0].kind = of_address.parts[0].kind;
        let refused = read(&emitted(&code).unwrap()).err();
        assert!(matches!(refused, Some(ObjectLoadError::ThreadLocal(_))), "{}: {refused:?}", target.name);
    }
}

/// A call is looked for where the code has it.
#[test]
fn a_call_that_is_not_the_objects_is_named() {
    let target = tribunal_target::by_name("aarch64").unwrap();
    let mut code = codes(target).remove(0);
    code.bytes.extend(0x9400_0000u32.to_le_bytes());
    let offset = code.bytes.len() as u32 - 4;
    let kind = tribunal_target::abi::CallKind::Returning;
    code.calls.push(emit::CallRelocation { offset, symbol: "callee".to_string(), kind, library: None });
    let object = read(&object(&[code], target)).unwrap();
    assert_eq!((object.calls(), object.check_call(offset, "callee")), (1, Ok(())));
    for (offset, symbol) in [(offset, "other"), (offset - 4, "callee")] {
        assert_eq!(object.check_call(offset, symbol), Err(ObjectLoadError::Call(symbol.to_string(), offset)));
    }
}

/// Functions that run together have the places that the object's symbols say, and an address that is known is theirs.
#[test]
fn functions_of_one_object_are_found_by_their_symbols() {
    for &target in tribunal_target::ALL {
        let codes = codes(target);
        let bytes = object(&codes[..2], target);
        let object = LoadedObject::read(&bytes, BTreeMap::new(), ObjectScope::Together).unwrap();
        let second = codes[0].bytes.len().next_multiple_of(codes[1].align as usize) as u32;
        assert_eq!(object.function(&codes[0].name), Some(0), "{}", target.name);
        assert_eq!(object.function(&codes[1].name), Some(second), "{}", target.name);
        assert_eq!(object.unlinked().functions.len(), 2, "{}", target.name);
        assert!(read(&bytes).unwrap().unlinked().functions.is_empty(), "{}", target.name);
    }
}

/// Bytes between functions, which belong to no symbol.
#[test]
fn functions_that_do_not_tile_the_code_are_named() {
    for &target in tribunal_target::ALL {
        let mut codes = codes(target);
        let bytes = codes[0].bytes.len().next_multiple_of(64) + 4;
        codes[0].bytes.resize(bytes, 0xff);
        codes[1].align = 64;
        assert!(matches!(read(&object(&codes[..2], target)), Err(ObjectLoadError::Untiled(_))), "{}", target.name);
    }
}

/// Any byte may be wrong: the loader reads another object, or says why it reads none.
#[test]
fn damaged_objects_make_no_panic() {
    let mut refused = 0;
    for &target in tribunal_target::ALL {
        let bytes = object(&codes(target)[..1], target);
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (place % 8);
            refused += u32::from(read(&damaged).is_err());
            refused += u32::from(place % 16 == 0 && read(&bytes[..place]).is_err());
        }
    }
    assert!(refused > 0);
}

/// A function that adds up the words at `count` symbols.
fn adds_symbols(target: &'static Target, count: usize) -> Function {
    let word = target.register_type();
    let pointer = Type::Pointer { address_space: 0, bits: target.pointer_bits };
    let mut function = Function::new("f");
    function.properties = Properties::IS_SSA | Properties::TRACKS_REG_LIVENESS;
    let entry = function.new_block();
    let mut builder = Builder::new(&mut function, Position::AtEnd(entry));
    let mut sum = builder.constant_i64(word, 0);
    for number in 0..count {
        let name = builder.function.intern(&format!("g{number}"));
        let base = AddressBase::Global(GlobalName::Named(name));
        let operand = builder.function.address(AddressData { base, offset: 0, flags: TargetFlags::NONE });
        let address = builder.build(pointer, Opcode::G_GLOBAL_VALUE, [operand]);
        let access = MemOperand::new(MemFlags::LOAD, word, word.bits() / 8);
        let value = builder.load(Opcode::G_LOAD, word, address, access);
        sum = builder.op(word, Opcode::G_ADD, &[sum, value]);
    }
    let result = target.abi.results()[0];
    builder.push(InstData::new(Opcode::COPY, [Operand::def(result), Operand::used(sum)]));
    builder.push(InstData::new(Opcode::Target(target.abi.return_opcode), [Operand::implicit_use(result)]));
    function
}

/// An execution has room for some symbols. More are the judge's limit, and no fault of the object.
#[test]
fn more_symbols_than_an_execution_places_are_unsupported() {
    for &target in tribunal_target::ALL {
        let options = Options::new(target.default_features);
        let trial = |count| {
            let function = adds_symbols(target, count);
            Harness::new(target, options).unwrap().trial(&function, Plan { count: 4, seed: 1 })
        };
        let few = trial(8);
        assert!(few.findings.is_empty() && few.executions == 4, "{}: {few:?}", target.name);
        let many = trial(60);
        assert!(many.findings.is_empty(), "{}: {}", target.name, many.findings[0]);
        assert!(many.unsupported.keys().any(|feature| feature.contains("too many symbols")), "{many:?}");
    }
}
