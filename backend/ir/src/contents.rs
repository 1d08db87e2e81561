//! Memory that never changes: constants of the pool, and constant global variables of the module.

use crate::address::{AddressBase, GlobalName};
use crate::bits::{Bits, MAX_BITS};
use crate::function::Function;
use tribunal_llvm::{DataLayout, Name};

/// The contents of memory that never changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FixedContents {
    /// From the lowest address.
    pub bytes: Vec<u8>,
    /// Of the first, in bytes.
    pub align: u32,
}

impl FixedContents {
    /// As one number, the first byte lowest; `None` if it has no bits, or too many.
    pub fn bits(&self) -> Option<Bits> {
        let width = u32::try_from(8 * self.bytes.len()).ok().filter(|width| (1..=MAX_BITS).contains(width))?;
        let limb = |bytes: &[u8]| bytes.iter().rev().fold(0, |limb, &byte| limb << 8 | u64::from(byte));
        Some(Bits::from_limbs(|index| self.bytes.chunks(8).nth(index).map_or(0, limb), width))
    }
}

impl Function {
    /// The contents of what has this address, where they are known and never change. Pointers have so many bits, if the
    /// module says nothing else.
    pub fn contents(&self, base: AddressBase, pointer_bits: u32) -> Option<FixedContents> {
        let name = match base {
            AddressBase::Constant(index) => {
                let constant = self.constants.get(index)?;
                let bits = constant.value.bits().filter(|bits| bits.width().is_multiple_of(8))?;
                let bytes: Vec<u8> = bits.limbs().iter().flat_map(|limb| limb.to_le_bytes()).collect();
                let bytes = bytes[..bits.width() as usize / 8].to_vec();
                return Some(FixedContents { bytes, align: constant.align.unwrap_or(1) });
            }
            AddressBase::Global(GlobalName::Named(name)) => Name::from(self.symbols[name].as_str()),
            AddressBase::Global(GlobalName::Numbered(number)) => Name::Number(number),
            _ => return None,
        };
        let (bytes, align) = self.ir.as_ref()?.fixed_contents(&name, &DataLayout::with_pointers(pointer_bits))?;
        Some(FixedContents { bytes, align: u32::try_from(align).ok()? })
    }
}
