//! The data of a module on trial: its object read back, each definition held to what LangRef says of it and the ELF
//! documents of its symbol, its section, its bytes and its relocations.
//!
//! Sources: LangRef, "Linkage Types", "Visibility Styles", "Global Variables", "Aliases" and "Intrinsic Global
//! Variables"; System V ABI, "Sections" and "Symbol Table"; the RISC-V and AArch64 ELF psABIs for relocations.
//!
//! Invariant: the `object` crate reads the object. Nothing is asked of those who wrote it.

mod object;

use self::object::{ReadObject, ReadRelocation, ReadSection};
use ::object::elf;
use rustc_hash::FxHashMap;
use tribunal_ir::RelocationModel;
use tribunal_llvm::{
    Constant, ConstantKind, DataLayout, Definition, Global, GlobalValue, Image, IrModule, Layouts, Linkage, Name,
    Referent, Relocation, SymbolId, UnnamedAddress, Visibility,
};
use tribunal_target::{Features, Target};

/// Numbers of relocations that write an address of so many bytes: of RISC-V, and of AArch64.
const ADDRESSES: [(u64, elf::RelocationType, elf::RelocationType); 2] =
    [(8, elf::R_RISCV_64, elf::R_AARCH64_ABS64), (4, elf::R_RISCV_32, elf::R_AARCH64_ABS32)];

/// Numbers of relocations that write the distance of an address from the place: of RISC-V, and of AArch64.
const DISTANCES: [(u64, Option<elf::RelocationType>, elf::RelocationType); 2] =
    [(8, None, elf::R_AARCH64_PREL64), (4, Some(elf::R_RISCV_32_PCREL), elf::R_AARCH64_PREL32)];

/// Numbers of relocations of RISC-V that add an address of so many bytes, and that subtract one.
const SUMS: [(u64, elf::RelocationType, elf::RelocationType); 2] =
    [(8, elf::R_RISCV_ADD64, elf::R_RISCV_SUB64), (4, elf::R_RISCV_ADD32, elf::R_RISCV_SUB32)];

/// The intrinsic variables that are lists of functions, with the sections of the lists.
const LISTS: [(&str, &str, elf::SectionType); 2] = [
    ("llvm.global_ctors", ".init_array", elf::SHT_INIT_ARRAY),
    ("llvm.global_dtors", ".fini_array", elf::SHT_FINI_ARRAY),
];
/// The priority of functions whose section has no number.
const LAST_PRIORITY: u64 = 65_535;

/// Section types that a name asks for; a section that is named otherwise has bytes or none.
const NAMED: [(&str, elf::SectionType); 4] = [
    (".init_array", elf::SHT_INIT_ARRAY),
    (".fini_array", elf::SHT_FINI_ARRAY),
    (".preinit_array", elf::SHT_PREINIT_ARRAY),
    (NOTE, elf::SHT_NOTE),
];
/// The start of the names of notes, which may go on in any way.
const NOTE: &str = ".note";

/// The defects of an object that is to hold the data of a module and some of its functions, in words; none if it is
/// right.
pub fn defects(bytes: &[u8], ir: &IrModule, model: RelocationModel, target: &Target) -> Vec<String> {
    let object = match ReadObject::read(bytes) {
        Ok(object) => object,
        Err(error) => return vec![error.to_string()],
    };
    let pointers = DataLayout::with_pointers(target.pointer_bits.into());
    let layouts = ir.layouts(&pointers);
    let word = u64::from(target.pointer_bits) / 8;
    let mut check =
        Check { object: &object, ir, model, layouts, word, places: FxHashMap::default(), defects: Vec::new() };
    check.symbols();
    check.globals();
    check.lists();
    check.merged();
    check.defects
}

/// The defects of what the object says of its machine: whether code is compressed, and the string of its extensions,
/// which are the options that are on, and those that the module names by a flag. Sources: RISC-V ELF psABI, "File
/// Header" and "RISC-V Attributes"; the naming conventions of the RISC-V Instruction Set Manual.
pub fn machine_defects(bytes: &[u8], ir: Option<&IrModule>, target: &Target, features: Features) -> Vec<String> {
    let object = match ReadObject::read(bytes) {
        Ok(object) if !object.is_aarch64 => object,
        _ => return Vec::new(),
    };
    let mut defects = Vec::new();
    let named = |name: &str| target.options.iter().find(|option| option.name == name);
    let is_on = |name: &str| named(name).is_some_and(|option| features.contains(option.feature));
    if (object.flags & elf::EF_RISCV_RVC.0 != 0) != is_on("c") {
        defects.push(format!("e_flags are {:#x}, and compressed instructions are {}", object.flags, is_on("c")));
    }
    let text = object.sections.iter().find(|section| section.kind == elf::SHT_RISCV_ATTRIBUTES);
    let text = text.map(|section| String::from_utf8_lossy(&section.bytes).into_owned()).unwrap_or_default();
    let base = format!("rv{}", target.pointer_bits);
    let arch = text.split('\0').find_map(|part| Some(&part[part.find(&base)? + base.len()..])).unwrap_or_default();
    let is_version = |letter: char| letter.is_ascii_digit() || letter == 'p';
    let named = |arch: &str| arch.split('_').map(|part| part.trim_end_matches(is_version).to_string()).collect();
    let extensions: Vec<String> = named(arch);
    let of_source: Vec<String> = ir.iter().flat_map(|ir| ir.flags.list("riscv-isa")).flat_map(named).collect();
    for option in target.options {
        let name = option.name.trim_end_matches(is_version);
        let [is_named, is_meant] = [&extensions, &of_source].map(|names| names.iter().any(|own| own == name));
        if is_named != (is_meant || features.contains(option.feature)) {
            defects.push(format!("extension {} in `{arch}`: {is_named}", option.name));
        }
    }
    defects
}

/// A section by its index, and an offset in it.
type Place = (usize, u64);

struct Check<'c> {
    object: &'c ReadObject,
    ir: &'c IrModule,
    model: RelocationModel,
    layouts: Layouts<'c>,
    /// Bytes of an address.
    word: u64,
    /// The definitions that the object has, private ones as far as something names them.
    places: FxHashMap<SymbolId, Place>,
    defects: Vec<String>,
}

/// The name of a symbol: a first byte of 1 asks for the rest as it is, and LLVM numbers what has no name.
fn shown(name: &Name) -> String {
    match name {
        Name::Bytes(bytes) => String::from_utf8_lossy(bytes.strip_prefix(b"\x01").unwrap_or(bytes)).into_owned(),
        Name::Number(number) => format!("__unnamed_{}", number + 1),
    }
}

fn is_local(value: &GlobalValue) -> bool {
    matches!(value.linkage, Linkage::Private | Linkage::Internal)
}

/// The contents that an object has of a global; `None` for a declaration, for names that no object has, and for lists.
fn contents(global: &Global) -> Option<&Constant> {
    let is_elsewhere = matches!(global.value.linkage, Linkage::AvailableExternally | Linkage::Appending);
    let is_metadata = global.section.as_deref() == Some("llvm.metadata");
    global.initialiser.as_ref().filter(|_| !is_elsewhere && !is_metadata)
}

impl<'c> Check<'c> {
    fn demand(&mut self, holds: bool, name: &str, defect: impl FnOnce() -> String) {
        if !holds {
            self.defects.push(format!("@{name}: {}", defect()));
        }
    }

    fn name(&self, value: &GlobalValue) -> String {
        shown(self.ir.name(value))
    }

    /// The symbols of globals, aliases and functions.
    fn symbols(&mut self) {
        let ir = self.ir;
        for global in ir.globals.values() {
            let kind = if global.value.thread_local.is_some() { elf::STT_TLS } else { elf::STT_OBJECT };
            match contents(global) {
                None if global.value.linkage == Linkage::Appending => {}
                None => self.declared(&global.value),
                Some(_) if global.value.linkage == Linkage::Common => self.common(global),
                Some(initialiser) => {
                    let size = self.layouts.image(initialiser).ok().map(|image| image.bytes.len() as u64);
                    self.defined(&global.value, kind, size);
                }
            }
        }
        // Another function of the module may be in another object.
        for function in ir.functions.values() {
            let name = self.name(&function.value);
            if self.object.symbol(&name).is_some_and(|symbol| symbol.section.is_some()) {
                self.defined(&function.value, elf::STT_FUNC, None);
                if let Some(&(section, _)) = self.places.get(&function.value.symbol) {
                    let section = &self.object.sections[section];
                    let is_code = has(section, elf::SHF_EXECINSTR) && !has(section, elf::SHF_WRITE);
                    self.demand(is_code, &name, || format!("code in section {}", section.name));
                    self.named(
                        &name,
                        section,
                        function.section.as_deref(),
                        function.comdat.map(|id| &ir.comdats[id].name),
                    );
                }
            } else {
                self.declared(&function.value);
            }
        }
        for alias in ir.aliases.values() {
            let Ok(image) = self.layouts.image(&alias.aliasee) else { continue };
            let [Relocation { symbol: Referent::Symbol(base), addend, .. }] = image.relocations.as_slice() else {
                continue;
            };
            let kind = match ir.symbols[*base].definition {
                Some(Definition::Function(_)) => elf::STT_FUNC,
                Some(Definition::Global(id)) if ir.globals[id].value.thread_local.is_some() => elf::STT_TLS,
                _ => elf::STT_OBJECT,
            };
            self.defined(&alias.value, kind, None);
            if let Some(&(section, offset)) = self.places.get(&alias.value.symbol) {
                self.is_at(*base, (section, offset.wrapping_sub(*addend as u64)));
            }
        }
    }

    /// A linker moves the strings of a section that it merges. A relocation that names the section, and not a string by
    /// its symbol, tells which one it means by a place in it: only its start is in no other. Source: the ELF
    /// specification, `SHF_MERGE`.
    fn merged(&mut self) {
        let object = self.object;
        for relocation in object.sections.iter().flat_map(|section| &section.relocations) {
            let Some(symbol) = object.symbols.get(relocation.symbol) else { continue };
            let Some(section) = symbol.section.map(|index| &object.sections[index]) else { continue };
            let place = symbol.value.wrapping_add_signed(relocation.addend);
            let before = place.checked_sub(1).map(|before| section.bytes.get(before as usize).copied());
            let is_start = matches!(before, None | Some(Some(0)));
            let is_told = symbol.kind != elf::STT_SECTION || !has(section, elf::SHF_MERGE) || is_start;
            self.demand(is_told, &section.name, || format!("{relocation:x?} names no string of a merged section"));
        }
    }

    /// Something names this place by a symbol of the module.
    fn is_at(&mut self, symbol: SymbolId, place: Place) {
        let known = *self.places.entry(symbol).or_insert(place);
        let name = shown(&self.ir.symbols[symbol].name);
        self.demand(known == place, &name, || format!("it is at {known:x?}, and is looked for at {place:x?}"));
    }

    /// A symbol that another object defines, if this one names it.
    fn declared(&mut self, value: &GlobalValue) {
        let name = self.name(value);
        let Some(symbol) = self.object.symbol(&name) else { return };
        self.demand(symbol.section.is_none() && !symbol.is_common, &name, || "a declaration has a place".to_string());
        let bind = if value.linkage == Linkage::ExternWeak { elf::STB_WEAK } else { elf::STB_GLOBAL };
        self.demand(symbol.bind == bind, &name, || format!("declared {:?}, not {bind:?}", symbol.bind));
        let is_thread = symbol.kind == elf::STT_TLS;
        self.demand(is_thread == value.thread_local.is_some(), &name, || format!("declared as {:?}", symbol.kind));
    }

    /// A tentative definition: the linker gives it a place.
    fn common(&mut self, global: &Global) {
        let (name, align) = (self.name(&global.value), self.alignment(global));
        let Ok(size) = self.layouts.alloc_size(global.ty) else { return };
        let found = self.object.symbol(&name).map(|symbol| (symbol.is_common, symbol.size, symbol.value));
        let right = found == Some((true, size.max(1), align));
        self.demand(right, &name, || format!("a common symbol of {size} bytes at multiples of {align} is {found:?}"));
    }

    fn alignment(&self, global: &Global) -> u64 {
        let usual = self.layouts.get(global.ty).map_or(1, |layout| layout.alignment.preferred);
        global.alignment.unwrap_or(usual).max(1)
    }

    /// The symbol of a definition. A private one needs none.
    fn defined(&mut self, value: &GlobalValue, kind: elf::SymbolType, size: Option<u64>) {
        let is_private = value.linkage == Linkage::Private;
        let name = self.name(value);
        let own = if is_private { format!(".L{name}") } else { name.clone() };
        let Some(symbol) = self.object.symbol(&own) else {
            return self.demand(is_private, &name, || "it has no symbol".to_string());
        };
        let bind = match value.linkage {
            Linkage::Private | Linkage::Internal => elf::STB_LOCAL,
            Linkage::External => elf::STB_GLOBAL,
            _ => elf::STB_WEAK,
        };
        let visibility = match value.visibility {
            Visibility::Default => elf::STV_DEFAULT,
            Visibility::Hidden => elf::STV_HIDDEN,
            Visibility::Protected => elf::STV_PROTECTED,
        };
        let (found, wanted) = ((symbol.bind, symbol.kind, symbol.visibility), (bind, kind, visibility));
        self.demand(found == wanted, &name, || format!("its symbol is {found:?}, not {wanted:?}"));
        let size = size.unwrap_or(symbol.size);
        self.demand(size == symbol.size, &name, || format!("its symbol has {} bytes, not {size}", symbol.size));
        self.demand(symbol.section.is_some(), &name, || "another object is to define it".to_string());
        if let Some(section) = symbol.section {
            self.is_at(value.symbol, (section, symbol.value));
        }
    }

    /// The sections and contents of globals. What names a private one comes before it: that tells its place.
    fn globals(&mut self) {
        let ir = self.ir;
        let mut left: Vec<&Global> = ir.globals.values().collect();
        let mut taken: Vec<(Place, u64, String)> = Vec::new();
        while let Some(next) = left.iter().position(|global| self.places.contains_key(&global.value.symbol)) {
            let global = left.remove(next);
            let Some(image) = contents(global).and_then(|initialiser| self.layouts.image(initialiser).ok()) else {
                continue;
            };
            let (place, name) = (self.places[&global.value.symbol], self.name(&global.value));
            self.holds(&name, place, &image);
            taken.push((place, place.1.saturating_add(image.bytes.len() as u64), name.clone()));
            let (section, align) = (&self.object.sections[place.0], self.alignment(global));
            let is_aligned = place.1.is_multiple_of(align) && section.align.is_multiple_of(align);
            self.demand(is_aligned, &name, || {
                format!("at {:#x} of a section at multiples of {}, and it wants {align}", place.1, section.align)
            });
            self.suits(&name, section, global, &image);
            self.named(&name, section, global.section.as_deref(), global.comdat.map(|id| &ir.comdats[id].name));
        }
        taken.sort_unstable();
        for pair in taken.windows(2) {
            let ((one, end, name), (other, ..)) = (&pair[0], &pair[1]);
            let is_apart = one.0 != other.0 || *end <= other.1;
            self.demand(is_apart, name, || format!("it ends at {end:#x}, and @{} begins at {:#x}", pair[1].2, other.1));
        }
    }

    /// The bytes at a place, and the relocations that complete them.
    fn holds(&mut self, name: &str, (index, start): Place, image: &Image) {
        let section = &self.object.sections[index];
        let end = start.saturating_add(image.bytes.len() as u64);
        self.demand(end <= section.size, name, || format!("it ends at {end:#x} of section {}", section.name));
        let stored = section.bytes.get(start as usize..).unwrap_or_default();
        let stored = stored.iter().copied().chain(std::iter::repeat(0));
        // What stands below a relocation does not count.
        let mut fixed = vec![true; image.bytes.len()];
        for Relocation { offset, size, .. } in &image.relocations {
            let place = *offset as usize..offset.saturating_add(*size) as usize;
            fixed.get_mut(place).unwrap_or_default().fill(false);
        }
        let mut bytes = image.bytes.iter().zip(stored).zip(&fixed).enumerate();
        if let Some((at, ((wanted, found), _))) =
            bytes.find(|(_, ((wanted, found), fixed))| **fixed && *wanted != found)
        {
            self.demand(false, name, || format!("byte {at} is {found:#04x}, not {wanted:#04x}"));
        }
        let within = |relocation: &&ReadRelocation| (start..end).contains(&relocation.offset);
        let mut found: Vec<ReadRelocation> = section.relocations.iter().filter(within).copied().collect();
        found.sort_by_key(|relocation| relocation.offset);
        for relocation in &found {
            let is_wanted =
                image.relocations.binary_search_by_key(&(relocation.offset - start), |own| own.offset).is_ok();
            self.demand(is_wanted, name, || format!("{relocation:x?} completes nothing"));
        }
        for wanted in &image.relocations {
            let place = start.saturating_add(wanted.offset);
            let [first, last] = [place, place.saturating_add(1)]
                .map(|bound| found.partition_point(|relocation| relocation.offset < bound));
            let at = &found[first..last];
            if wanted.subtracted.is_some() {
                self.difference(name, at, wanted, (index, place));
                continue;
            }
            match (at, &wanted.symbol) {
                (&[one], &Referent::Symbol(symbol)) => self.address(name, one, wanted.size, (symbol, wanted.addend)),
                (&[_], _) => {}
                (other, _) => {
                    let count = other.len();
                    self.demand(false, name, || format!("{count} relocations make the address at {}", wanted.offset));
                }
            }
        }
    }

    /// A relocation that writes the address of a symbol and a number.
    fn address(&mut self, name: &str, found: ReadRelocation, size: u64, (symbol, addend): (SymbolId, i64)) {
        let kinds = ADDRESSES.iter().find(|(own, ..)| *own == size);
        let kind = kinds.map(|&(_, riscv, aarch64)| if self.object.is_aarch64 { aarch64 } else { riscv });
        let is_address = kind.is_some_and(|kind| kind.0 == found.kind);
        self.demand(is_address, name, || format!("{found:x?} is no address of {size} bytes"));
        self.refers(name, found, (symbol, addend));
    }

    /// Relocations that write the distance of one symbol from another: from the place, if that has the other's section
    /// too, or as a sum. A distance without one is known to the assembler.
    fn difference(&mut self, name: &str, found: &[ReadRelocation], wanted: &Relocation, (index, place): Place) {
        let (&Referent::Symbol(to), Some(&Referent::Symbol(from))) = (&wanted.symbol, wanted.subtracted.as_ref())
        else {
            return;
        };
        let of_size = |rows: &[(u64, elf::RelocationType, elf::RelocationType)]| {
            rows.iter().find(|(own, ..)| *own == wanted.size).map(|&(_, one, other)| (one.0, other.0))
        };
        let distance = DISTANCES.iter().find(|(own, ..)| *own == wanted.size);
        let distance =
            distance.and_then(|&(_, riscv, aarch64)| if self.object.is_aarch64 { Some(aarch64) } else { riscv });
        match *found {
            [] => self.known_difference(name, wanted, (to, from), (index, place)),
            [one] if distance.is_some_and(|kind| kind.0 == one.kind) => {
                // The symbol of its section may stand for a local one, so many bytes before it. The place of a private
                // one is not known here.
                let (Some(named), Some(own)) =
                    (self.object.symbols.get(one.symbol), self.object.symbol(&shown(&self.ir.symbols[to].name)))
                else {
                    return;
                };
                let is_near = named.section.is_some() && named.section == own.section;
                let more = if is_near { own.value.wrapping_sub(named.value) as i64 } else { 0 };
                let addend = wanted.addend.wrapping_add(more);
                let before = one.addend.wrapping_sub(addend);
                self.is_at(from, (index, place.wrapping_add_signed(before.wrapping_neg())));
                self.refers(name, ReadRelocation { addend, ..one }, (to, wanted.addend));
            }
            [add, subtract] if !self.object.is_aarch64 && of_size(&SUMS) == Some((add.kind, subtract.kind)) => {
                self.refers(name, add, (to, wanted.addend));
                self.refers(name, subtract, (from, 0));
            }
            ref other => {
                self.demand(false, name, || format!("{other:x?} is no distance of {} bytes", wanted.size));
            }
        }
    }

    /// The bytes of a distance that the assembler knows: both symbols are in one section. The place of a private one is
    /// not known here.
    fn known_difference(
        &mut self,
        name: &str,
        wanted: &Relocation,
        (to, from): (SymbolId, SymbolId),
        (index, place): Place,
    ) {
        let of = |symbol: SymbolId| self.object.symbol(&shown(&self.ir.symbols[symbol].name));
        let (Some(to), Some(from)) = (of(to), of(from)) else { return };
        let distance = to.value.wrapping_sub(from.value).wrapping_add_signed(wanted.addend).to_le_bytes();
        let stored = self.object.sections[index].bytes.get(place as usize..).unwrap_or_default();
        let is_known = to.section.is_some() && to.section == from.section;
        let count = wanted.size.min(8) as usize;
        let right = is_known && stored.get(..count) == distance.get(..count);
        self.demand(right, name, || format!("no relocation makes the distance at {}", wanted.offset));
    }

    /// A relocation of the address of a symbol and a number.
    fn refers(&mut self, name: &str, found: ReadRelocation, (symbol, addend): (SymbolId, i64)) {
        let wanted = &self.ir.symbols[symbol];
        let Some(to) = self.object.symbols.get(found.symbol) else {
            return self.demand(false, name, || format!("{found:x?} has no symbol"));
        };
        let value = match wanted.definition {
            Some(Definition::Global(id)) => Some(&self.ir.globals[id].value),
            Some(Definition::Function(id)) => Some(&self.ir.functions[id].value),
            Some(Definition::Alias(id)) => Some(&self.ir.aliases[id].value),
            _ => None,
        };
        // A linker may choose another definition of what is not local, so its symbol must be named.
        if to.name == shown(&wanted.name) || value.is_none_or(|value| !is_local(value)) {
            let right = to.name == shown(&wanted.name) && found.addend == addend;
            let wanted = shown(&wanted.name);
            return self.demand(right, name, || {
                format!("it holds the address of {} + {}, not of {wanted} + {addend}", to.name, found.addend)
            });
        }
        if let Some(section) = to.section {
            let offset = to.value.wrapping_add_signed(found.addend).wrapping_sub(addend as u64);
            self.is_at(symbol, (section, offset));
        }
    }

    /// The flags and the type of a global's section.
    fn suits(&mut self, name: &str, section: &ReadSection, global: &Global, image: &Image) {
        let is_thread = global.value.thread_local.is_some();
        let is_relocated = self.model != RelocationModel::Static && !image.relocations.is_empty();
        let written = has(section, elf::SHF_WRITE);
        let may_be = if global.constant && !is_thread { !written || is_relocated } else { written };
        self.demand(may_be, name, || format!("constant: {}, in section {}", global.constant, section.name));
        // A loader writes an address into what no program writes.
        let is_absolute = image.relocations.iter().any(|relocation| relocation.subtracted.is_none());
        let loads = is_relocated && is_absolute && !written;
        self.demand(!loads, name, || format!("addresses in section {}, which nobody writes", section.name));
        let right = has(section, elf::SHF_ALLOC)
            && !has(section, elf::SHF_EXECINSTR)
            && has(section, elf::SHF_TLS) == is_thread;
        self.demand(right, name, || format!("section {} has flags {:?}", section.name, section.flags));
        if has(section, elf::SHF_MERGE) {
            let (last, rest) = image.bytes.split_last().unwrap_or((&1, &[]));
            let is_string = *last == 0 && !rest.contains(&0) || !has(section, elf::SHF_STRINGS);
            let may_move = global.value.unnamed_addr == UnnamedAddress::Global && global.constant;
            let right = is_string && may_move && image.relocations.is_empty();
            self.demand(right, name, || "a linker may merge it with others".to_string());
        }
        let is_of = |own: &str| {
            let rest = section.name.strip_prefix(own);
            rest.is_some_and(|rest| own == NOTE || rest.is_empty() || rest.starts_with('.'))
        };
        let of_name = NAMED.iter().find(|(own, _)| is_of(own)).map(|&(_, kind)| kind);
        let is_kind = match of_name {
            Some(kind) => section.kind == kind,
            None => matches!(section.kind, elf::SHT_PROGBITS | elf::SHT_NOBITS),
        };
        self.demand(is_kind, name, || format!("section {} is of type {:?}", section.name, section.kind));
    }

    /// The name and the group of a definition's section.
    fn named(&mut self, name: &str, section: &ReadSection, wanted: Option<&str>, comdat: Option<&Name>) {
        let right = wanted.is_none_or(|wanted| wanted == section.name);
        self.demand(right, name, || format!("in section {}, not {wanted:?}", section.name));
        let comdat = comdat.map(shown);
        self.demand(section.comdat == comdat, name, || format!("in group {:?}, not {comdat:?}", section.comdat));
    }

    /// The functions that run before and after the program: each is in the section of its priority, and no other.
    fn lists(&mut self) {
        let ir = self.ir;
        for (list, section, kind) in LISTS {
            let Some(global) = ir.global(&Name::from(list)) else { continue };
            let Some(Constant { kind: ConstantKind::Aggregate(entries), .. }) = &global.initialiser else { continue };
            let mut wanted: FxHashMap<String, Vec<(SymbolId, i64)>> = FxHashMap::default();
            for entry in entries.iter() {
                let Ok(image) = self.layouts.image(entry) else { continue };
                let priority = image.bytes.iter().take(4).rev().fold(0, |high, &byte| high << 8 | u64::from(byte));
                let own = if priority == LAST_PRIORITY { section.to_string() } else { format!("{section}.{priority}") };
                if let Some(Relocation { symbol: Referent::Symbol(symbol), addend, .. }) = image.relocations.first() {
                    wanted.entry(own).or_default().push((*symbol, *addend));
                }
            }
            let all: Vec<&ReadSection> = self.object.sections.iter().filter(|own| own.kind == kind).collect();
            let object = self.object;
            for (name, functions) in &wanted {
                let found: Vec<&&ReadSection> = all.iter().filter(|own| own.name == *name).collect();
                let [own] = found.as_slice() else {
                    self.demand(false, list, || format!("{} sections {name}", found.len()));
                    continue;
                };
                let size = self.word * functions.len() as u64;
                let right = own.size == size
                    && own.relocations.len() == functions.len()
                    && has(own, elf::SHF_ALLOC)
                    && has(own, elf::SHF_WRITE)
                    && own.align.is_multiple_of(self.word);
                self.demand(right, list, || format!("section {name} is no list of {} functions", functions.len()));
                for (place, &function) in (0..).zip(functions) {
                    let at = own.relocations.iter().find(|relocation| relocation.offset == place * self.word);
                    match at {
                        Some(&relocation) => self.address(list, relocation, self.word, function),
                        None => self.demand(false, list, || format!("no function at {place} of {name}")),
                    }
                }
            }
            let extra = object.sections.iter().find(|own| own.kind == kind && !wanted.contains_key(&own.name));
            let extra =
                extra.filter(|own| !ir.globals.values().any(|global| global.section.as_deref() == Some(&own.name)));
            self.demand(extra.is_none(), list, || "another section has functions".to_string());
        }
    }
}

fn has(section: &ReadSection, flag: elf::SectionFlags) -> bool {
    section.flags.0 & flag.0 != 0
}
