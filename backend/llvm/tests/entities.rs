//! The entities of `tests/sources/forms.ll`: every property that its text gives is where the module has it.

#![allow(clippy::unwrap_used, reason = "a test says by a panic what went wrong")]

use tribunal_llvm::module::{ComdatSelection, ThreadLocalModel, UnnamedAddress};
use tribunal_llvm::{
    Attribute, AttributeWord, CallingConvention, ConstantKind, DataLayout, Definition, Global, IrModule, Linkage, Name,
    TypedAttribute, Visibility, parse,
};

const TEXT: &str = include_str!("sources/forms.ll");

fn global<'m>(module: &'m IrModule, name: &str) -> &'m Global {
    module.global(&Name::from(name)).unwrap()
}

#[test]
fn the_module_has_its_head() {
    let module = parse(TEXT).unwrap();
    assert_eq!(module.source_filename.as_deref(), Some("forms.c"));
    assert_eq!(module.target_triple.as_deref(), Some("riscv64-unknown-linux-gnu"));
    assert_eq!(tribunal_llvm::target_triple(TEXT), module.target_triple);
    assert_eq!(module.assembly, [".globl marker"]);
    assert_eq!(module.data_layout.as_ref().unwrap().stack_alignment, Some(16));
    let comdat = module.comdats.values().next().unwrap();
    assert_eq!((comdat.name.as_str(), comdat.selection), (Some("group"), Some(ComdatSelection::Any)));
    assert!(module.symbols.values().all(|symbol| symbol.definition.is_some()));
}

#[test]
fn types_have_sizes_and_offsets() {
    let module = parse(TEXT).unwrap();
    let layouts = module.layouts(&DataLayout::default());
    let node = layouts.get(global(&module, "node").ty).unwrap();
    assert_eq!((node.alloc_size(), node.alignment.abi, &*node.offsets), (24, 8, &[0, 8, 12, 16][..]));
    let packed = layouts.get(global(&module, "packed").ty).unwrap();
    assert_eq!((packed.alloc_size(), packed.alignment.abi, &*packed.offsets), (13, 1, &[0, 1, 5][..]));
    let wide = layouts.get(global(&module, "wide").ty).unwrap();
    assert_eq!((wide.bits, wide.store_size(), wide.alloc_size()), (129, 17, 32));
    assert_eq!(module.types.display(global(&module, "thread").ty).to_string(), "[2 x i16]");
}

#[test]
fn globals_have_their_properties() {
    let module = parse(TEXT).unwrap();
    let text = global(&module, ".str");
    assert_eq!((text.value.linkage, text.value.unnamed_addr), (Linkage::Private, UnnamedAddress::Global));
    assert!(text.constant && text.value.dso_local && text.alignment == Some(1));
    assert_eq!(text.initialiser.as_ref().unwrap().kind, ConstantKind::Bytes((*b"a\"b\\\n\0").into()));
    let weak = global(&module, "weak");
    assert_eq!((weak.value.linkage, weak.value.visibility), (Linkage::Weak, Visibility::Hidden));
    assert_eq!(weak.comdat, module.comdats.keys().next());
    assert_eq!(global(&module, "thread").value.thread_local, Some(ThreadLocalModel::InitialExec));
    assert_eq!(global(&module, "packed").section.as_deref(), Some(".odd"));
    assert_eq!(global(&module, "difference").sanitizers, ["no_sanitize_address"]);
    let quoted = global(&module, "quoted name");
    assert_eq!((quoted.value.linkage, &quoted.initialiser), (Linkage::ExternWeak, &None));
    let common = global(&module, "common");
    assert_eq!((common.address_space, common.externally_initialized), (1, true));
    assert_eq!(common.code_model.as_deref(), Some("large"));
    let key = Attribute::Text { key: "k".to_string(), value: String::new() };
    assert_eq!(common.attributes, [Attribute::Word(AttributeWord::Cold), key]);
    assert!(common.initialiser.as_ref().unwrap().is_zero());
}

#[test]
fn functions_have_their_signatures() {
    let module = parse(TEXT).unwrap();
    let function = module.function(&Name::from("f")).unwrap();
    assert!(function.variadic && function.result.has(AttributeWord::SignExt));
    assert_eq!((function.alignment, function.section.as_deref()), (Some(16), Some(".text.f")));
    assert_eq!(function.value.unnamed_addr, UnnamedAddress::Local);
    assert!(function.personality.is_some() && function.comdat.is_some());
    let [by_value, number] = &function.parameters[..] else { panic!("two parameters") };
    let pointee = by_value.typed(TypedAttribute::ByVal).unwrap();
    assert_eq!(module.types.display(pointee).to_string(), "%struct.node");
    assert!(by_value.attributes.contains(&Attribute::Align(8)));
    assert_eq!((by_value.name.as_ref(), &number.name), (Some(&Name::from("x")), &Some(Name::Number(0))));
    assert!(
        matches!(&number.attributes[2], Attribute::Range(low, high) if low.to_i64() == Some(0) && high.to_i64() == Some(9))
    );
    assert!(function.attributes.contains(&Attribute::StackAlign(16)), "of its group");
    assert!(function.attributes.contains(&Attribute::Other("memory(argmem: read)".to_string())));
    let body = &TEXT[function.body.clone().unwrap()];
    assert!(body.starts_with("\n  %y = load") && body.ends_with("ret i32 0\n"), "{body}");
    let resolver = module.function(&Name::from("resolver")).unwrap();
    assert_eq!((resolver.convention, resolver.body.is_none()), (CallingConvention(8), true));
    assert_eq!(resolver.convention.keyword(), Some("fastcc"));
    let result = module.function(&Name::from("sret")).unwrap();
    assert!(result.parameters[0].typed(TypedAttribute::StructReturn).is_some());
}

#[test]
fn aliases_and_ifuncs_have_their_addresses() {
    let module = parse(TEXT).unwrap();
    let alias = module.aliases.values().next().unwrap();
    assert_eq!((module.name(&alias.value).as_str(), alias.value.visibility), (Some("alias"), Visibility::Hidden));
    let layouts = module.layouts(&DataLayout::default());
    let image = layouts.image(&alias.aliasee).unwrap();
    assert_eq!((image.relocations[0].addend, image.relocations[0].size), (13, 8));
    let ifunc = module.ifuncs.values().next().unwrap();
    assert_eq!(module.types.display(ifunc.ty).to_string(), "i32 (i32, ...)");
    let ConstantKind::Symbol(resolver) = ifunc.resolver.kind else { panic!("a symbol") };
    assert!(matches!(module.symbols[resolver].definition, Some(Definition::Function(_))));
}

#[test]
fn images_that_no_relocation_makes_say_why() {
    let text = "@a = global i64 add (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @a to i64))\n\
        @b = global i64 sub (i64 0, i64 ptrtoint (ptr @a to i64))\n\
        @c = global i128 ptrtoint (ptr @a to i128)\n\
        @d = global i64 xor (i64 ptrtoint (ptr @a to i64), i64 1)\n\
        @e = global ptr ptrauth (ptr @a, i32 0)\n\
        @f = global [4294967296 x i64] zeroinitializer\n\
        @g = global %T poison\n%T = type opaque";
    let module = parse(text).unwrap();
    let layouts = module.layouts(&DataLayout::default());
    let images = module.globals.values().map(|global| layouts.image(global.initialiser.as_ref().unwrap()));
    let reasons: Vec<String> = images.map(|image| image.unwrap_err().to_string()).collect();
    assert_eq!(
        reasons,
        [
            "no relocation computes this sum of addresses",
            "no relocation computes this sum of addresses",
            "an address does not fill 16 bytes",
            "no relocation computes this `xor`",
            "a signed pointer has no bytes",
            "the initialiser is too large",
            "the struct is opaque",
        ]
    );
}
