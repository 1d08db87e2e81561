//! The data layout of a module: byte order, sizes of pointers, alignments. Source: LLVM's language reference, "Data
//! Layout", and LLVM 22's DataLayout.
//!
//! Invariant: every table is sorted by its key and has at least LLVM's default rows.

use crate::error::IrErrorKind;
use crate::types::FloatKind;

/// The order of the bytes of an integer in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Endianness {
    /// The least significant byte first.
    Little,
    /// The most significant byte first.
    Big,
}

/// An alignment that the ABI demands and one that is better, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Alignment {
    /// At least 1, a power of two.
    pub abi: u64,
    /// At least `abi`.
    pub preferred: u64,
}

/// The alignment of types of one size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Row {
    bits: u64,
    alignment: Alignment,
}

/// The pointers of one address space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PointerLayout {
    /// The number of the address space.
    pub address_space: u32,
    /// The name of the address space, if the layout gives one.
    pub name: Option<String>,
    /// The size in bits.
    pub bits: u32,
    /// In memory.
    pub alignment: Alignment,
    /// Bits of the index of a `getelementptr`.
    pub index_bits: u32,
}

/// The data layout of a module. The default is LLVM's for a module that says nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataLayout {
    /// `e` or `E`
    pub endianness: Endianness,
    /// The letter after `m:`
    pub mangling: Option<char>,
    /// `S`, in bytes; `None` if the target says nothing.
    pub stack_alignment: Option<u64>,
    /// `A`: the address space of stack objects.
    pub stack_address_space: u32,
    /// `P`: the address space of functions.
    pub program_address_space: u32,
    /// `G`: the address space of globals that name none.
    pub global_address_space: u32,
    /// `n`: widths of native integers, in bits.
    pub native_integers: Vec<u32>,
    /// `ni`: address spaces whose pointers have no fixed bits.
    pub non_integral: Vec<u32>,
    aggregate: Alignment,
    integers: Vec<Row>,
    floats: Vec<Row>,
    vectors: Vec<Row>,
    pointers: Vec<PointerLayout>,
}

const fn aligned(abi: u64, preferred: u64) -> Alignment {
    Alignment { abi, preferred }
}

const fn row(bits: u64, abi: u64, preferred: u64) -> Row {
    Row { bits, alignment: aligned(abi, preferred) }
}

impl Default for DataLayout {
    fn default() -> DataLayout {
        let pointer =
            PointerLayout { address_space: 0, name: None, bits: 64, alignment: aligned(8, 8), index_bits: 64 };
        DataLayout {
            endianness: Endianness::Little,
            mangling: None,
            stack_alignment: None,
            stack_address_space: 0,
            program_address_space: 0,
            global_address_space: 0,
            native_integers: Vec::new(),
            non_integral: Vec::new(),
            aggregate: aligned(1, 8),
            integers: vec![row(1, 1, 1), row(8, 1, 1), row(16, 2, 2), row(32, 4, 4), row(64, 4, 8)],
            floats: vec![row(16, 2, 2), row(32, 4, 4), row(64, 8, 8), row(128, 16, 16)],
            vectors: vec![row(64, 8, 8), row(128, 16, 16)],
            pointers: vec![pointer],
        }
    }
}

impl DataLayout {
    /// Reads the string of `target datalayout`. The error names the specification at fault.
    pub fn parse(text: &str) -> Result<DataLayout, IrErrorKind> {
        let mut layout = DataLayout::default();
        for specification in text.split('-').filter(|specification| !specification.is_empty()) {
            layout.specify(specification).ok_or_else(|| IrErrorKind::DataLayout(specification.to_string()))?;
        }
        Ok(layout)
    }

    /// LLVM's default with pointers of a size, for a module that names no layout.
    pub fn with_pointers(bits: u32) -> DataLayout {
        let mut layout = DataLayout::default();
        let bytes = u64::from(bits.div_ceil(8)).next_power_of_two();
        for pointer in &mut layout.pointers {
            (pointer.bits, pointer.index_bits, pointer.alignment) = (bits, bits, aligned(bytes, bytes));
        }
        layout
    }

    fn specify(&mut self, text: &str) -> Option<()> {
        let mut characters = text.chars();
        let letter = characters.next()?;
        let rest = characters.as_str();
        match letter {
            'e' if rest.is_empty() => self.endianness = Endianness::Little,
            'E' if rest.is_empty() => self.endianness = Endianness::Big,
            'm' => self.mangling = Some(rest.strip_prefix(':')?.chars().next()?),
            'S' => self.stack_alignment = bytes(rest)?.checked_next_power_of_two(),
            'A' => self.stack_address_space = rest.parse().ok()?,
            'P' => self.program_address_space = rest.parse().ok()?,
            'G' => self.global_address_space = rest.parse().ok()?,
            'n' => match rest.strip_prefix("i:") {
                Some(spaces) => self.non_integral = numbers(spaces)?,
                None => self.native_integers = numbers(rest)?,
            },
            // The alignment of function pointers, which no type has.
            'F' => drop(bytes(rest.strip_prefix(['i', 'n'])?)?),
            'p' => self.pointer(rest)?,
            'i' => insert(&mut self.integers, sized(rest)?),
            'f' => insert(&mut self.floats, sized(rest)?),
            'v' => insert(&mut self.vectors, sized(rest)?),
            'a' => self.aggregate = alignment(rest.strip_prefix("0").unwrap_or(rest).strip_prefix(':')?)?,
            _ => return None,
        }
        Some(())
    }

    /// `p[flags][n][(name)]:size:abi[:preferred[:index]]`, without the `p`.
    fn pointer(&mut self, text: &str) -> Option<()> {
        let (head, sizes) = text.split_once(':')?;
        let (number, name) = match head.strip_suffix(')').and_then(|head| head.split_once('(')) {
            Some((number, name)) => (number, Some(name.to_string())),
            None => (head, None),
        };
        // Flags say that pointers have state beside their bits, or bits that may change.
        let number = number.trim_start_matches(['e', 'u']);
        let address_space = if number.is_empty() { 0 } else { number.parse().ok()? };
        let mut parts = sizes.splitn(4, ':');
        let bits = parts.next()?.parse().ok().filter(|&bits| bits > 0)?;
        let abi = bytes(parts.next()?)?;
        let preferred = parts.next().map_or(Some(abi), bytes)?;
        let index_bits = parts.next().map_or(Some(bits), |index| index.parse().ok())?;
        let pointer = PointerLayout { address_space, name, bits, alignment: power(abi, preferred)?, index_bits };
        match self.pointers.binary_search_by_key(&address_space, |pointer| pointer.address_space) {
            Ok(index) => self.pointers[index] = pointer,
            Err(index) => self.pointers.insert(index, pointer),
        }
        Some(())
    }

    /// The pointers of an address space: those of address space 0 where the layout does not name it.
    pub fn pointers(&self, address_space: u32) -> &PointerLayout {
        let found = self.pointers.binary_search_by_key(&address_space, |pointer| pointer.address_space);
        &self.pointers[found.unwrap_or(0)]
    }

    /// The address space of a name: `A`, `G` and `P` are those of stack objects, globals and functions.
    pub fn address_space(&self, name: &str) -> Option<u32> {
        match name {
            "A" => Some(self.stack_address_space),
            "G" => Some(self.global_address_space),
            "P" => Some(self.program_address_space),
            _ => {
                let named = self.pointers.iter().find(|pointer| pointer.name.as_deref() == Some(name));
                named.map(|pointer| pointer.address_space)
            }
        }
    }

    /// The alignment of `iN`: of the next wider integer with a row, else of the widest.
    pub fn integer(&self, bits: u32) -> Alignment {
        let index = self.integers.partition_point(|row| row.bits < bits.into());
        self.integers[index.min(self.integers.len() - 1)].alignment
    }

    /// The alignment of a floating-point type: its size rounded up to a power of two unless a row has it.
    pub fn float(&self, kind: FloatKind) -> Alignment {
        exact(&self.floats, kind.bits().into())
    }

    /// The alignment of a vector of a size: its size rounded up to a power of two unless a row has it.
    pub fn vector(&self, bits: u64) -> Alignment {
        exact(&self.vectors, bits)
    }

    /// The least alignment of a struct.
    pub fn aggregate(&self) -> Alignment {
        self.aggregate
    }
}

fn exact(rows: &[Row], bits: u64) -> Alignment {
    match rows.binary_search_by_key(&bits, |row| row.bits) {
        Ok(index) => rows[index].alignment,
        Err(_) => {
            let bytes = bits.div_ceil(8).checked_next_power_of_two().unwrap_or(1 << 63);
            aligned(bytes, bytes)
        }
    }
}

fn insert(rows: &mut Vec<Row>, row: Row) {
    match rows.binary_search_by_key(&row.bits, |row| row.bits) {
        Ok(index) => rows[index] = row,
        Err(index) => rows.insert(index, row),
    }
}

/// `size:abi[:preferred]`
fn sized(text: &str) -> Option<Row> {
    let (bits, rest) = text.split_once(':')?;
    let bits = bits.parse().ok().filter(|&bits| bits > 0)?;
    Some(Row { bits, alignment: alignment(rest)? })
}

/// `abi[:preferred]`, in bits.
fn alignment(text: &str) -> Option<Alignment> {
    let (abi, preferred) = text.split_once(':').unwrap_or((text, text));
    power(bytes(abi)?, bytes(preferred)?)
}

/// The largest alignment of a row, in bytes.
const MOST_ALIGNED: u64 = 1 << 16;

/// Alignments in bytes; 0 is 1.
fn power(abi: u64, preferred: u64) -> Option<Alignment> {
    let (abi, preferred) = (abi.max(1), preferred.max(1));
    let powers = abi.is_power_of_two() && preferred.is_power_of_two();
    (powers && abi <= preferred && preferred <= MOST_ALIGNED).then_some(aligned(abi, preferred))
}

/// A number of bits as a number of bytes.
fn bytes(text: &str) -> Option<u64> {
    text.parse::<u64>().ok().filter(|bits| bits.is_multiple_of(8)).map(|bits| bits / 8)
}

/// Numbers with `:` between them.
fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split(':').map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_adds_rows_to_the_defaults() {
        let layout =
            DataLayout::parse("E-m:m-p:32:32-p1:16:16:32:8-i64:64-i128:128-v96:32-n8:32-S128-ni:7-Fn32-A5-a:0:32");
        let layout = layout.unwrap();
        assert_eq!((layout.endianness, layout.mangling), (Endianness::Big, Some('m')));
        assert_eq!((layout.pointers(0).bits, layout.pointers(1).index_bits, layout.pointers(9).bits), (32, 8, 32));
        assert_eq!((layout.integer(64).abi, layout.integer(65).abi, layout.integer(999).abi), (8, 16, 16));
        assert_eq!((layout.vector(96).abi, layout.vector(65).abi), (4, 16));
        assert_eq!((layout.stack_alignment, layout.address_space("A")), (Some(16), Some(5)));
        assert_eq!((layout.native_integers, layout.non_integral), (vec![8, 32], vec![7]));
    }

    #[test]
    fn the_defaults_are_those_of_llvm() {
        let layout = DataLayout::default();
        assert_eq!((layout.integer(64).abi, layout.integer(128).abi, layout.integer(7).abi), (4, 4, 1));
        assert_eq!((layout.float(FloatKind::X86Fp80).abi, layout.vector(256).abi), (16, 32));
    }

    #[test]
    fn a_specification_that_no_layout_has_is_named() {
        for wrong in ["x", "e1", "i8", "p:0:8", "i64:63", "p:64:64:32", "Q5", "n8:x", "i:8"] {
            let error = DataLayout::parse(&format!("e-{wrong}-S128")).unwrap_err();
            assert_eq!(error, IrErrorKind::DataLayout(wrong.to_string()));
        }
    }
}
