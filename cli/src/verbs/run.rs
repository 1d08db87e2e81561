//! `tribunal run FILE @f ARGS`: one function of a file on given arguments.

use crate::help::examples;
use crate::input::{CliError, Source, TargetArguments};
use crate::output::{self, Status, say};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use tribunal_codegen::{Allocator, Options};
use tribunal_emulator::observation::{Known, Observation, Outcome, compare};
use tribunal_emulator::trap_names;
use tribunal_ir::{Function, Opcode, PReg};
use tribunal_trial::program::{GivenArgument, LoadError, LoadedFunction};

/// Run a function of a file on arguments, and print its result registers.
///
/// The interpreter executes it with the functions of the file that it calls, on globals with their initialisers. With
/// `--compiled` the module's bytes run in the emulator too, and both must agree. A run that is undefined, does not end,
/// or calls what the file does not define has no result: its status is 3.
#[derive(Args)]
#[command(after_help = examples(&[
    "tribunal run trial/tests/modules/sums.riscv64.mir @first 3 -4",
    "tribunal run corpus/real/checksums.riscv64.O1.mir @adler32 '[61 62 63]' 3 --compiled",
]))]
pub struct Arguments {
    /// MIR, before the layout of frames.
    file: PathBuf,
    /// The function: `@f`, or `f`.
    function: String,
    /// Contents of the argument registers in order, then of words on the stack: decimal, hexadecimal (`0x2a`), or
    /// negative.
    /// `[00 ff]` is the address of a buffer with these bytes.
    #[arg(allow_negative_numbers = true, value_parser = argument)]
    arguments: Vec<GivenArgument>,
    /// Compile the functions, and run their bytes.
    #[arg(long)]
    compiled: bool,
    /// Instructions at most.
    #[arg(long, value_name = "N", default_value_t = 1 << 24)]
    fuel: u64,
    /// Optimisation level: 0 uses the allocator `fastalloc`, 2 the one of `--regalloc`.
    #[arg(short = 'O', value_name = "LEVEL", value_parser = ["0", "2"])]
    optimisation: Option<String>,
    #[command(flatten)]
    target: TargetArguments,
    /// Print one JSON object as the last line of standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize, Default)]
struct Report {
    /// The end of the run: `returned`, or the reason why there is no result.
    outcome: String,
    /// The result registers.
    result: Vec<ResultRegister>,
    instructions: u64,
    /// The contents of each buffer argument after the run.
    buffers: Vec<String>,
    /// The difference between the bytes and the interpreter, if there is one.
    fault: Option<String>,
}

#[derive(Serialize)]
struct ResultRegister {
    register: &'static str,
    /// In hexadecimal, 0 in bits that the source does not determine.
    value: String,
    /// The bits that the source determines, in hexadecimal.
    known: String,
    /// The value as a signed number of its known low bits; `None` if no low bit is known.
    signed: Option<i128>,
}

/// An argument of the command line.
fn argument(text: &str) -> Result<GivenArgument, String> {
    if let Some(bytes) = text.strip_prefix('[') {
        let bytes = bytes.strip_suffix(']').ok_or("no `]` at the end of the buffer")?;
        let byte = |text: &str| u8::from_str_radix(text, 16).map_err(|_| format!("`{text}` is no byte"));
        return bytes.split_whitespace().map(byte).collect::<Result<_, _>>().map(GivenArgument::Buffer);
    }
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => digits.parse::<i128>(),
    };
    let number = number.ok().filter(|_| !digits.starts_with(['+', '-'])).map(|number| sign * number);
    let fits = number.filter(|number| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(number));
    fits.map(|number| GivenArgument::Number(number as u64)).ok_or_else(|| "not a number of 64 bits".to_string())
}

pub fn run(arguments: &Arguments) -> Result<Status, CliError> {
    let (source, options) = arguments.target.read(&arguments.file)?;
    source.verified()?;
    let name = arguments.function.strip_prefix('@').unwrap_or(&arguments.function);
    if let Some(unread) = source.module.unread.iter().find(|unread| unread.name == name) {
        say!("{}", output::unsupported(&source, unread));
        return Ok(ended(arguments, unread.unknown.to_string()));
    }
    let function = source.module.functions.iter().find(|function| function.name == name);
    let missing = || CliError::Usage(format!("{}: no function @{name}", arguments.file.display()));
    let (status, report) = match report(arguments, (&source, options), function.ok_or_else(missing)?) {
        Ok(done) => done,
        Err(LoadError::Unsupported(feature)) => {
            say!("@{name}: unsupported: {feature}");
            return Ok(ended(arguments, format!("unsupported: {feature}")));
        }
        Err(error) => return Err(CliError::Usage(error.to_string())),
    };
    if arguments.json {
        output::json(&report);
    }
    Ok(status)
}

/// The end of a run that has no result.
fn ended(arguments: &Arguments, outcome: String) -> Status {
    if arguments.json {
        output::json(&Report { outcome, ..Report::default() });
    }
    Status::Unknown
}

fn report(
    arguments: &Arguments,
    (source, options): (&Source, Options),
    function: &Function,
) -> Result<(Status, Report), LoadError> {
    if let Some(property) = function.gave_up() {
        return Err(LoadError::Unsupported(property.to_string()));
    }
    let program = LoadedFunction::new(function, &source.module, source.target)?;
    let input = program.input(&arguments.arguments)?;
    let execution = program.interpreted(&input, arguments.fuel)?;
    let observation = &execution.observation;
    let mut report = Report { instructions: execution.instructions, ..Report::default() };
    if let Some(reason) = no_result(observation) {
        say!("@{}: {reason}", function.name);
        return Ok((Status::Unknown, Report { outcome: reason, ..report }));
    }
    let (mut values, mut buffers) = (values(observation), contents(observation));
    if arguments.compiled {
        let allocator =
            if arguments.optimisation.as_deref() == Some("0") { Allocator::Fastalloc } else { options.allocator };
        let options = Options { allocator, ..options };
        let machine = program.emulated(&input, options, observation, arguments.fuel.saturating_mul(64))?;
        let fault = machine.fault.as_ref().map(ToString::to_string);
        report.fault = fault.or_else(|| {
            compare(observation, machine.results_of(observation, source.target.vocabulary), &machine.buffers)
                .err()
                .map(|error| error.to_string())
        });
        values = machine.results.iter().map(|&(_, value)| value).collect();
        buffers = machine.buffers;
    }
    report.outcome = "returned".to_string();
    for (index, (&(register, bits, known), value)) in observation.returned.iter().zip(values).enumerate() {
        let shown = shown(source, register, bits, known, value);
        // A call in place of a return may return in registers that its callee does not.
        if index == 0 || shown.signed.is_some() || is_returned(source, function, register) {
            report.result.push(shown);
        }
    }
    let given = |argument: &&GivenArgument| matches!(argument, GivenArgument::Buffer(_));
    buffers.truncate(arguments.arguments.iter().filter(given).count());
    report.buffers = buffers.iter().map(|bytes| hexadecimal(bytes)).collect();
    print(function, &report);
    let status = match &report.fault {
        Some(_) => Status::Fault,
        None if report.result.iter().any(|register| register.signed.is_none()) => Status::Unknown,
        None => Status::Well,
    };
    Ok((status, report))
}

/// True if some return of the function names the register.
fn is_returned(source: &Source, function: &Function, register: PReg) -> bool {
    let returns = function.all_insts().map(|inst| function.inst(inst));
    let mut returns = returns.filter(|data| data.opcode == Opcode::Target(source.target.abi.return_opcode));
    returns.any(|data| data.uses().any(|operand| operand.reg.as_physical() == Some(register)))
}

/// The reason why a run has no result.
fn no_result(observation: &Observation) -> Option<String> {
    if let Some(call) = observation.calls.first() {
        return Some(match call.name.as_str() {
            "" => "unsupported: a call of no function of the file".to_string(),
            name if trap_names::is_one(name) => "a trap".to_string(),
            name => format!("unsupported: a call of @{name}, which the file does not define"),
        });
    }
    match observation.outcome {
        Outcome::Returned => None,
        Outcome::Stopped => Some("its last callee does not return".to_string()),
        Outcome::Undefined => Some("undefined behaviour".to_string()),
        Outcome::Unconstrained => Some("a nondeterministic choice decides".to_string()),
        Outcome::OutOfFuel => Some("does not end within the fuel".to_string()),
        Outcome::TooDeep => Some("calls are nested too deep".to_string()),
    }
}

fn values(observation: &Observation) -> Vec<u128> {
    observation.returned.iter().map(|(.., known)| known.value).collect()
}

fn contents(observation: &Observation) -> Vec<Vec<u8>> {
    observation.buffers.iter().map(|buffer| buffer.values.clone()).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

fn shown(source: &Source, register: PReg, bits: u32, known: Known, value: u128) -> ResultRegister {
    let mask = !known.unknown & (u128::MAX >> u128::BITS.saturating_sub(bits));
    let width = mask.trailing_ones();
    let signed = (width > 0).then(|| ((value << (u128::BITS - width)) as i128) >> (u128::BITS - width));
    let register = source.target.vocabulary.register_name(register);
    ResultRegister { register, value: format!("{:#x}", value & mask), known: format!("{mask:#x}"), signed }
}

fn print(function: &Function, report: &Report) {
    for ResultRegister { register, value, known, signed } in &report.result {
        match signed {
            None => say!("${register} is not determined"),
            Some(signed) => say!("${register} = {signed} ({value}; bits that count: {known})"),
        }
    }
    for (number, bytes) in report.buffers.iter().enumerate() {
        say!("buffer {number} = [{bytes}]");
    }
    match &report.fault {
        Some(fault) => say!("@{}: the bytes are wrong: {fault}", function.name),
        None => say!("@{} returned after {} instructions", function.name, report.instructions),
    }
}
