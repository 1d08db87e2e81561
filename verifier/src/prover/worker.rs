//! z3 itself: the answer to one script, in whatever process; and the process that answers them on a pipe.
//!
//! The protocol is text. A request is a line of parameters, then the script, whose length the line says. A reply is a
//! line too, and for a model a line for each value.

use super::reader::Read;
use super::solver::{Logic, Spent};
use cpu_time::ProcessTime;
use nix::sys::resource::{Resource, setrlimit};
use rustc_hash::FxHashMap;
use std::io::{self, BufRead, Write};
use std::time::Duration;
use z3::{Config, Model, Params, SatResult, Solver, StatisticsValue};

/// A question, and how to go about it.
pub(super) struct Request<'s> {
    pub logic: Logic,
    /// The usual way ended the solver: take another.
    pub again: bool,
    /// In z3's own unit.
    pub work: u32,
    pub milliseconds: u32,
    /// Declarations and assertions.
    pub script: &'s str,
}

/// The solver's word on a question.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Said {
    Unsatisfiable,
    /// Values by name, as the solver prints them.
    Satisfiable(FxHashMap<String, String>),
    Unknown(String),
}

/// The answer, and its price.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Reply {
    pub said: Said,
    pub spent: Spent,
}

impl Reply {
    /// No answer, and nothing known of its price.
    pub fn unknown(reason: String) -> Reply {
        Reply { said: Said::Unknown(reason), spent: Spent::default() }
    }
}

/// Bytes of address space of a process that answers, its stack included.
const MEMORY: u64 = 5 << 30;
/// Bytes of its stack: the solver walks deep terms by recursion in places.
const STACK: usize = 1 << 30;

/// Answers the requests on standard input until it ends: the main function of a process that a prover starts, after
/// [`super::isolate_solver`].
pub fn serve_solver() {
    // Without the limit the process is as good as it was before there was one.
    let _ = setrlimit(Resource::RLIMIT_AS, MEMORY, MEMORY);
    let serve = || serve(&mut io::stdin().lock(), &mut io::stdout().lock());
    // An error here means that nobody listens any more.
    let _ = std::thread::Builder::new().stack_size(STACK).spawn(serve).map(std::thread::JoinHandle::join);
}

fn serve(input: &mut impl BufRead, output: &mut impl Write) -> io::Result<()> {
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let (mut request, length) = Request::read(&line).ok_or(io::ErrorKind::InvalidData)?;
        let mut script = vec![0; length];
        input.read_exact(&mut script)?;
        let script = String::from_utf8(script).map_err(|_| io::ErrorKind::InvalidData)?;
        request.script = &script;
        let started = ProcessTime::now();
        let mut reply = answer(&request);
        reply.spent.time = started.elapsed();
        output.write_all(reply.text().as_bytes())?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

impl Request<'_> {
    /// Its line and the script.
    pub fn text(&self) -> String {
        let Request { logic, again, work, milliseconds, script } = self;
        let (simplex, seed) = match logic {
            Logic::BitVectors => (0, 0),
            Logic::Integers { simplex, seed } => (*simplex, *seed),
        };
        format!("{simplex} {seed} {} {work} {milliseconds} {}\n{script}", u8::from(*again), script.len())
    }

    /// The request of a line, without its script, and the script's length.
    fn read(line: &str) -> Option<(Request<'static>, usize)> {
        let numbers: Vec<u32> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        let &[simplex, seed, again, work, milliseconds, length] = numbers.as_slice() else { return None };
        let logic = if simplex == 0 { Logic::BitVectors } else { Logic::Integers { simplex, seed } };
        Some((Request { logic, again: again != 0, work, milliseconds, script: "" }, length as usize))
    }

    /// The solver that takes it.
    fn solver(&self) -> Solver {
        let solver = match (self.logic, self.again) {
            // Its tactic for bit-vectors alone starts many times faster than the general one.
            (Logic::BitVectors, false) => Solver::new_for_logic("QF_BV").unwrap_or_default(),
            (Logic::BitVectors, true) | (Logic::Integers { .. }, _) => Solver::new(),
        };
        solver.set_params(&self.params());
        solver
    }

    /// Ctrl-C belongs to the program: z3 would take it as a reason to give up a question, and with several threads
    /// would keep the handler for good.
    fn params(&self) -> Params {
        let mut params = Params::new();
        params.set_u32("rlimit", self.work);
        params.set_u32("timeout", self.milliseconds);
        params.set_bool("ctrl_c", false);
        if let Logic::Integers { simplex, seed } = self.logic {
            params.set_u32("random_seed", seed);
            params.set_u32("arith.solver", if self.again { OTHER_SIMPLEX - simplex } else { simplex });
        }
        params
    }
}

/// z3's older simplex solver: on products of limbs it is much faster than the newer one, and steady. On quotients by
/// constants z3 4.8.12 was seen to crash in it: they go to the newer one first.
pub(super) const OLDER: u32 = 2;
pub(super) const NEWER: u32 = 6;
const OTHER_SIMPLEX: u32 = OLDER + NEWER;

impl Reply {
    fn text(&self) -> String {
        let Spent { work, time } = self.spent;
        let (word, lines) = match &self.said {
            Said::Unsatisfiable => ("unsat", Vec::new()),
            Said::Satisfiable(model) => {
                ("sat", model.iter().map(|(name, value)| format!("{name} {value}\n")).collect())
            }
            Said::Unknown(reason) => ("unknown", vec![format!("{}\n", reason.replace('\n', " "))]),
        };
        format!("{word} {work} {} {}\n{}", time.as_micros(), lines.len(), lines.concat())
    }

    /// Reads what [`Reply::text`] wrote.
    pub fn read(input: &mut impl BufRead) -> io::Result<Reply> {
        let malformed = || io::Error::from(io::ErrorKind::InvalidData);
        let mut lines = input.lines();
        let mut next = || lines.next().unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()));
        let head = next()?;
        let (word, numbers) = head.split_once(' ').ok_or_else(malformed)?;
        let numbers: Vec<u64> =
            numbers.split(' ').map(str::parse).collect::<Result<_, _>>().map_err(|_| malformed())?;
        let &[work, micros, count] = numbers.as_slice() else { return Err(malformed()) };
        let said = match word {
            "unsat" => Said::Unsatisfiable,
            "unknown" => Said::Unknown(next()?),
            "sat" => {
                let pair =
                    |line: String| line.split_once(' ').map(|(name, value)| (name.to_string(), value.to_string()));
                Said::Satisfiable((0..count).map(|_| pair(next()?).ok_or_else(malformed)).collect::<io::Result<_>>()?)
            }
            _ => return Err(malformed()),
        };
        Ok(Reply { said, spent: Spent { work, time: Duration::from_micros(micros) } })
    }
}

/// z3's answer, in this process. Each question has a context of its own: z3 orders terms by numbers that a context
/// gives them, so the work for a question would depend on those before it.
pub(super) fn answer(request: &Request<'_>) -> Reply {
    z3::with_z3_config(&Config::new(), || answer_alone(request))
}

fn answer_alone(request: &Request<'_>) -> Reply {
    let solver = request.solver();
    let Some(read) = Read::script(request.script) else {
        return Reply::unknown("a script that is not understood".to_string());
    };
    read.assertions.iter().for_each(|assertion| solver.assert(assertion));
    let said = match solver.check() {
        SatResult::Unsat => Said::Unsatisfiable,
        SatResult::Unknown => {
            Said::Unknown(solver.get_reason_unknown().unwrap_or_else(|| "no reason given".to_string()))
        }
        SatResult::Sat => match solver.get_model() {
            Some(model) => Said::Satisfiable(values(&read, &model)),
            None => Said::Unknown("satisfiable without a model".to_string()),
        },
    };
    Reply { said, spent: Spent { work: work(&solver), time: Duration::ZERO } }
}

/// The work that z3 has done in the solver's context.
fn work(solver: &Solver) -> u64 {
    match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(count)) => count.into(),
        _ => 0,
    }
}

fn values(read: &Read<'_>, model: &Model) -> FxHashMap<String, String> {
    let value = |name: &&str| Some((name.to_string(), model.eval(read.bits(name)?, true)?.to_string()));
    read.free.iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(script: &str) -> Request<'_> {
        Request {
            logic: Logic::Integers { simplex: NEWER, seed: 3 },
            again: true,
            work: 100_000,
            milliseconds: 9_000,
            script,
        }
    }

    #[test]
    fn requests_and_replies_are_read_as_they_are_written() {
        let text = request("(assert (= #b1 #b0))\n").text();
        let (line, script) = text.split_once('\n').unwrap_or_default();
        let read =
            Request::read(line).map(|(read, length)| (read.logic, read.again, read.work, read.milliseconds, length));
        assert_eq!(read, Some((Logic::Integers { simplex: NEWER, seed: 3 }, true, 100_000, 9_000, script.len())));
        let spent = Spent { work: 7, time: Duration::from_micros(12) };
        let model =
            FxHashMap::from_iter([("v0", "#x0f"), ("m3", "#b1")].map(|(name, value)| (name.into(), value.into())));
        for said in [Said::Unsatisfiable, Said::Satisfiable(model), Said::Unknown("timeout".to_string())] {
            let reply = Reply { said, spent };
            assert_eq!(Reply::read(&mut reply.text().as_bytes()).ok(), Some(reply));
        }
    }

    /// A verdict near the limit of work is the same wherever the question stands.
    #[test]
    fn the_work_for_a_question_does_not_depend_on_those_before() {
        // Two factors of seven bits whose product is a prime of thirteen.
        let factors = "(declare-fun x () (_ BitVec 7))\n(declare-fun y () (_ BitVec 7))\n(define-fun p () (_ BitVec 14) \
             (bvmul ((_ zero_extend 7) x) ((_ zero_extend 7) y)))\n";
        let hard = format!("{factors}(assert (= p #b01111111111111))\n");
        let other = format!("{factors}(assert (bvult p #b00000001111111))\n(assert (bvult x y))\n");
        let ask = |script: &str| {
            answer(&Request { logic: Logic::BitVectors, again: false, work: 400_000, ..request(script) })
        };
        let first = ask(&hard);
        ask(&other);
        assert_eq!(ask(&hard), first);
        assert_eq!(first.said, Said::Unsatisfiable);
    }

    #[test]
    fn several_questions_are_served_in_turn() {
        let unequal = "(declare-fun x () Int)\n(define-fun y () Int (+ x 1))\n(assert (= x y))\n";
        let equal = "(declare-fun x () (_ BitVec 70))\n(assert (= x #b11))\n";
        let bits = format!("(declare-fun x () (_ BitVec 68))\n(assert (= (bvnot x) #x{}))\n", "f".repeat(17));
        let input: String = [unequal, &bits, equal].map(|script| request(script).text()).concat();
        let mut output = Vec::new();
        serve(&mut input.as_bytes(), &mut output).unwrap_or_default();
        let mut output = output.as_slice();
        let mut said = || Reply::read(&mut output).map(|reply| reply.said).ok();
        assert_eq!(said(), Some(Said::Unsatisfiable));
        let zero = FxHashMap::from_iter([("x".to_string(), format!("#x{}", "0".repeat(17)))]);
        assert_eq!(said(), Some(Said::Satisfiable(zero)));
        assert_eq!(said(), Some(Said::Unknown("a script that is not understood".to_string())));
    }
}
