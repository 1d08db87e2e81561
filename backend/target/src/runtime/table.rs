//! The table of the runtime library.
//!
//! Names of libgcc: `__`, the operation, the sizes, and the number of operands. Sizes of integers: `si` 32, `di` 64,
//! `ti` 128 bits; of numbers: `hf` 16, `sf` 32, `df` 64, `tf` 128. Names of the C library: `f` after the name for 32
//! bits, and `l` for 128, which is `long double` on these machines.

use super::RuntimeMeaning::{Opcode as Means, Order};
use super::RuntimeType::{Float, Integer};
use super::{FloatOrder, RuntimeFunction, RuntimeMeaning, RuntimeType};
use tribunal_ir::Opcode;

const fn row(
    name: &'static str,
    meaning: RuntimeMeaning,
    result: RuntimeType,
    arguments: &'static [RuntimeType],
) -> RuntimeFunction {
    RuntimeFunction { name, meaning, result, arguments }
}

/// Functions of operands of one type, which they return too: 32, 64 and 128 bits.
macro_rules! alike {
    ($kind:ident $meaning:ident $count:literal: $($opcode:ident: $single:literal $double:literal $wide:literal)*) => {
        [$(
            row($single, $meaning(Opcode::$opcode), $kind(32), &[$kind(32); $count]),
            row($double, $meaning(Opcode::$opcode), $kind(64), &[$kind(64); $count]),
            row($wide, $meaning(Opcode::$opcode), $kind(128), &[$kind(128); $count]),
        )*]
    };
}

/// Functions from one type to another.
macro_rules! conversions {
    ($($opcode:ident: $($name:literal $result:ident $bits:literal $from:ident $from_bits:literal),*;)*) => {
        [$($(row($name, Means(Opcode::$opcode), $result($bits), &[$from($from_bits)])),*),*]
    };
}

/// Comparisons of numbers.
macro_rules! orders {
    ($($order:ident: $single:literal $double:literal $wide:literal)*) => {
        [$(
            row($single, Order(FloatOrder::$order), Integer(32), &[Float(32); 2]),
            row($double, Order(FloatOrder::$order), Integer(32), &[Float(64); 2]),
            row($wide, Order(FloatOrder::$order), Integer(32), &[Float(128); 2]),
        )*]
    };
}

static INTEGERS: &[RuntimeFunction] = &alike! { Integer Means 2:
    G_MUL: "__mulsi3" "__muldi3" "__multi3"
    G_UDIV: "__udivsi3" "__udivdi3" "__udivti3"
    G_SDIV: "__divsi3" "__divdi3" "__divti3"
    G_UREM: "__umodsi3" "__umoddi3" "__umodti3"
    G_SREM: "__modsi3" "__moddi3" "__modti3"
};

static OF_TWO: &[RuntimeFunction] = &alike! { Float Means 2:
    G_FADD: "__addsf3" "__adddf3" "__addtf3"
    G_FSUB: "__subsf3" "__subdf3" "__subtf3"
    G_FMUL: "__mulsf3" "__muldf3" "__multf3"
    G_FDIV: "__divsf3" "__divdf3" "__divtf3"
    G_FREM: "fmodf" "fmod" "fmodl"
    G_FMINNUM: "fminf" "fmin" "fminl"
    G_FMAXNUM: "fmaxf" "fmax" "fmaxl"
    G_FMINIMUM: "fminimumf" "fminimum" "fminimuml"
    G_FMAXIMUM: "fmaximumf" "fmaximum" "fmaximuml"
    G_FMINIMUMNUM: "fminimum_numf" "fminimum_num" "fminimum_numl"
    G_FMAXIMUMNUM: "fmaximum_numf" "fmaximum_num" "fmaximum_numl"
};

static OF_THREE: &[RuntimeFunction] = &alike! { Float Means 3:
    G_FMA: "fmaf" "fma" "fmal"
};

static OF_ONE: &[RuntimeFunction] = &alike! { Float Means 1:
    G_FNEG: "__negsf2" "__negdf2" "__negtf2"
    G_FSQRT: "sqrtf" "sqrt" "sqrtl"
    G_FCEIL: "ceilf" "ceil" "ceill"
    G_FFLOOR: "floorf" "floor" "floorl"
    G_FRINT: "rintf" "rint" "rintl"
    G_FNEARBYINT: "nearbyintf" "nearbyint" "nearbyintl"
    G_INTRINSIC_TRUNC: "truncf" "trunc" "truncl"
    G_INTRINSIC_ROUND: "roundf" "round" "roundl"
    G_INTRINSIC_ROUNDEVEN: "roundevenf" "roundeven" "roundevenl"
};

static CONVERSIONS: &[RuntimeFunction] = &conversions! {
    G_FPEXT:
        "__extendhfsf2" Float 32 Float 16, "__extendhfdf2" Float 64 Float 16, "__extendhftf2" Float 128 Float 16,
        "__extendsfdf2" Float 64 Float 32, "__extendsftf2" Float 128 Float 32, "__extenddftf2" Float 128 Float 64;
    G_FPTRUNC:
        "__truncsfhf2" Float 16 Float 32, "__truncdfhf2" Float 16 Float 64, "__trunctfhf2" Float 16 Float 128,
        "__truncdfsf2" Float 32 Float 64, "__trunctfsf2" Float 32 Float 128, "__trunctfdf2" Float 64 Float 128;
    G_FPTOSI:
        "__fixsfsi" Integer 32 Float 32, "__fixsfdi" Integer 64 Float 32, "__fixsfti" Integer 128 Float 32,
        "__fixdfsi" Integer 32 Float 64, "__fixdfdi" Integer 64 Float 64, "__fixdfti" Integer 128 Float 64,
        "__fixtfsi" Integer 32 Float 128, "__fixtfdi" Integer 64 Float 128, "__fixtfti" Integer 128 Float 128;
    G_FPTOUI:
        "__fixunssfsi" Integer 32 Float 32, "__fixunssfdi" Integer 64 Float 32, "__fixunssfti" Integer 128 Float 32,
        "__fixunsdfsi" Integer 32 Float 64, "__fixunsdfdi" Integer 64 Float 64, "__fixunsdfti" Integer 128 Float 64,
        "__fixunstfsi" Integer 32 Float 128, "__fixunstfdi" Integer 64 Float 128, "__fixunstfti" Integer 128 Float 128;
    G_SITOFP:
        "__floatsisf" Float 32 Integer 32, "__floatdisf" Float 32 Integer 64, "__floattisf" Float 32 Integer 128,
        "__floatsidf" Float 64 Integer 32, "__floatdidf" Float 64 Integer 64, "__floattidf" Float 64 Integer 128,
        "__floatsitf" Float 128 Integer 32, "__floatditf" Float 128 Integer 64, "__floattitf" Float 128 Integer 128;
    G_UITOFP:
        "__floatunsisf" Float 32 Integer 32, "__floatundisf" Float 32 Integer 64, "__floatuntisf" Float 32 Integer 128,
        "__floatunsidf" Float 64 Integer 32, "__floatundidf" Float 64 Integer 64, "__floatuntidf" Float 64 Integer 128,
        "__floatunsitf" Float 128 Integer 32, "__floatunditf" Float 128 Integer 64,
        "__floatuntitf" Float 128 Integer 128;
    G_INTRINSIC_LLRINT:
        "llrintf" Integer 64 Float 32, "llrint" Integer 64 Float 64, "llrintl" Integer 64 Float 128;
    G_LLROUND:
        "llroundf" Integer 64 Float 32, "llround" Integer 64 Float 64, "llroundl" Integer 64 Float 128;
};

static SCALED: &[RuntimeFunction] = &[
    row("ldexpf", Means(Opcode::G_FLDEXP), Float(32), &[Float(32), Integer(32)]),
    row("ldexp", Means(Opcode::G_FLDEXP), Float(64), &[Float(64), Integer(32)]),
    row("ldexpl", Means(Opcode::G_FLDEXP), Float(128), &[Float(128), Integer(32)]),
    row("__powisf2", Means(Opcode::G_FPOWI), Float(32), &[Float(32), Integer(32)]),
    row("__powidf2", Means(Opcode::G_FPOWI), Float(64), &[Float(64), Integer(32)]),
    row("__powitf2", Means(Opcode::G_FPOWI), Float(128), &[Float(128), Integer(32)]),
];

static ORDERS: &[RuntimeFunction] = &orders! {
    Equal: "__eqsf2" "__eqdf2" "__eqtf2"
    NotEqual: "__nesf2" "__nedf2" "__netf2"
    Less: "__ltsf2" "__ltdf2" "__lttf2"
    LessOrEqual: "__lesf2" "__ledf2" "__letf2"
    Greater: "__gtsf2" "__gtdf2" "__gttf2"
    GreaterOrEqual: "__gesf2" "__gedf2" "__getf2"
    Unordered: "__unordsf2" "__unorddf2" "__unordtf2"
};

static ELEMENTARY: &[RuntimeFunction] = &alike! { Float Means 1:
    G_FEXP: "expf" "exp" "expl"
    G_FEXP2: "exp2f" "exp2" "exp2l"
    G_FEXP10: "exp10f" "exp10" "exp10l"
    G_FLOG: "logf" "log" "logl"
    G_FLOG2: "log2f" "log2" "log2l"
    G_FLOG10: "log10f" "log10" "log10l"
    G_FCOS: "cosf" "cos" "cosl"
    G_FSIN: "sinf" "sin" "sinl"
    G_FTAN: "tanf" "tan" "tanl"
    G_FACOS: "acosf" "acos" "acosl"
    G_FASIN: "asinf" "asin" "asinl"
    G_FATAN: "atanf" "atan" "atanl"
    G_FCOSH: "coshf" "cosh" "coshl"
    G_FSINH: "sinhf" "sinh" "sinhl"
    G_FTANH: "tanhf" "tanh" "tanhl"
};

static ELEMENTARY_OF_TWO: &[RuntimeFunction] = &alike! { Float Means 2:
    G_FPOW: "powf" "pow" "powl"
    G_FATAN2: "atan2f" "atan2" "atan2l"
};

/// Every function that calls are made to.
pub static FUNCTIONS: FunctionTable =
    FunctionTable(&[INTEGERS, OF_TWO, OF_THREE, OF_ONE, CONVERSIONS, SCALED, ORDERS, ELEMENTARY, ELEMENTARY_OF_TWO]);

/// Rows in groups.
pub struct FunctionTable(&'static [&'static [RuntimeFunction]]);

impl FunctionTable {
    /// Every row.
    pub fn iter(&self) -> impl Iterator<Item = &'static RuntimeFunction> {
        self.0.iter().copied().flatten()
    }
}
