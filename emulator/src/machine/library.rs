//! The functions of the runtime library by their names, as the libraries' manuals have them: GCC's internals manual,
//! "The GCC low-level runtime library", and C23, chapter 7.12. What a compiler calls is looked up here and not in its
//! own table, so that a wrong name there calls another function, or none.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use tribunal_ir::Opcode;
use tribunal_target::runtime::RuntimeType::{Float, Integer};
use tribunal_target::runtime::{FloatOrder, RuntimeFunction, RuntimeMeaning, RuntimeType};

const INTEGERS: [(&str, RuntimeType); 3] = [("si", Integer(32)), ("di", Integer(64)), ("ti", Integer(128))];
const HALF: (&str, RuntimeType) = ("hf", Float(16));
const NUMBERS: [(&str, RuntimeType); 3] = [("sf", Float(32)), ("df", Float(64)), ("tf", Float(128))];

/// The letter after a name of C's by the format.
const LETTERS: [(&str, RuntimeType); 3] = [("f", Float(32)), ("", Float(64)), ("l", Float(128))];

const OF_INTEGERS: [(&str, Opcode); 5] = [
    ("mul", Opcode::G_MUL),
    ("div", Opcode::G_SDIV),
    ("udiv", Opcode::G_UDIV),
    ("mod", Opcode::G_SREM),
    ("umod", Opcode::G_UREM),
];

const OF_NUMBERS: [(&str, Opcode); 4] =
    [("add", Opcode::G_FADD), ("sub", Opcode::G_FSUB), ("mul", Opcode::G_FMUL), ("div", Opcode::G_FDIV)];

const ORDERS: [(&str, FloatOrder); 7] = [
    ("eq", FloatOrder::Equal),
    ("ne", FloatOrder::NotEqual),
    ("lt", FloatOrder::Less),
    ("le", FloatOrder::LessOrEqual),
    ("gt", FloatOrder::Greater),
    ("ge", FloatOrder::GreaterOrEqual),
    ("unord", FloatOrder::Unordered),
];

/// Functions of C of one number.
const OF_ONE: [(&str, Opcode); 23] = [
    ("acos", Opcode::G_FACOS),
    ("asin", Opcode::G_FASIN),
    ("atan", Opcode::G_FATAN),
    ("ceil", Opcode::G_FCEIL),
    ("cos", Opcode::G_FCOS),
    ("cosh", Opcode::G_FCOSH),
    ("exp", Opcode::G_FEXP),
    ("exp10", Opcode::G_FEXP10),
    ("exp2", Opcode::G_FEXP2),
    ("floor", Opcode::G_FFLOOR),
    ("log", Opcode::G_FLOG),
    ("log10", Opcode::G_FLOG10),
    ("log2", Opcode::G_FLOG2),
    ("nearbyint", Opcode::G_FNEARBYINT),
    ("rint", Opcode::G_FRINT),
    ("round", Opcode::G_INTRINSIC_ROUND),
    ("roundeven", Opcode::G_INTRINSIC_ROUNDEVEN),
    ("sin", Opcode::G_FSIN),
    ("sinh", Opcode::G_FSINH),
    ("sqrt", Opcode::G_FSQRT),
    ("tan", Opcode::G_FTAN),
    ("tanh", Opcode::G_FTANH),
    ("trunc", Opcode::G_INTRINSIC_TRUNC),
];

/// Of two numbers.
const OF_TWO: [(&str, Opcode); 9] = [
    ("atan2", Opcode::G_FATAN2),
    ("fmax", Opcode::G_FMAXNUM),
    ("fmaximum", Opcode::G_FMAXIMUM),
    ("fmaximum_num", Opcode::G_FMAXIMUMNUM),
    ("fmin", Opcode::G_FMINNUM),
    ("fminimum", Opcode::G_FMINIMUM),
    ("fminimum_num", Opcode::G_FMINIMUMNUM),
    ("fmod", Opcode::G_FREM),
    ("pow", Opcode::G_FPOW),
];

/// To integers of 64 bits.
const TO_INTEGERS: [(&str, Opcode); 2] = [("llrint", Opcode::G_INTRINSIC_LLRINT), ("llround", Opcode::G_LLROUND)];

/// The function that a symbol names.
pub(super) fn named(symbol: &str) -> Option<&'static RuntimeFunction> {
    static FUNCTIONS: LazyLock<BTreeMap<&str, RuntimeFunction>> =
        LazyLock::new(|| all().into_iter().map(|function| (function.name, function)).collect());
    FUNCTIONS.get(symbol)
}

fn all() -> Vec<RuntimeFunction> {
    let mut all = Vec::new();
    let mut add = |name: String, meaning: RuntimeMeaning, result: RuntimeType, arguments: &[RuntimeType]| {
        // Once in a process: the rows live as long as it does.
        all.push(RuntimeFunction { name: name.leak(), meaning, result, arguments: arguments.to_vec().leak() });
    };
    let means = RuntimeMeaning::Opcode;
    for (integer, ty) in INTEGERS {
        OF_INTEGERS.iter().for_each(|(name, opcode)| add(format!("__{name}{integer}3"), means(*opcode), ty, &[ty; 2]));
    }
    for (number, ty) in NUMBERS {
        OF_NUMBERS.iter().for_each(|(name, opcode)| add(format!("__{name}{number}3"), means(*opcode), ty, &[ty; 2]));
        for (name, order) in ORDERS {
            add(format!("__{name}{number}2"), RuntimeMeaning::Order(order), Integer(32), &[ty; 2]);
        }
        add(format!("__neg{number}2"), means(Opcode::G_FNEG), ty, &[ty]);
        add(format!("__powi{number}2"), means(Opcode::G_FPOWI), ty, &[ty, Integer(32)]);
        for (integer, of_integer) in INTEGERS {
            add(format!("__fix{number}{integer}"), means(Opcode::G_FPTOSI), of_integer, &[ty]);
            add(format!("__fixuns{number}{integer}"), means(Opcode::G_FPTOUI), of_integer, &[ty]);
            add(format!("__float{integer}{number}"), means(Opcode::G_SITOFP), ty, &[of_integer]);
            add(format!("__floatun{integer}{number}"), means(Opcode::G_UITOFP), ty, &[of_integer]);
        }
        let narrower = [HALF].into_iter().chain(NUMBERS).take_while(|(_, narrow)| narrow.bits() < ty.bits());
        for (narrow, of_narrow) in narrower {
            add(format!("__extend{narrow}{number}2"), means(Opcode::G_FPEXT), ty, &[of_narrow]);
            add(format!("__trunc{number}{narrow}2"), means(Opcode::G_FPTRUNC), of_narrow, &[ty]);
        }
    }
    for (letter, ty) in LETTERS {
        OF_ONE.iter().for_each(|(name, opcode)| add(format!("{name}{letter}"), means(*opcode), ty, &[ty]));
        OF_TWO.iter().for_each(|(name, opcode)| add(format!("{name}{letter}"), means(*opcode), ty, &[ty; 2]));
        for (name, opcode) in TO_INTEGERS {
            add(format!("{name}{letter}"), means(opcode), Integer(64), &[ty]);
        }
        add(format!("fma{letter}"), means(Opcode::G_FMA), ty, &[ty; 3]);
        add(format!("ldexp{letter}"), means(Opcode::G_FLDEXP), ty, &[ty, Integer(32)]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_target::runtime::FUNCTIONS;

    /// The backend calls what the manuals name, and all of it.
    #[test]
    fn the_table_of_the_backend_is_the_libraries_own() {
        for function in FUNCTIONS.iter() {
            assert_eq!(named(function.name), Some(function), "{}", function.name);
        }
        let of_table: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        let others = all().into_iter().filter(|function| !of_table.contains(&function.name));
        assert_eq!(others.map(|function| function.name).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
