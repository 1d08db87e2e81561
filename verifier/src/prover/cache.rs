//! The proof cache: verdicts by the step's shape, shared by threads, with proofs serialised for a store.
//!
//! The key of a step is a hash of its shape, which is everything that the obligation depends on and never the rule's
//! name. The key of a question, once built, is a hash of its normalised terms, so that no question is put twice either.
//! The hash is BLAKE3 cut to 128 bits: two of a billion steps collide with a probability of 2^-69.
//!
//! The number of proofs is bounded, since a campaign may run for ever. Proofs are never evicted: the steps that come
//! first are the most frequent ones.
//!
//! Stored proofs hold for one prover only: a program with its solver. The header of the bytes names the solver's
//! version and a hash of the program, which stands for the meanings of opcodes, the identities of terms and the
//! engines. Bytes of another prover, or damaged bytes, are refused whole.

use super::query::Query;
use super::shape::Shape;
use super::term::{MemNode, Node, Op, Symbolic, Term};
use super::{Engine, Verdict, evaluate};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, PoisonError, RwLock};

/// A hash of a shape or of a question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Key([u8; 16]);

impl Key {
    fn of(bytes: &[u8]) -> Key {
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        Key(key)
    }

    fn of_words(words: &[u64]) -> Key {
        let mut bytes = vec![0; 8 * words.len()];
        bytes.chunks_exact_mut(8).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        Key::of(&bytes)
    }

    pub fn of_shape(shape: &Shape) -> Key {
        Key::of_words(shape)
    }

    /// The key of a question: questions that differ only in the numbers of variables and terms have equal keys.
    pub fn of_question(query: &Query) -> Key {
        Key::of_words(&Serial::of(&query.graph, query.wrong))
    }
}

/// A verdict, and its source.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    pub verdict: Verdict,
    /// Proved by an earlier run.
    pub kept: bool,
}

/// A step that was proved.
#[derive(Clone, Copy)]
struct Proved {
    question: Key,
    engine: Engine,
    kept: bool,
}

#[derive(Default)]
struct Table {
    proofs: FxHashMap<Key, Proved>,
    questions: FxHashMap<Key, Engine>,
    /// Steps proved here that no store has yet.
    unsaved: Vec<Key>,
    /// Verdicts that are neither proofs nor refutations.
    open: FxHashMap<Key, Verdict>,
}

/// The most proofs that the cache keeps.
const MOST: usize = 1 << 21;

impl Table {
    fn keep(&mut self, step: Key, proved: Proved, most: usize) {
        if self.proofs.len() >= most {
            return;
        }
        self.questions.insert(proved.question, proved.engine);
        if let Entry::Vacant(place) = self.proofs.entry(step) {
            place.insert(proved);
            self.unsaved.extend((!proved.kept).then_some(step));
        }
    }

    /// The proofs of these steps as `program` stores them.
    fn to_bytes(&self, steps: impl Iterator<Item = Key>, program: &str) -> Vec<u8> {
        let mut records: Vec<[u8; RECORD]> = steps.filter_map(|step| record(step, self.proofs.get(&step)?)).collect();
        records.sort_unstable();
        let mut bytes = head(program).into_bytes();
        records.iter().for_each(|record| bytes.extend_from_slice(record));
        let sum = *blake3::hash(&bytes).as_bytes();
        bytes.extend_from_slice(&sum);
        bytes
    }
}

/// Proofs that no store has yet, taken out to be stored.
pub struct Unsaved {
    steps: Vec<Key>,
    /// As [`Cache::add_bytes`] reads them.
    pub bytes: Vec<u8>,
}

/// Verdicts by shape, shared by provers of several threads.
#[derive(Clone, Default)]
pub struct Cache {
    table: Arc<RwLock<Table>>,
}

impl Cache {
    /// The number of proofs that it holds.
    pub fn len(&self) -> usize {
        self.read(|table| table.proofs.len())
    }

    /// True if it holds no proof.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn read<T>(&self, of: impl FnOnce(&Table) -> T) -> T {
        of(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn step(&self, key: Key) -> Option<Lookup> {
        self.read(|table| match table.proofs.get(&key) {
            Some(&Proved { engine, kept, .. }) => Some(Lookup { verdict: Verdict::Proved { engine }, kept }),
            None => table.open.get(&key).map(|verdict| Lookup { verdict: verdict.clone(), kept: false }),
        })
    }

    pub(super) fn question(&self, key: Key) -> Option<Engine> {
        self.read(|table| table.questions.get(&key).copied())
    }

    /// Keeps a verdict. A counterexample names one step's registers, so it is not kept: the next such step finds it
    /// anew.
    pub(super) fn insert(&self, step: Key, question: Option<Key>, verdict: &Verdict) {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        match (verdict, question) {
            (&Verdict::Proved { engine }, Some(question)) => {
                table.keep(step, Proved { question, engine, kept: false }, MOST);
            }
            (Verdict::Unknown(_) | Verdict::Unsupported(_), _) if table.open.len() < MOST => {
                table.open.insert(step, verdict.clone());
            }
            _ => {}
        }
    }

    /// All proofs, as bytes that `program` (a hash of it) reads back.
    pub fn to_bytes(&self, program: &str) -> Vec<u8> {
        self.read(|table| table.to_bytes(table.proofs.keys().copied(), program))
    }

    /// Takes out the proofs that no store has yet; `None` if there is none. Those that could not be stored go
    /// [back](Cache::put_back).
    pub fn take_unsaved(&self, program: &str) -> Option<Unsaved> {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let steps = std::mem::take(&mut table.unsaved);
        let bytes = table.to_bytes(steps.iter().copied(), program);
        (!steps.is_empty()).then_some(Unsaved { steps, bytes })
    }

    /// Proofs that could not be stored are unsaved again.
    pub fn put_back(&self, unsaved: Unsaved) {
        self.table.write().unwrap_or_else(PoisonError::into_inner).unsaved.extend(unsaved.steps);
    }

    /// Adds stored proofs; how many, or `None` if `program` did not write them with this solver, or they are not whole.
    pub fn add_bytes(&self, bytes: &[u8], program: &str) -> Option<usize> {
        let (bytes, sum) = bytes.split_last_chunk::<32>()?;
        let records = bytes.strip_prefix(head(program).as_bytes())?;
        if blake3::hash(bytes) != *sum || !records.len().is_multiple_of(RECORD) {
            return None;
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        for record in records.chunks_exact(RECORD) {
            let (step, rest) = record.split_first_chunk::<16>()?;
            let (question, engine) = rest.split_first_chunk::<16>()?;
            let engine = *ENGINES.get(usize::from(*engine.first()?))?;
            table.keep(Key(*step), Proved { question: Key(*question), engine, kept: true }, MOST);
        }
        Some(records.len() / RECORD)
    }
}

/// A step, its question, its engine.
const RECORD: usize = 16 + 16 + 1;
/// All of them, by number: the last one's says how many there are, so none can be left out.
const ENGINES: [Engine; Engine::Z3 as usize + 1] = [
    Engine::Structural,
    Engine::BitSums,
    Engine::Quotients,
    Engine::Exhaustive,
    Engine::Integers,
    Engine::Cases,
    Engine::Order,
    Engine::DoubleRounding,
    Engine::Z3,
];

fn record(step: Key, proved: &Proved) -> Option<[u8; RECORD]> {
    let mut record = [0; RECORD];
    record[..16].copy_from_slice(&step.0);
    record[16..32].copy_from_slice(&proved.question.0);
    record[32] = ENGINES.iter().position(|&other| other == proved.engine)? as u8;
    Some(record)
}

fn head(program: &str) -> String {
    format!("tribunal proofs\nsolver: {}\nprogram: {program}\n\n", super::solver_version())
}

/// A question as words: each term once, operands by the order in which they were written.
struct Serial<'g> {
    graph: &'g Symbolic,
    numbers: FxHashMap<Term, u64>,
    variables: u64,
    words: Vec<u64>,
}

impl Serial<'_> {
    fn of(graph: &Symbolic, root: Term) -> Vec<u64> {
        let mut serial = Serial { graph, numbers: FxHashMap::default(), variables: 0, words: Vec::new() };
        let mut pending = vec![root];
        while let Some(&top) = pending.last() {
            if serial.numbers.contains_key(&top) {
                pending.pop();
                continue;
            }
            let missing = evaluate::operands(graph, top).into_iter().filter(|term| !serial.numbers.contains_key(term));
            let missing: Vec<Term> = missing.collect();
            if missing.is_empty() {
                serial.write(top);
                pending.pop();
            } else {
                pending.extend(missing);
            }
        }
        serial.words
    }

    fn write(&mut self, term: Term) {
        let number = self.numbers.len() as u64;
        self.numbers.insert(term, number);
        let (tag, detail) = match self.graph.node(term) {
            Node::Const(bits) => {
                self.words.extend(bits.limbs());
                (0, 0)
            }
            Node::Var(_) => {
                self.variables += 1;
                (1, self.variables)
            }
            Node::Binary(op, ..) => (2, operation(op)),
            Node::Not(_) => (3, 0),
            Node::Concat(..) => (4, 0),
            Node::Extract(_, offset) => (5, u64::from(offset)),
            Node::Zext(_) => (6, 0),
            Node::Sext(_) => (7, 0),
            Node::Eq(..) => (8, 0),
            Node::Ult(..) => (9, 0),
            Node::Slt(..) => (10, 0),
            Node::Ite(..) => (11, 0),
            // Building a read expands stores, so none is left below it.
            Node::Select(memory, _) => match self.graph.memories[memory.0 as usize] {
                MemNode::Initial(number, _) => (12, u64::from(number)),
                MemNode::Store(..) => (13, u64::from(memory.0)),
            },
            Node::Rounded(application) => (14, self.graph.application(application).0.number()),
        };
        self.words.push(tag | u64::from(self.graph.width_of(term)) << 8 | detail << 24);
        let operands = evaluate::operands(self.graph, term);
        self.words.extend(operands.iter().map(|operand| self.numbers[operand]));
    }
}

fn operation(op: Op) -> u64 {
    use Op::*;
    [Add, Sub, Mul, Udiv, Urem, Sdiv, Srem, And, Or, Xor, Shl, Lshr, Ashr]
        .iter()
        .position(|&other| other == op)
        .unwrap_or(99) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_ir::semantics::Domain;

    fn proved(engine: Engine) -> Verdict {
        Verdict::Proved { engine }
    }

    fn filled() -> Cache {
        let cache = Cache::default();
        let key = |word| Key::of_words(&[word]);
        cache.insert(key(1), Some(key(10)), &proved(Engine::Z3));
        cache.insert(key(2), Some(key(20)), &proved(Engine::BitSums));
        cache.insert(key(3), Some(key(30)), &Verdict::Unknown("no reason given".to_string()));
        cache
    }

    #[test]
    fn only_proofs_are_kept() {
        let bytes = filled().to_bytes("this");
        let again = Cache::default();
        assert_eq!(again.add_bytes(&bytes, "this"), Some(2));
        let known = again.step(Key::of_words(&[2])).unwrap();
        assert!(known.kept && known.verdict == proved(Engine::BitSums), "{known:?}");
        assert_eq!(again.question(Key::of_words(&[10])), Some(Engine::Z3));
        assert!(again.step(Key::of_words(&[3])).is_none());
        assert_eq!(again.to_bytes("this"), bytes);
    }

    #[test]
    fn a_proof_is_stored_once() {
        let cache = filled();
        let unsaved = cache.take_unsaved("this").unwrap();
        assert!(cache.take_unsaved("this").is_none());
        cache.put_back(unsaved);
        let again = Cache::default();
        assert_eq!(again.add_bytes(&cache.take_unsaved("this").unwrap().bytes, "this"), Some(2));
        assert!(again.take_unsaved("this").is_none(), "stored proofs are no news");
    }

    #[test]
    fn proofs_beyond_the_bound_are_not_kept() {
        let mut table = Table::default();
        let key = |word| Key::of_words(&[word]);
        let proved = |word| Proved { question: key(word), engine: Engine::Z3, kept: false };
        (0..5).for_each(|word| table.keep(key(word), proved(word + 10), 3));
        assert_eq!((table.proofs.len(), table.questions.len()), (3, 3));
        assert!(table.proofs.contains_key(&key(2)) && !table.proofs.contains_key(&key(3)));
    }

    #[test]
    fn what_is_foreign_or_damaged_is_no_cache() {
        let bytes = filled().to_bytes("this");
        let none = |bytes: &[u8], program| {
            let cache = Cache::default();
            assert_eq!((cache.add_bytes(bytes, program), cache.len()), (None, 0));
        };
        none(&bytes, "another");
        none(b"", "this");
        none(&bytes[..bytes.len() - 1], "this");
        for index in [3, bytes.len() / 2, bytes.len() - 40, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1;
            none(&damaged, "this");
        }
    }

    #[test]
    fn questions_are_equal_but_for_numbers() {
        let question = |unused: u32, swap: bool, constant: u128| {
            let mut graph = Symbolic::default();
            (0..unused).for_each(|_| {
                graph.variable(8);
            });
            let (a, b) = (graph.variable(8), graph.variable(8));
            let constant = graph.value(tribunal_ir::bits::Bits::new(constant, 8));
            let (low, high) = if swap { (b, a) } else { (a, b) };
            let product = graph.mul(&low, &constant);
            let less = graph.ult(&product, &high);
            let slack = graph.ult(&a, &constant);
            let both = graph.bool_and(&less, &slack);
            Key::of_words(&Serial::of(&graph, both))
        };
        assert_eq!(question(0, false, 5), question(3, false, 5));
        assert_ne!(question(0, false, 5), question(0, false, 6));
        assert_ne!(question(0, false, 5), question(0, true, 5));
    }
}
