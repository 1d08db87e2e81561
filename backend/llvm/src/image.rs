//! Initialisers as bytes and relocations, as an object file has them. Source: LLVM 22's AsmPrinter.
//!
//! Invariant: an image has as many bytes as its type is allocated, and a relocation lies within them. Undefined and
//! poisoned bytes, padding, and bytes that a relocation fills are zero.

use crate::constant::{CastOp, Constant, ConstantKind, Expression, Integer};
use crate::data_layout::{DataLayout, Endianness};
use crate::evaluate::AddressSum;
use crate::layout::{LayoutError, Layouts};
use crate::module::{IrModule, Linkage, SymbolId};
use crate::name::Name;
use crate::types::{FloatKind, TypeId, TypeKind};
use num_bigint::BigInt;
use thiserror::Error;

/// The contents of memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Image {
    /// From the lowest address.
    pub bytes: Vec<u8>,
    /// By rising offset.
    pub relocations: Vec<Relocation>,
}

/// A number that is known once addresses are: `symbol + addend - subtracted`, modulo its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// In bytes from the beginning of the image.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// The address.
    pub symbol: Referent,
    /// Added to it.
    pub addend: i64,
    /// Subtracted from it.
    pub subtracted: Option<Referent>,
}

/// A place that has an address.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Referent {
    /// A global, a function, an alias.
    Symbol(SymbolId),
    /// A block of a function.
    Block {
        /// The function.
        function: SymbolId,
        /// Its block.
        block: Name,
    },
    /// A function of this linkage unit that does the same.
    DsoLocalEquivalent(SymbolId),
}

/// The reasons why an initialiser has no image.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImageError {
    /// A type without a layout.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A constant that is none of its type.
    #[error("the constant does not fit its type")]
    Mismatch,
    /// More than [`MOST_BYTES`].
    #[error("the initialiser is too large")]
    TooLarge,
    /// An expression that no relocation computes.
    #[error("no relocation computes this `{0}`")]
    Expression(&'static str),
    /// The negative of an address, or a sum of two.
    #[error("no relocation computes this sum of addresses")]
    Sum,
    /// An address that is extended beyond its width.
    #[error("an address does not fill {0} bytes")]
    Width(u64),
    /// A signed pointer, whose relocation is its target's.
    #[error("a signed pointer has no bytes")]
    PointerAuthentication,
}

/// The largest image: text of a few bytes may ask for any size. [`Constant::is_zero`] tells of larger ones.
pub const MOST_BYTES: u64 = 1 << 28;

/// The most bytes of [`IrModule::fixed_contents`].
const MOST_FIXED: u64 = 1 << 16;

impl Layouts<'_> {
    /// The bytes of a constant and the relocations in them.
    pub fn image(&self, constant: &Constant) -> Result<Image, ImageError> {
        let size = self.alloc_size(constant.ty)?;
        let length = usize::try_from(size).ok().filter(|_| size <= MOST_BYTES).ok_or(ImageError::TooLarge)?;
        let mut writer = Writer { layouts: self, image: Image { bytes: vec![0; length], relocations: Vec::new() } };
        writer.write(constant, 0)?;
        Ok(writer.image)
    }
}

impl IrModule {
    /// The bytes of a constant, and its alignment; `None` if another module may have others, if an address is among
    /// them, if something in them is undefined, or if they are more than 64 KiB. `default` is the layout where the
    /// module says none.
    pub fn fixed_contents(&self, name: &Name, default: &DataLayout) -> Option<(Vec<u8>, u64)> {
        let global = self.global(name).filter(|global| global.constant && !global.externally_initialized)?;
        let is_replaced = matches!(
            global.value.linkage,
            Linkage::LinkOnce | Linkage::Weak | Linkage::Common | Linkage::Appending | Linkage::ExternWeak
        );
        let initialiser = global.initialiser.as_ref().filter(|constant| !is_replaced && constant.is_defined())?;
        let layouts = self.layouts(default);
        layouts.alloc_size(global.ty).ok().filter(|&size| size <= MOST_FIXED)?;
        let image = layouts.image(initialiser).ok().filter(|image| image.relocations.is_empty())?;
        let of_type = layouts.get(global.ty).ok()?.alignment.abi;
        Some((image.bytes, global.alignment.unwrap_or(of_type)))
    }
}

impl Constant {
    /// True if no part of it is undefined, poison, or an expression.
    fn is_defined(&self) -> bool {
        match &self.kind {
            ConstantKind::Undef | ConstantKind::Poison | ConstantKind::Expression(_) => false,
            ConstantKind::Aggregate(parts) => parts.iter().all(Constant::is_defined),
            ConstantKind::Splat(part) => part.is_defined(),
            _ => true,
        }
    }

    /// True if every byte of it is zero or undefined, whatever its size.
    pub fn is_zero(&self) -> bool {
        match &self.kind {
            ConstantKind::Integer(integer) => integer.signed() == &BigInt::ZERO,
            ConstantKind::Float(bits) => *bits == 0,
            ConstantKind::Null
            | ConstantKind::None
            | ConstantKind::Undef
            | ConstantKind::Poison
            | ConstantKind::Zero => true,
            ConstantKind::Aggregate(parts) => parts.iter().all(Constant::is_zero),
            ConstantKind::Splat(part) => part.is_zero(),
            ConstantKind::Bytes(bytes) => bytes.iter().all(|&byte| byte == 0),
            ConstantKind::Symbol(_)
            | ConstantKind::BlockAddress { .. }
            | ConstantKind::DsoLocalEquivalent(_)
            | ConstantKind::NoCfi(_)
            | ConstantKind::PointerAuthentication(_)
            | ConstantKind::Expression(_) => false,
        }
    }
}

struct Writer<'l, 'm> {
    layouts: &'l Layouts<'m>,
    image: Image,
}

impl Writer<'_, '_> {
    /// Writes a constant at an offset.
    fn write(&mut self, constant: &Constant, offset: u64) -> Result<(), ImageError> {
        let size = self.layouts.get(constant.ty)?.store_size();
        match &constant.kind {
            ConstantKind::Null
            | ConstantKind::None
            | ConstantKind::Undef
            | ConstantKind::Poison
            | ConstantKind::Zero => Ok(()),
            ConstantKind::Integer(integer) => self.put(&integer.bytes(usize_of(size)?), offset, self.order()),
            ConstantKind::Float(bits) => self.float(*bits, constant.ty, offset),
            ConstantKind::Bytes(bytes) => self.put(bytes, offset, Endianness::Little),
            ConstantKind::Aggregate(parts) => self.aggregate(constant.ty, parts, offset),
            ConstantKind::Splat(part) => {
                let (_, count) = self.layouts.types.elements(constant.ty).ok_or(ImageError::Mismatch)?;
                self.vector(constant.ty, || std::iter::repeat_n(&**part, count as usize), offset)
            }
            ConstantKind::Expression(expression) => match &**expression {
                // The same bits, so the same bytes.
                Expression::Cast { op: CastOp::BitCast, operand } => {
                    match self.layouts.get(operand.ty)?.store_size() == size {
                        true => self.write(operand, offset),
                        false => Err(ImageError::Mismatch),
                    }
                }
                _ => self.scalar(constant, offset, size),
            },
            ConstantKind::Symbol(_)
            | ConstantKind::BlockAddress { .. }
            | ConstantKind::DsoLocalEquivalent(_)
            | ConstantKind::NoCfi(_)
            | ConstantKind::PointerAuthentication(_) => self.scalar(constant, offset, size),
        }
    }

    fn order(&self) -> Endianness {
        self.layouts.data.endianness
    }

    /// Writes bytes, the least significant first, in an order.
    fn put(&mut self, bytes: &[u8], offset: u64, order: Endianness) -> Result<(), ImageError> {
        let start = usize_of(offset)?;
        let place = start.checked_add(bytes.len()).and_then(|end| self.image.bytes.get_mut(start..end));
        let place = place.ok_or(ImageError::Mismatch)?;
        place.copy_from_slice(bytes);
        if order == Endianness::Big {
            place.reverse();
        }
        Ok(())
    }

    fn float(&mut self, bits: u128, ty: TypeId, offset: u64) -> Result<(), ImageError> {
        let &TypeKind::Float(kind) = self.layouts.types.kind(ty) else { return Err(ImageError::Mismatch) };
        let bytes = bits.to_le_bytes();
        match kind {
            // Two doubles, the first at the lower address whatever the order of bytes.
            FloatKind::PpcFp128 => {
                self.put(&bytes[..8], offset, self.order())?;
                self.put(&bytes[8..], offset + 8, self.order())
            }
            _ => self.put(&bytes[..usize_of(u64::from(kind.bits() / 8))?], offset, self.order()),
        }
    }

    fn aggregate(&mut self, ty: TypeId, parts: &[Constant], offset: u64) -> Result<(), ImageError> {
        match self.layouts.types.kind(ty) {
            TypeKind::Array { element, count } if parts.len() as u64 == *count => {
                let stride = self.layouts.alloc_size(*element)?;
                let offsets = (0..*count).map(|index| offset + index * stride);
                parts.iter().zip(offsets).try_for_each(|(part, offset)| self.write(part, offset))
            }
            TypeKind::Vector { count, .. } if parts.len() as u64 == *count => self.vector(ty, || parts.iter(), offset),
            TypeKind::Struct(_) | TypeKind::Named(_) => {
                let layouts = self.layouts;
                let body = layouts.types.struct_body(ty).ok_or(LayoutError::Opaque)?;
                let fields = &layouts.get(ty)?.offsets;
                if !parts.iter().map(|part| part.ty).eq(body.fields.iter().copied()) {
                    return Err(ImageError::Mismatch);
                }
                parts.iter().zip(fields).try_for_each(|(part, field)| self.write(part, offset + field))
            }
            _ => Err(ImageError::Mismatch),
        }
    }

    /// Elements of a vector stand without padding; those that are no bytes are bits of one integer.
    fn vector<'c, I>(&mut self, ty: TypeId, parts: impl Fn() -> I, offset: u64) -> Result<(), ImageError>
    where
        I: DoubleEndedIterator<Item = &'c Constant>,
    {
        let (element, _) = self.layouts.types.elements(ty).ok_or(ImageError::Mismatch)?;
        let (whole, bits) = (self.layouts.get(ty)?.store_size(), self.layouts.get(element)?.bits);
        if bits.is_multiple_of(8) {
            let offsets = (offset..).step_by(usize_of(bits / 8)?.max(1));
            return parts().zip(offsets).try_for_each(|(part, offset)| self.write(part, offset));
        }
        let mut packed = vec![0; usize_of(whole)?];
        let mut pack = |index: usize, part: &Constant| {
            let integer = match &part.kind {
                ConstantKind::Integer(integer) => integer,
                _ if part.is_zero() => return Ok(()),
                _ => return Err(ImageError::Mismatch),
            };
            for bit in (0..bits).filter(|&bit| integer.signed().bit(bit)) {
                let place = index as u64 * bits + bit;
                let byte = packed.get_mut(usize_of(place / 8)?).ok_or(ImageError::Mismatch)?;
                *byte |= 1 << (place % 8);
            }
            Ok(())
        };
        match self.order() {
            Endianness::Little => parts().enumerate().try_for_each(|(index, part)| pack(index, part))?,
            Endianness::Big => parts().rev().enumerate().try_for_each(|(index, part)| pack(index, part))?,
        }
        self.put(&packed, offset, self.order())
    }

    /// Writes a number or an address, whose value is computed.
    fn scalar(&mut self, constant: &Constant, offset: u64, size: u64) -> Result<(), ImageError> {
        let AddressSum { plus, minus, number, bits } = self.layouts.evaluate(constant)?;
        match (plus, minus) {
            (None, None) => {
                let bytes = Integer::new(bits, BigInt::from(number)).bytes(usize_of(size)?);
                self.put(&bytes, offset, self.order())
            }
            (None, Some(_)) => Err(ImageError::Sum),
            (Some(symbol), subtracted) => {
                self.image.relocations.push(Relocation { offset, size, symbol, addend: number, subtracted });
                Ok(())
            }
        }
    }
}

fn usize_of(number: u64) -> Result<usize, ImageError> {
    usize::try_from(number).map_err(|_| ImageError::TooLarge)
}
