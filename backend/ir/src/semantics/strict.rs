//! Operations that see the environment of floating point: they round as its mode says, and raise its flags.
//!
//! Source: LangRef, "Constrained Floating-Point Intrinsics" and "Floating-Point Environment Manipulation intrinsics".
//! The number that is an environment is the C library's for the machine: LLVM calls `fegetenv` and `fesetenv`.
//! `nofpexcept` licenses any flags, and the definition raises the true ones. An operation on poison is undefined: it
//! would raise any flags. So is a mode that the machine does not have. On a machine without an environment an operation
//! is the one of the default environment.

use super::float::{self, FLAG_BITS, FloatEnvironment, FloatResult, FloatRules, NanRule, RoundingMode};
use super::opcodes::malformed;
use super::walk::{self, MachineState, Next, Transfer};
use super::{Domain, Unsupported, Value};
use crate::float::FloatFormat;
use crate::inst::InstData;
use crate::opcode::{Family, Opcode};
use crate::operand::RegOperand;
use crate::strictness::Strictness;
use smallvec::SmallVec;

/// The environment that a function's operations see; `None` where it is LLVM's default one, which nobody observes.
pub fn environment<D: Domain, S: MachineState<D>>(state: &S) -> Option<&'static FloatEnvironment> {
    if state.function().is_strict() { state.vocabulary().float_environment() } else { None }
}

/// The rounding mode of the environment.
pub fn mode<D: Domain, S: MachineState<D>>(state: &mut S, environment: &FloatEnvironment) -> D::Bits {
    let control = state.full_register(environment.control).bits;
    environment.mode(state.domain(), &control)
}

/// Raises flags of the environment.
pub fn raise<D: Domain, S: MachineState<D>>(state: &mut S, environment: &FloatEnvironment, flags: &D::Bits) {
    let status = state.full_register(environment.status).bits;
    let domain = state.domain();
    let (status, never) = (environment.raised(domain, &status, flags), domain.boolean(false));
    state.set_full_register(environment.status, Value::new(status, never));
}

/// Executes an operation that sees the environment; `None` for all others.
pub(super) fn execute<D: Domain, S: MachineState<D>>(
    state: &mut S,
    data: &InstData,
) -> Result<Option<Transfer<D>>, Unsupported> {
    if !data.opcode.sees_environment() {
        return Ok(None);
    }
    if state.function().strictness == Strictness::NoEnvironment {
        return without_environment(state, data);
    }
    let environment = environment(state).ok_or_else(|| lacking(data))?;
    let ub = match data.opcode {
        opcode if opcode.family() == Some(Family::StrictFloat) => compute(state, environment, data)?,
        Opcode::G_RESET_FPENV | Opcode::G_RESET_FPMODE => reset(state, environment, data),
        _ if data.defs().next().is_some() => get(state, environment, data)?,
        _ => set(state, environment, data)?,
    };
    Ok(Some(Transfer { ub, next: Next::Following }))
}

fn lacking(data: &InstData) -> Unsupported {
    Unsupported::new(format!("{} without an environment of floating point", data.opcode))
}

/// The same on a machine that rounds to nearest and raises nothing; `None` for arithmetic, which is what it is in the
/// default environment. No number is known to be an environment.
fn without_environment<D: Domain, S: MachineState<D>>(
    state: &mut S,
    data: &InstData,
) -> Result<Option<Transfer<D>>, Unsupported> {
    let (nearest, mut ub) = (RoundingMode::NearestEven.flt_rounds(), state.domain().boolean(false));
    match data.opcode {
        opcode if opcode.family() == Some(Family::StrictFloat) => return Ok(None),
        Opcode::G_RESET_FPENV | Opcode::G_RESET_FPMODE => {}
        Opcode::G_GET_ROUNDING => {
            let dst = data.defs().next().ok_or_else(|| malformed(data))?;
            let width = walk::operand_bits(state.function(), state.vocabulary(), dst);
            let mode = Value::new(state.domain().literal(nearest, width), ub.clone());
            walk::write(state, dst, mode)?;
        }
        Opcode::G_SET_ROUNDING => {
            let given = data.uses().next().ok_or_else(|| malformed(data))?;
            let Value { bits, poison, .. } = walk::read(state, given)?;
            let domain = state.domain();
            let nearest = domain.literal(nearest, domain.width(&bits));
            let other = domain.ne(&bits, &nearest);
            ub = domain.bool_or(&poison, &other);
        }
        _ => return Err(lacking(data)),
    }
    Ok(Some(Transfer { ub, next: Next::Following }))
}

/// The bits of `FLT_ROUNDS`: five numbers.
const LEAST_WIDTH: u32 = 3;

/// The rounding mode, the environment, or its control register, as one number.
fn get<D: Domain, S: MachineState<D>>(
    state: &mut S,
    environment: &FloatEnvironment,
    data: &InstData,
) -> Result<D::Bool, Unsupported> {
    let dst = data.defs().next().ok_or_else(|| malformed(data))?;
    let width = walk::operand_bits(state.function(), state.vocabulary(), dst);
    let [control, status] = environment.registers().map(|register| state.full_register(register).bits);
    let domain = state.domain();
    let bits = match data.opcode {
        Opcode::G_GET_ROUNDING if width >= LEAST_WIDTH => Some(environment.flt_rounds(domain, &control, width)),
        Opcode::G_GET_FPMODE if width >= domain.width(&control) => Some(domain.zext(&control, width)),
        Opcode::G_GET_FPENV => environment.whole(domain, [&control, &status], width),
        _ => None,
    };
    let (bits, never) = (bits.ok_or_else(|| malformed(data))?, domain.boolean(false));
    walk::write(state, dst, Value::new(bits, never.clone()))?;
    Ok(never)
}

/// Sets the rounding mode, the environment, or its control register. A number that is none of the machine's is
/// undefined.
fn set<D: Domain, S: MachineState<D>>(
    state: &mut S,
    environment: &FloatEnvironment,
    data: &InstData,
) -> Result<D::Bool, Unsupported> {
    let given = data.uses().next().ok_or_else(|| malformed(data))?;
    let Value { bits: given, poison, .. } = walk::read(state, given)?;
    let [control, status] = environment.registers().map(|register| state.full_register(register).bits);
    let domain = state.domain();
    let (width, widths) = (domain.width(&given), [&control, &status].map(|bits| domain.width(bits)));
    let (control, status, is_known) = match data.opcode {
        Opcode::G_SET_ROUNDING if width >= LEAST_WIDTH => {
            let (control, is_known) = environment.with_flt_rounds(domain, &control, &given);
            (control, status, is_known)
        }
        Opcode::G_SET_FPMODE if width >= widths[0] => {
            let control = domain.extract(&given, 0, widths[0]);
            let is_known = environment.is_mode(domain, &control);
            (control, status, is_known)
        }
        Opcode::G_SET_FPENV => {
            let [control, status] = environment.parts(domain, &given, widths).ok_or_else(|| malformed(data))?;
            let (is_mode, is_flags) = (environment.is_mode(domain, &control), environment.is_flags(domain, &status));
            (control, status, domain.bool_and(&is_mode, &is_flags))
        }
        _ => return Err(malformed(data)),
    };
    let (unknown, never) = (domain.bool_not(&is_known), domain.boolean(false));
    let ub = domain.bool_or(&poison, &unknown);
    state.set_full_register(environment.control, Value::new(control, never.clone()));
    state.set_full_register(environment.status, Value::new(status, never));
    Ok(ub)
}

/// The default environment, or its mode.
fn reset<D: Domain, S: MachineState<D>>(state: &mut S, environment: &FloatEnvironment, data: &InstData) -> D::Bool {
    let count = if data.opcode == Opcode::G_RESET_FPMODE { 1 } else { 2 };
    for register in environment.registers().into_iter().take(count) {
        let width = state.vocabulary().register_bits(register);
        let domain = state.domain();
        let value = Value::new(domain.literal(0, width), domain.boolean(false));
        state.set_full_register(register, value);
    }
    state.domain().boolean(false)
}

/// An operation of arithmetic, on each element of a vector in turn; the condition under which it is undefined.
fn compute<D: Domain, S: MachineState<D>>(
    state: &mut S,
    environment: &FloatEnvironment,
    data: &InstData,
) -> Result<D::Bool, Unsupported> {
    let dst = data.defs().next().ok_or_else(|| malformed(data))?;
    let elements =
        |operand: &RegOperand| operand.reg.as_virtual().and_then(|own| state.function().type_of(own)?.element_count());
    let count = elements(dst);
    if data.uses().any(|operand| elements(operand) != count) {
        return Err(malformed(data));
    }
    if count.is_some_and(|count| count.scalable) {
        return Err(Unsupported::new("scalable vector"));
    }
    let lanes = count.map_or(1, |count| u32::from(count.lanes));
    let args = data.uses().map(|operand| walk::read(state, operand)).collect::<Result<SmallVec<[_; 3]>, _>>()?;
    let mode = mode(state, environment);
    let domain = state.domain();
    let ub = args.iter().fold(domain.boolean(false), |ub, arg| domain.bool_or(&ub, &arg.poison));
    let (mut whole, mut broken, mut raised) = (None, Vec::new(), domain.literal(0, FLAG_BITS));
    for lane in 0..lanes {
        let part = |arg: &Value<D>| {
            let width = domain.width(&arg.bits) / lanes;
            domain.extract(&arg.bits, lane * width, width)
        };
        let parts: SmallVec<[D::Bits; 3]> = args.iter().map(part).collect();
        let FloatResult { bits, flags } = evaluate(domain, data.opcode, &mode, &parts)?;
        let numbers = if data.opcode == Opcode::G_STRICT_FLDEXP { &parts[..1] } else { &parts[..] };
        broken.push(float::broken_by(domain, data.flags, numbers.iter().chain([&bits]))?);
        raised = domain.or(&raised, &flags);
        whole = Some(whole.map_or(bits.clone(), |low| domain.concat(&bits, &low)));
    }
    let value = Value::of_elements(domain, whole.ok_or_else(|| malformed(data))?, broken);
    walk::write(state, dst, value)?;
    raise(state, environment, &raised);
    Ok(ub)
}

/// A strict operation of arithmetic on numbers without poison, in this rounding mode: the result and its flags.
pub fn evaluate<D: Domain>(
    d: &mut D,
    opcode: Opcode,
    mode: &D::Bits,
    args: &[D::Bits],
) -> Result<FloatResult<D::Bits>, Unsupported> {
    let malformed = || Unsupported::malformed(opcode);
    let format = args.first().and_then(|first| FloatFormat::of_width(d.width(first))).ok_or_else(malformed)?;
    let is_scale = opcode == Opcode::G_STRICT_FLDEXP;
    if !is_scale && args.iter().any(|arg| d.width(arg) != format.bits()) {
        return Err(malformed());
    }
    let rules = &FloatRules { nan: NanRule::Generic, mode: mode.clone() };
    Ok(match (opcode, args) {
        (Opcode::G_STRICT_FADD, [a, b]) => float::add(d, rules, format, a, b),
        (Opcode::G_STRICT_FSUB, [a, b]) => float::sub(d, rules, format, a, b),
        (Opcode::G_STRICT_FMUL, [a, b]) => float::mul(d, rules, format, a, b),
        (Opcode::G_STRICT_FDIV, [a, b]) => float::div(d, rules, format, a, b),
        (Opcode::G_STRICT_FREM, [a, b]) => float::rem(d, rules, format, a, b),
        (Opcode::G_STRICT_FMA, [a, b, c]) => float::fma(d, rules, format, [a, b, c]),
        (Opcode::G_STRICT_FSQRT, [a]) => float::sqrt(d, rules, format, a),
        (Opcode::G_STRICT_FLDEXP, [a, power]) => float::scale(d, rules, format, a, power),
        _ => return Err(Unsupported::new(opcode.to_string())),
    })
}
