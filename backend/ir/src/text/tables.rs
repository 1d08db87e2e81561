//! Constant pool, jump tables and frame information: reading and printing.

use super::envelope::Objects;
use super::floats;
use super::yaml::{YamlKind, YamlNode, boolean, by_id, error_at, field, number, quoted, required, scalar, sequence};
use super::{Failure, ParseError};
use crate::bits::{Bits, MAX_BITS};
use crate::entities::Block;
use crate::float::FloatFormat;
use crate::function::Function;
use crate::module::{Unknown, UnknownKind};
use crate::tables::{FrameInfo, JumpTableKind, PoolConstant, PoolValue};
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};

// The constant pool.

pub(super) fn read_constants(
    value: &YamlNode,
    function: &mut Function,
    objects: &mut Objects,
) -> Result<(), ParseError> {
    for (id, entry) in by_id(value)? {
        let align = field(entry, "alignment").map(number::<u32>).transpose()?;
        let constant = PoolConstant {
            value: pool_value(field(entry, "value").map(scalar).transpose()?.unwrap_or_default()),
            align: align.filter(|align| align.is_power_of_two()),
            target_specific: field(entry, "isTargetSpecific").map(boolean).transpose()?.unwrap_or(false),
        };
        if constant.align != align {
            return Err(error_at(entry.line, entry.column, "an alignment is a power of two"));
        }
        if objects.constants.insert(id, function.constants.push(constant)).is_some() {
            return Err(error_at(entry.line, entry.column, format!("a second constant {id}")));
        }
    }
    Ok(())
}

/// `i64 -5`, `double 1.0`; any other text is kept.
fn pool_value(text: &str) -> PoolValue {
    let number = text.split_once(' ').and_then(|(ty, value)| match FloatFormat::from_name(ty) {
        Some(format) => floats::read(format, value).map(|bits| PoolValue::Float(format, bits)),
        None => integer(ty, value).map(PoolValue::Integer),
    });
    // Text that is printed otherwise than it was read is no integer: `i1 true` is not. Numbers have several spellings.
    let is_number = |value: &PoolValue| matches!(value, PoolValue::Float(..)) || spelled(value) == text;
    number.filter(is_number).unwrap_or_else(|| PoolValue::Text(text.to_string()))
}

fn integer(ty: &str, value: &str) -> Option<Bits> {
    let width: u32 = ty.strip_prefix('i')?.parse().ok().filter(|width| (1..=MAX_BITS).contains(width))?;
    match value.strip_prefix('-') {
        Some(digits) => Bits::parse_decimal(digits, width).map(Bits::negated),
        None => Bits::parse_decimal(value, width),
    }
}

fn spelled(value: &PoolValue) -> String {
    match value {
        PoolValue::Integer(bits) => format!("i{} {bits}", bits.width()),
        PoolValue::Float(format, bits) => format!("{} {}", format.name(), floats::write(*format, *bits)),
        PoolValue::Text(text) => text.clone(),
    }
}

pub(super) fn print_constants(out: &mut String, function: &Function) -> fmt::Result {
    if !function.constants.is_empty() {
        writeln!(out, "constants:")?;
    }
    for (index, constant) in &function.constants {
        writeln!(out, "  - id:              {}", index.as_u32())?;
        writeln!(out, "    value:           {}", quoted(&spelled(&constant.value)))?;
        if let Some(align) = constant.align {
            writeln!(out, "    alignment:       {align}")?;
        }
        if constant.target_specific {
            writeln!(out, "    isTargetSpecific: true")?;
        }
    }
    Ok(())
}

// Jump tables.

/// The blocks of each table by their places in the text: the body that has them comes later.
pub(super) type NamedBlocks = Vec<Vec<(usize, usize, u32)>>;

/// Reads kind and tables. The blocks are returned; [`place_blocks`] puts them into the tables.
pub(super) fn read_jump_tables(
    value: &YamlNode,
    function: &mut Function,
    objects: &mut Objects,
) -> Result<NamedBlocks, Failure> {
    let mut named = NamedBlocks::new();
    let entries = field(value, "entries").map(by_id).transpose()?.unwrap_or_default();
    for (id, entry) in entries {
        if objects.jump_tables.insert(id, function.jump_tables.tables.push(Vec::new())).is_some() {
            return Err(error_at(entry.line, entry.column, format!("a second jump table {id}")).into());
        }
        let blocks = field(entry, "blocks").map(sequence).transpose()?.unwrap_or_default();
        named.push(blocks.iter().map(block_number).collect::<Result<_, _>>()?);
    }
    let kind = required(value, "kind")?;
    let name = scalar(kind)?;
    let unknown = || {
        let (line, column, text) = (kind.line, kind.column, name.to_string());
        Failure::Unknown(Unknown { line, column, kind: UnknownKind::JumpTableKind, text })
    };
    function.jump_tables.kind = JumpTableKind::from_name(name).ok_or_else(unknown)?;
    Ok(named)
}

/// N of `'%bb.N.name'`, with its place.
fn block_number(node: &YamlNode) -> Result<(usize, usize, u32), ParseError> {
    let digits = scalar(node)?.strip_prefix("%bb.").map(|rest| rest.split('.').next().unwrap_or_default());
    let number = digits.and_then(|digits| digits.parse().ok());
    let number = number.ok_or_else(|| error_at(node.line, node.column, "expected a block: `'%bb.1'`"))?;
    Ok((node.line, node.column, number))
}

/// Fills the tables once the blocks are there.
pub(super) fn place_blocks(function: &mut Function, named: &NamedBlocks) -> Result<(), ParseError> {
    if named.is_empty() {
        return Ok(());
    }
    let numbers: FxHashMap<u32, Block> =
        function.layout().iter().map(|&block| (function.block(block).number, block)).collect();
    for (blocks, named) in function.jump_tables.tables.values_mut().zip(named) {
        for &(line, column, number) in named {
            let block = numbers.get(&number).copied();
            blocks.push(block.ok_or_else(|| error_at(line, column, format!("there is no block bb.{number}")))?);
        }
    }
    Ok(())
}

pub(super) fn print_jump_tables(out: &mut String, function: &Function) -> fmt::Result {
    if function.jump_tables.tables.is_empty() {
        return Ok(());
    }
    writeln!(out, "jumpTable:\n  kind:            {}\n  entries:", function.jump_tables.kind.name())?;
    for (index, blocks) in &function.jump_tables.tables {
        let names = blocks.iter().map(|&block| format!("'%bb.{}'", function.block(block).number));
        let names: Vec<String> = names.collect();
        writeln!(out, "    - id:              {}", index.as_u32())?;
        writeln!(out, "      blocks:          [ {} ]", names.join(", "))?;
    }
    Ok(())
}

// Frame information.

/// A field of [`FrameInfo`].
enum Field<'f> {
    Flag(&'f mut bool),
    Bytes(&'f mut u64),
    Short(&'f mut u32),
    Signed(&'f mut i32),
    /// Not known is LLVM's 4294967295.
    Known(&'f mut Option<u32>),
}

/// LLVM's keys, in its order.
fn fields(info: &mut FrameInfo) -> [(&'static str, Field<'_>); 17] {
    [
        ("isFrameAddressTaken", Field::Flag(&mut info.is_frame_address_taken)),
        ("isReturnAddressTaken", Field::Flag(&mut info.is_return_address_taken)),
        ("hasStackMap", Field::Flag(&mut info.has_stack_map)),
        ("hasPatchPoint", Field::Flag(&mut info.has_patch_point)),
        ("stackSize", Field::Bytes(&mut info.stack_size)),
        ("offsetAdjustment", Field::Signed(&mut info.offset_adjustment)),
        ("maxAlignment", Field::Short(&mut info.max_alignment)),
        ("adjustsStack", Field::Flag(&mut info.adjusts_stack)),
        ("hasCalls", Field::Flag(&mut info.has_calls)),
        ("maxCallFrameSize", Field::Known(&mut info.max_call_frame_size)),
        ("cvBytesOfCalleeSavedRegisters", Field::Short(&mut info.cv_bytes_of_callee_saved_registers)),
        ("hasOpaqueSPAdjustment", Field::Flag(&mut info.has_opaque_sp_adjustment)),
        ("hasVAStart", Field::Flag(&mut info.has_va_start)),
        ("hasMustTailInVarArgFunc", Field::Flag(&mut info.has_must_tail_in_var_arg_func)),
        ("hasTailCall", Field::Flag(&mut info.has_tail_call)),
        ("isCalleeSavedInfoValid", Field::Flag(&mut info.is_callee_saved_info_valid)),
        ("localFrameSize", Field::Short(&mut info.local_frame_size)),
    ]
}

/// Keys whose values are kept as they are.
const KEPT: [&str; 4] = ["stackProtector", "functionContext", "savePoint", "restorePoint"];

/// Reads `frameInfo`; returns the first key that LLVM 22 does not have.
pub(super) fn read_frame_info(value: &YamlNode, info: &mut FrameInfo) -> Result<Option<Unknown>, ParseError> {
    let YamlKind::Mapping(entries) = &value.kind else { return Ok(None) };
    let mut unknown = None;
    for (key, value) in entries {
        let name = scalar(key)?;
        if KEPT.contains(&name) {
            info.other.push((name.to_string(), value.flow()));
            continue;
        }
        match fields(info).into_iter().find(|(known, _)| *known == name) {
            Some((_, Field::Flag(flag))) => *flag = boolean(value)?,
            Some((_, Field::Bytes(bytes))) => *bytes = number(value)?,
            Some((_, Field::Short(bytes))) => *bytes = number(value)?,
            Some((_, Field::Signed(bytes))) => *bytes = number(value)?,
            Some((_, Field::Known(bytes))) => *bytes = Some(number(value)?).filter(|&bytes| bytes != u32::MAX),
            None => {
                let (line, column, kind) = (key.line, key.column, UnknownKind::FrameInformation);
                unknown.get_or_insert(Unknown { line, column, kind, text: name.to_string() });
            }
        }
    }
    Ok(unknown)
}

/// Writes the fields that differ from LLVM's defaults.
pub(super) fn print_frame_info(out: &mut String, info: &FrameInfo) -> fmt::Result {
    let mut lines = String::new();
    for (key, field) in fields(&mut info.clone()) {
        let value = match field {
            Field::Flag(flag) => flag.then(|| "true".to_string()),
            Field::Bytes(bytes) => (*bytes != 0).then(|| bytes.to_string()),
            Field::Short(bytes) => (*bytes != 0).then(|| bytes.to_string()),
            Field::Signed(bytes) => (*bytes != 0).then(|| bytes.to_string()),
            Field::Known(bytes) => bytes.map(|bytes| bytes.to_string()),
        };
        if let Some(value) = value {
            writeln!(lines, "  {:<16} {value}", format!("{key}:"))?;
        }
    }
    for (key, value) in &info.other {
        writeln!(lines, "  {:<16} {value}", format!("{key}:"))?;
    }
    match lines.is_empty() {
        true => Ok(()),
        false => write!(out, "frameInfo:\n{lines}"),
    }
}
