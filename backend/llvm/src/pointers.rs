//! Pointers that a function's body makes by `getelementptr` with constant indices: each lies at a fixed distance from
//! another pointer. Memory operands of MIR name pointers of the IR, and this is all that is read of a body.
//!
//! Invariant: a line that is not understood gives nothing. Types are integers of whole bytes up to 64 bits and arrays
//! of them, whose sizes are the same in every data layout.

use rustc_hash::FxHashMap;

/// A pointer at a fixed distance from another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DerivedPointer {
    /// The other pointer with its sigil: `%p`, `@g`.
    pub base: String,
    /// The distance from it, in bytes.
    pub offset: i64,
}

/// The pointers of a body, by name without the sigil.
pub(crate) fn derived(body: &str) -> FxHashMap<String, DerivedPointer> {
    let instruction = |line: &str| {
        let (name, value) = line.trim().strip_prefix('%')?.split_once(" = ")?;
        let operands = value.strip_prefix("getelementptr ")?;
        Some((name.to_string(), sum(operands.split(", !").next()?)?))
    };
    // Text in comments is no instruction, and an instruction may go on in the next line.
    if body.contains("/*") || body.lines().any(|line| line.trim_start().starts_with(',')) {
        return FxHashMap::default();
    }
    body.lines().filter_map(instruction).collect()
}

/// The pointer that a constant expression stands for: `ptr getelementptr (i8, ptr @g, i64 8)`.
pub fn of_expression(text: &str) -> Option<DerivedPointer> {
    let operands = text.strip_prefix("ptr getelementptr ")?;
    let (flags, operands) = operands.split_once('(')?;
    let operands = operands.strip_suffix(')')?;
    // A range of indices is a promise that no distance shows.
    sum(operands).filter(|_| !flags.contains("inrange"))
}

/// The operands of a `getelementptr`: `inbounds i8, ptr %p, i64 8`.
fn sum(operands: &str) -> Option<DerivedPointer> {
    let mut operands = operands;
    while let Some(rest) = ["inbounds ", "nusw ", "nuw "].iter().find_map(|flag| operands.strip_prefix(flag)) {
        operands = rest;
    }
    let mut parts = operands.split(", ");
    let mut ty = parts.next()?;
    let base = parts.next()?.strip_prefix("ptr ").filter(|base| base.starts_with(['%', '@']) && !base.contains(' '))?;
    let mut offset = 0i64;
    for (place, index) in parts.enumerate() {
        let (index_type, number) = index.split_once(' ')?;
        let number: i64 = number.trim().parse().ok().filter(|_| index_type.starts_with('i'))?;
        if place > 0 {
            ty = element(ty)?.1;
        }
        offset = offset.checked_add(number.checked_mul(size(ty)?)?)?;
    }
    // No index is on another line, or there is none.
    if operands.matches(", ").count() < 2 {
        return None;
    }
    Some(DerivedPointer { base: base.to_string(), offset })
}

/// The count and the type of an array's elements: `[4 x i32]`.
fn element(ty: &str) -> Option<(i64, &str)> {
    let (count, element) = ty.strip_prefix('[')?.strip_suffix(']')?.split_once(" x ")?;
    Some((count.parse().ok()?, element))
}

/// Bytes from one object of a type to the next.
fn size(ty: &str) -> Option<i64> {
    if let Some((count, element)) = element(ty) {
        return size(element)?.checked_mul(count);
    }
    match ty {
        "i8" => Some(1),
        "i16" => Some(2),
        "i32" => Some(4),
        "i64" => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_distances_are_read() {
        let body = "entry:\n  %q = getelementptr inbounds nuw i8, ptr %p, i64 8\n  %e = getelementptr [4 x i32], ptr \
                    @h, i64 1, i64 -2, !dbg !4\n  %v = getelementptr i32, ptr %p, i64 %i\n  %s = getelementptr %t, \
                    ptr %p, i64 1\n";
        let all = derived(body);
        assert_eq!(all["q"], DerivedPointer { base: "%p".to_string(), offset: 8 });
        assert_eq!(all["e"], DerivedPointer { base: "@h".to_string(), offset: 8 });
        assert_eq!(all.len(), 2);
        let expression = of_expression("ptr getelementptr inbounds (i16, ptr @g, i64 3)");
        assert_eq!(expression, Some(DerivedPointer { base: "@g".to_string(), offset: 6 }));
        assert_eq!(of_expression("ptr undef"), None);
    }
}
