//! The predicates of comparisons, by LLVM's names.

/// Integer comparison predicates, by LLVM's names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IntPredicate {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Unsigned greater.
    Ugt,
    /// Unsigned greater or equal.
    Uge,
    /// Unsigned less.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed greater.
    Sgt,
    /// Signed greater or equal.
    Sge,
    /// Signed less.
    Slt,
    /// Signed less or equal.
    Sle,
}

impl IntPredicate {
    /// Every predicate, in LLVM's order.
    pub const ALL: [IntPredicate; 10] = {
        use IntPredicate::*;
        [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle]
    };

    /// LLVM's word: `eq`, `ugt`.
    pub const fn name(self) -> &'static str {
        match self {
            IntPredicate::Eq => "eq",
            IntPredicate::Ne => "ne",
            IntPredicate::Ugt => "ugt",
            IntPredicate::Uge => "uge",
            IntPredicate::Ult => "ult",
            IntPredicate::Ule => "ule",
            IntPredicate::Sgt => "sgt",
            IntPredicate::Sge => "sge",
            IntPredicate::Slt => "slt",
            IntPredicate::Sle => "sle",
        }
    }

    /// The predicate of LLVM's word.
    pub fn from_name(name: &str) -> Option<IntPredicate> {
        IntPredicate::ALL.into_iter().find(|predicate| predicate.name() == name)
    }

    /// True if the operands are compared by their signed readings.
    pub const fn is_signed(self) -> bool {
        matches!(self, IntPredicate::Sgt | IntPredicate::Sge | IntPredicate::Slt | IntPredicate::Sle)
    }

    /// The predicate that holds exactly when this one does not.
    pub const fn inverse(self) -> IntPredicate {
        match self {
            IntPredicate::Eq => IntPredicate::Ne,
            IntPredicate::Ne => IntPredicate::Eq,
            IntPredicate::Ugt => IntPredicate::Ule,
            IntPredicate::Uge => IntPredicate::Ult,
            IntPredicate::Ult => IntPredicate::Uge,
            IntPredicate::Ule => IntPredicate::Ugt,
            IntPredicate::Sgt => IntPredicate::Sle,
            IntPredicate::Sge => IntPredicate::Slt,
            IntPredicate::Slt => IntPredicate::Sge,
            IntPredicate::Sle => IntPredicate::Sgt,
        }
    }

    /// The predicate that holds for `(b, a)` exactly when this one holds for `(a, b)`.
    pub const fn swapped(self) -> IntPredicate {
        match self {
            IntPredicate::Eq => IntPredicate::Eq,
            IntPredicate::Ne => IntPredicate::Ne,
            IntPredicate::Ugt => IntPredicate::Ult,
            IntPredicate::Uge => IntPredicate::Ule,
            IntPredicate::Ult => IntPredicate::Ugt,
            IntPredicate::Ule => IntPredicate::Uge,
            IntPredicate::Sgt => IntPredicate::Slt,
            IntPredicate::Sge => IntPredicate::Sle,
            IntPredicate::Slt => IntPredicate::Sgt,
            IntPredicate::Sle => IntPredicate::Sge,
        }
    }

    /// The unsigned predicate of the same shape; equality stays.
    pub const fn unsigned(self) -> IntPredicate {
        match self {
            IntPredicate::Sgt => IntPredicate::Ugt,
            IntPredicate::Sge => IntPredicate::Uge,
            IntPredicate::Slt => IntPredicate::Ult,
            IntPredicate::Sle => IntPredicate::Ule,
            other => other,
        }
    }
}

/// Floating-point comparison predicates: which of the four outcomes hold. The bits of the number are LLVM's
/// `FCmpInst::Predicate`: equal 1, greater 2, less 4, unordered 8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FloatPredicate {
    /// Never.
    False,
    /// Ordered and equal.
    Oeq,
    /// Ordered and greater.
    Ogt,
    /// Ordered, and greater or equal.
    Oge,
    /// Ordered and less.
    Olt,
    /// Ordered, and less or equal.
    Ole,
    /// Ordered and not equal.
    One,
    /// Ordered: no operand is a NaN.
    Ord,
    /// Unordered: an operand is a NaN.
    Uno,
    /// Unordered or equal.
    Ueq,
    /// Unordered or greater.
    Ugt,
    /// Unordered, greater or equal.
    Uge,
    /// Unordered or less.
    Ult,
    /// Unordered, less or equal.
    Ule,
    /// Unordered or not equal.
    Une,
    /// Always.
    True,
}

impl FloatPredicate {
    /// Every predicate by its number.
    pub const ALL: [FloatPredicate; 16] = {
        use FloatPredicate::*;
        [False, Oeq, Ogt, Oge, Olt, Ole, One, Ord, Uno, Ueq, Ugt, Uge, Ult, Ule, Une, True]
    };

    /// LLVM's word: `oeq`, `une`.
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; 16] = [
            "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une",
            "true",
        ];
        NAMES[self as usize]
    }

    /// The predicate of LLVM's word.
    pub fn from_name(name: &str) -> Option<FloatPredicate> {
        FloatPredicate::ALL.into_iter().find(|predicate| predicate.name() == name)
    }
}
