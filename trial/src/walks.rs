//! Instances of the catalogue that were walked under other features.
//!
//! Legalization learns of the features by the rules' answers and by the mask of library calls, and by nothing else. So
//! an instance takes the same steps under two sets of features if both answer the queries that it makes alike, and
//! calls alike if it calls. It is walked under the first of them.

use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_codegen::legalize::{OwnedStep, integer_rules};
use tribunal_ir::{Function, Opcode, Operand, RegMask};
use tribunal_target::legality::{Action, LegalityQuery, LegalizeStep, LegalizerInfo};
use tribunal_target::{Features, Target};

/// The obligations of an instance that was proved whole: how many by rule, opcode and engine, and how many of them by
/// proofs that an earlier run kept.
pub struct Proved {
    pub classes: Vec<((&'static str, Opcode, &'static str), u64)>,
    pub kept: u64,
}

/// An instance that was walked.
pub struct Walked {
    instance: usize,
    queries: FxHashSet<LegalityQuery>,
    writes_call: bool,
    proved: Proved,
}

impl Walked {
    /// The instance of this number, which made these queries and took these steps.
    pub fn new(instance: usize, queries: FxHashSet<LegalityQuery>, steps: &[OwnedStep], proved: Proved) -> Walked {
        let is_mask = |operand: &Operand| matches!(operand, Operand::RegisterMask(_));
        let mut written = steps.iter().flat_map(|step| step.after.iter());
        let writes_call = written.any(|data| data.operands.iter().any(is_mask));
        Walked { instance, queries, writes_call, proved }
    }
}

/// All instances that were walked, of one target.
pub struct Walks {
    target: &'static Target,
    /// Every query that was made, by its number.
    numbers: FxHashMap<LegalityQuery, u32>,
    queries: Vec<LegalityQuery>,
    /// The numbers of answers.
    answers: FxHashMap<Answer, u32>,
    /// The sets of features so far; the last is being walked.
    sets: Vec<Rules>,
    /// Those of each instance.
    walks: Vec<Vec<Walk>>,
}

/// The answer of the rules, and that of the rules for integers that only move.
type Answer = [LegalizeStep; 2];

/// One set of features.
struct Rules {
    tables: [&'static LegalizerInfo; 2],
    call_mask: Option<RegMask>,
    /// The number of the answer to each query that was known when it was walked.
    answers: Vec<u32>,
}

/// One instance under one set of features.
struct Walk {
    set: usize,
    queries: Box<[u32]>,
    /// It may have called a library.
    calls: bool,
    proved: Proved,
}

impl Walks {
    pub fn new(target: &'static Target, instances: usize) -> Walks {
        Walks {
            target,
            numbers: FxHashMap::default(),
            queries: Vec::new(),
            answers: FxHashMap::default(),
            sets: Vec::new(),
            walks: std::iter::repeat_with(Vec::new).take(instances).collect(),
        }
    }

    /// Comes to the next set of features.
    pub fn begin(&mut self, features: Features) {
        let rules = (self.target.legality)(features);
        let tables = [rules, integer_rules(self.target, features).unwrap_or(rules)];
        let call_mask = self.target.call_mask(&Function::new("instance"), features);
        self.sets.push(Rules { tables, call_mask, answers: Vec::new() });
        self.answer();
    }

    /// The answers of the last set to the queries that it has none to.
    fn answer(&mut self) {
        let Some(set) = self.sets.last_mut() else { return };
        for query in &self.queries[set.answers.len()..] {
            let next = self.answers.len() as u32;
            let answer = set.tables.map(|table| table.action(query));
            set.answers.push(*self.answers.entry(answer).or_insert(next));
        }
    }

    /// The results of this instance, if it was walked under features that answer it as the last set does.
    pub fn alike(&self, instance: usize) -> Option<&Proved> {
        let now = self.sets.last()?;
        let is_alike = |walk: &&Walk| {
            let then = &self.sets[walk.set];
            (!walk.calls || then.call_mask == now.call_mask)
                && walk.queries.iter().all(|&query| then.answers[query as usize] == now.answers[query as usize])
        };
        self.walks[instance].iter().find(is_alike).map(|walk| &walk.proved)
    }

    /// Keeps what was walked under the last set of features.
    pub fn keep(&mut self, walked: Vec<Walked>) {
        let set = self.sets.len() - 1;
        for Walked { instance, queries, writes_call, proved } in walked {
            let calls = writes_call || queries.iter().any(|query| self.sets[set].calls(query));
            let queries = queries.into_iter().map(|query| self.number(query)).collect();
            self.walks[instance].push(Walk { set, queries, calls, proved });
        }
        self.answer();
    }

    fn number(&mut self, query: LegalityQuery) -> u32 {
        let (next, queries) = (self.queries.len() as u32, &mut self.queries);
        *self.numbers.entry(query).or_insert_with_key(|query| {
            queries.push(query.clone());
            next
        })
    }
}

impl Rules {
    /// True if a rule answers with a library call.
    fn calls(&self, query: &LegalityQuery) -> bool {
        self.tables.iter().any(|table| table.action(query).action == Action::Libcall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_codegen::legalize::{self, CatalogueEntry};
    use tribunal_target::legality::recorded_queries;

    /// One instance in so many.
    const SAMPLE: usize = 61;

    /// Steps as they are compared: rule, instructions before and after.
    fn steps(target: &'static Target, features: Features, entry: &CatalogueEntry) -> (Vec<String>, Walked) {
        let (steps, queries) = recorded_queries(|| entry.steps(target, features));
        let text = steps.iter().map(|step| format!("{} {:?} {:?}", step.rule, step.before, step.after)).collect();
        (text, Walked::new(0, queries, &steps, Proved { classes: Vec::new(), kept: 0 }))
    }

    /// The steps are taken under every set of features, and are the same wherever the walks say so; on each target that
    /// is so for some instances and not for others.
    #[test]
    fn instances_that_are_answered_alike_take_the_same_steps() {
        for &target in tribunal_target::ALL {
            let entries: Vec<_> = legalize::catalogue(target, None).into_iter().step_by(SAMPLE).collect();
            let mut walks = Walks::new(target, entries.len());
            let mut taken: Vec<Vec<Vec<String>>> = vec![Vec::new(); entries.len()];
            let mut counts = [0, 0];
            for features in target.rule_sets() {
                walks.begin(features);
                let mut walked = Vec::new();
                for (instance, entry) in entries.iter().enumerate() {
                    let (now, walk) = steps(target, features, entry);
                    let is_alike = walks.alike(instance).is_some();
                    let was_taken = taken[instance].contains(&now);
                    assert!(was_taken || !is_alike, "{} {}", target.with(features), entry.opcode);
                    counts[usize::from(is_alike)] += 1;
                    if !is_alike {
                        walked.push(Walked { instance, ..walk });
                        taken[instance].push(now);
                    }
                }
                walks.keep(walked);
            }
            assert!(counts.into_iter().all(|count| count > entries.len() / 4), "{}: {counts:?}", target.name);
        }
    }
}
