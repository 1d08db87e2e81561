//! An ELF object is written and read back: its sections, symbols and relocations are those of the code.

use object::read::{Object, ObjectSection, ObjectSymbol};
use object::{Architecture, Endianness, RelocationFlags, RelocationTarget, SymbolKind};
use tribunal_codegen::emit::{CallRelocation, Code, object};
use tribunal_ir::RelocationModel;
use tribunal_target::abi::CallKind;
use tribunal_target::riscv::features::C;
use tribunal_target::{Features, Target};

fn code(name: &str, bytes: &[u8], calls: &[(u32, &str)]) -> Code {
    let kind = CallKind::Returning;
    let call =
        |&(offset, symbol): &(u32, &str)| CallRelocation { offset, symbol: symbol.to_string(), kind, library: None };
    let calls = calls.iter().map(call).collect();
    let (name, bytes) = (name.to_string(), bytes.to_vec());
    Code { bytes, calls, ..Code::new(name, 4, Features::empty()) }
}

fn written(codes: &[Code], target: &'static Target) -> Vec<u8> {
    object(codes, None, RelocationModel::Static, target).unwrap()
}

/// Six bytes, so that the second function needs two more to be aligned.
fn codes() -> [Code; 2] {
    let first = code("first", &[1, 2, 3, 4, 5, 6], &[(0, "second"), (4, "__udivti3")]);
    [first, code("second", &[7; 12], &[(8, "__udivti3"), (4, "first")])]
}

#[test]
fn the_header_is_the_targets() {
    // `e_machine` from the documents of the psABIs.
    let known = [
        ("riscv64", Architecture::Riscv64, 243),
        ("riscv32", Architecture::Riscv32, 243),
        ("aarch64", Architecture::Aarch64, 183),
    ];
    for target in tribunal_target::ALL {
        let bytes = written(&codes(), target);
        let file = object::File::parse(&*bytes).unwrap();
        let (_, architecture, machine) = known.into_iter().find(|(name, ..)| *name == target.name).unwrap();
        assert_eq!((file.architecture(), file.endianness()), (architecture, Endianness::Little));
        assert_eq!(file.is_64(), target.pointer_bits == 64);
        assert_eq!(u16::from_le_bytes([bytes[18], bytes[19]]), machine);
        let at = if file.is_64() { 48 } else { 36 };
        assert_eq!(bytes[at..at + 4], target.elf.as_ref().unwrap().flags.0.to_le_bytes());
        assert!(file.section_by_name(".note.GNU-stack").is_some(), "the stack would be executable");
    }
}

/// The linker refuses to join code of other sizes of words without it.
#[test]
fn compressed_code_is_marked() {
    let [mut first, second] = codes();
    first.features = C;
    let bytes = written(&[first, second], tribunal_target::by_name("riscv32").unwrap());
    assert_eq!(bytes[36..40], object::elf::EF_RISCV_RVC.0.to_le_bytes());
}

#[test]
fn functions_are_global_symbols_at_their_bytes() {
    for target in tribunal_target::ALL {
        let (codes, bytes) = (codes(), written(&codes(), target));
        let file = object::File::parse(&*bytes).unwrap();
        let text = file.section_by_name(".text").unwrap();
        let data = text.data().unwrap();
        for code in &codes {
            let symbol = file.symbol_by_name(&code.name).unwrap();
            assert!(symbol.is_global() && symbol.kind() == SymbolKind::Text, "{}", code.name);
            assert_eq!(symbol.section_index(), Some(text.index()));
            assert_eq!(symbol.address() % u64::from(code.align), 0);
            let start = symbol.address() as usize;
            assert_eq!(data[start..start + symbol.size() as usize], code.bytes);
        }
        let undefined: Vec<_> =
            file.symbols().filter(|symbol| symbol.is_undefined()).map(|symbol| symbol.name().unwrap()).collect();
        assert_eq!(undefined, ["__udivti3"], "once, however often it is called");
    }
}

/// The offset counts from the section, the symbol is the one called.
#[test]
fn each_call_is_a_relocation() {
    for target in tribunal_target::ALL {
        let bytes = written(&codes(), target);
        let file = object::File::parse(&*bytes).unwrap();
        let mut found = Vec::new();
        for (offset, relocation) in file.section_by_name(".text").unwrap().relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { panic!("{relocation:?}") };
            let name = file.symbol_by_index(symbol).unwrap().name().unwrap().to_string();
            let RelocationFlags::Elf { r_type } = relocation.flags() else { panic!("{relocation:?}") };
            assert_eq!((r_type.0, relocation.addend()), (target.elf.as_ref().unwrap().call.0, 0));
            found.push((offset, name));
        }
        found.sort();
        let expected = [(0, "second"), (4, "__udivti3"), (12, "first"), (16, "__udivti3")];
        assert_eq!(found, expected.map(|(offset, name)| (offset, name.to_string())));
    }
}

#[test]
fn an_object_without_functions_is_one_still() {
    for target in tribunal_target::ALL {
        let bytes = written(&[], target);
        assert_eq!(object::File::parse(&*bytes).unwrap().symbols().filter(ObjectSymbol::is_global).count(), 0);
    }
}
