//! The table: what was killed, by layer and by operator, and what survived, by place.

use crate::judge::{Fate, MutantKill, Verb};
use crate::layer;
use crate::site::{MutationSite, Operator};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One fault and its fate.
#[derive(Clone, Debug)]
pub struct JudgedMutant {
    /// Its number in the binary.
    pub number: u32,
    /// The fault.
    pub site: MutationSite,
    /// What became of it.
    pub fate: Fate,
    /// The argument why nobody can see it, if the list has one.
    pub equivalent: Option<String>,
}

/// Instructions of a reproducer that is small enough.
const SMALL: usize = 6;

/// The counts of a row.
#[derive(Default, Clone, Debug, Serialize)]
pub struct Row {
    faults: usize,
    equivalent: usize,
    killed: usize,
    by_verb: BTreeMap<&'static str, usize>,
    by_judge: BTreeMap<String, usize>,
    /// Kills of faults that belong to one pass, and those of them for which blame names that pass.
    blamable: usize,
    blamed: usize,
    /// Kills with a reproducer, and those of them with one that is small.
    reproduced: usize,
    small: usize,
    #[serde(skip)]
    seconds: Vec<f64>,
}

impl Row {
    fn add(&mut self, judged: &JudgedMutant) {
        self.faults += 1;
        match &judged.fate {
            Fate::Killed(kill) => self.kill(kill),
            Fate::Alive(_) => self.equivalent += usize::from(judged.equivalent.is_some()),
        }
    }

    fn kill(&mut self, kill: &MutantKill) {
        self.killed += 1;
        *self.by_verb.entry(kill.verb.name()).or_default() += 1;
        *self.by_judge.entry(kill.judge.clone()).or_default() += 1;
        self.blamable += usize::from(kill.is_blamed.is_some());
        self.blamed += usize::from(kill.is_blamed == Some(true));
        self.reproduced += usize::from(kill.instructions.is_some());
        self.small += usize::from(kill.instructions.is_some_and(|count| count <= SMALL));
        self.seconds.push(kill.seconds);
    }

    fn median(&self) -> f64 {
        let mut seconds = self.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied().unwrap_or_default()
    }

    fn line(&self, name: &str) -> String {
        let verbs = Verb::ALL.map(|verb| self.by_verb.get(verb.name()).copied().unwrap_or_default());
        let seen = self.faults - self.equivalent;
        let share = if seen == 0 { 100.0 } else { 100.0 * self.killed as f64 / seen as f64 };
        format!(
            "{name:<30}{:>7}{:>7}{:>7}{share:>7.1}%{:>6}{:>6}{:>6}{:>8.1}{:>6}/{:<4}{:>6}/{:<4}",
            self.faults,
            self.equivalent,
            self.killed,
            verbs[0],
            verbs[1],
            verbs[2],
            self.median(),
            self.blamed,
            self.blamable,
            self.small,
            self.reproduced,
        )
    }
}

/// The outcome of a run.
#[derive(Serialize)]
pub struct Report {
    /// Decides the sample.
    pub seed: u64,
    /// Faults drawn that did not compile.
    pub refused: usize,
    /// Places where an operator applies.
    pub places: usize,
    /// Ended by the user: the counts are of the part that was done.
    pub interrupted: bool,
    /// All faults.
    pub all: Row,
    /// By layer.
    pub layers: BTreeMap<&'static str, Row>,
    /// By operator.
    pub operators: BTreeMap<&'static str, Row>,
    /// Faults that no judge saw and the list of equivalents does not name.
    pub alive: Vec<String>,
    /// Kills for which blame names another pass.
    pub misblamed: Vec<String>,
}

impl Report {
    /// Counts.
    pub fn new(judged: &[JudgedMutant]) -> Report {
        let mut report = Report {
            seed: 0,
            refused: 0,
            places: 0,
            interrupted: false,
            all: Row::default(),
            layers: BTreeMap::new(),
            operators: BTreeMap::new(),
            alive: Vec::new(),
            misblamed: Vec::new(),
        };
        for one in judged {
            let (layer, _) = layer::of(&one.site.file);
            report.all.add(one);
            report.layers.entry(layer).or_default().add(one);
            report.operators.entry(one.site.operator.name()).or_default().add(one);
            match &one.fate {
                Fate::Alive(survival) if one.equivalent.is_none() => {
                    report.alive.push(format!("{} {}{survival}\n    {}", one.number, one.site, one.site.key()));
                }
                Fate::Killed(kill) if kill.is_blamed == Some(false) => {
                    let line = format!("{} {}: {} {}: {}", one.number, one.site, kill.judge, kill.kind, kill.guilty);
                    report.misblamed.push(line);
                }
                Fate::Killed(_) | Fate::Alive(_) => {}
            }
        }
        report
    }

    /// For the reader.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{:<30}{:>7}{:>7}{:>7}{:>8}{:>6}{:>6}{:>6}{:>8}{:>11}{:>11}\n",
            "", "faults", "equal", "killed", "", "fuzz", "trial", "prove", "median s", "blamed", "small"
        );
        let parts = [self.layers.iter().collect::<Vec<_>>(), in_order(&self.operators)];
        for rows in parts {
            for (name, row) in rows {
                let _ = writeln!(text, "{}", row.line(name));
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.all.line("all"));
        let _ =
            writeln!(text, "seed {}; {} places; {} drawn that do not compile", self.seed, self.places, self.refused);
        for (title, lines) in [("alive", &self.alive), ("blamed on another pass", &self.misblamed)] {
            let _ = writeln!(text, "\n{title}: {}", lines.len());
            lines.iter().for_each(|line| _ = writeln!(text, "  {line}"));
        }
        text
    }
}

fn in_order<'r>(rows: &'r BTreeMap<&'static str, Row>) -> Vec<(&'r &'static str, &'r Row)> {
    Operator::ALL.iter().filter_map(|operator| rows.get_key_value(operator.name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Survival;
    use crate::site::Change;

    fn judged(fate: Fate, equivalent: Option<&str>) -> JudgedMutant {
        let site = MutationSite {
            file: "backend/codegen/src/frame/layout.rs".to_string(),
            line: 7,
            item: "f".to_string(),
            range: 0..1,
            operator: Operator::Statement,
            shown: ("g();".to_string(), "(nothing)".to_string()),
            change: Change::Drop,
            alike: (1, 1),
        };
        JudgedMutant { number: 1, site, fate, equivalent: equivalent.map(str::to_string) }
    }

    #[test]
    fn what_lives_is_named_unless_it_is_argued_and_nothing_else_counts_as_killed() {
        let kill = MutantKill {
            verb: Verb::Fuzz,
            judge: "emulator".to_string(),
            kind: "wrong-result".to_string(),
            guilty: "select".to_string(),
            seconds: 1.0,
            programs: 3,
            instructions: Some(4),
            is_blamed: Some(false),
        };
        let all = [
            judged(Fate::Killed(kill), None),
            judged(Fate::Alive(Survival { open: vec![Verb::Prove], unreached: vec![Verb::Fuzz] }), None),
            judged(Fate::Alive(Survival::default()), Some("It is dead.")),
        ];
        let report = Report::new(&all);
        assert_eq!((report.all.faults, report.all.killed, report.all.equivalent, report.all.blamed), (3, 1, 1, 0));
        assert_eq!((report.alive.len(), report.misblamed.len()), (1, 1));
        assert!(
            report.alive[0].contains("layout.rs:7")
                && report.alive[0].contains("(open: prove) (never reached by fuzz)"),
            "{}",
            report.alive[0]
        );
        assert!(report.text().contains("50.0%"), "{}", report.text());
    }
}
