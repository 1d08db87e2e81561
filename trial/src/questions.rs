//! The prover's questions to z3 as files for any solver for bit-vectors, and a second solver's answers to them. A proof
//! by z3 then does not rest on z3 alone.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tribunal_verifier::prover::Question;

/// The query sink: the folder of questions, and the solver asked besides z3.
#[derive(Clone, Debug)]
pub struct QuerySink {
    /// The folder of the questions' files; it must exist.
    pub folder: PathBuf,
    /// A program that takes the name of an SMT-LIB 2 file and prints `sat`, `unsat` or `unknown`.
    pub confirm: Option<PathBuf>,
}

/// The tally of the questions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QuestionTally {
    /// Questions that were written.
    pub questions: u64,
    /// Answered alike by the second solver.
    pub confirmed: u64,
    /// Not answered by one of the two.
    pub unconfirmed: u64,
    /// Answered differently: the file and both answers.
    pub disagreements: Vec<String>,
}

impl QuestionTally {
    /// Adds another tally.
    pub fn add(&mut self, other: QuestionTally) {
        self.questions += other.questions;
        self.confirmed += other.confirmed;
        self.unconfirmed += other.unconfirmed;
        self.disagreements.extend(other.disagreements);
    }
}

/// The second solver's time limit for one question.
const PATIENCE: Duration = Duration::from_secs(60);

/// True if `program` can be started at all.
pub fn can_run(program: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

impl QuerySink {
    /// Writes question `number` of `title` (a rule), and asks the second solver.
    pub fn put(&self, number: u64, title: &str, question: &Question) -> io::Result<QuestionTally> {
        let path = self.folder.join(format!("{number}.smt2"));
        std::fs::write(&path, format!("; {title}: unsat if the step is right\n{}", question.script))?;
        let mut tally = QuestionTally { questions: 1, ..QuestionTally::default() };
        let Some(program) = &self.confirm else { return Ok(tally) };
        let second = ask(program, &path, &self.folder.join(format!("{number}.answer")))?;
        match (question.satisfiable, second) {
            (Some(first), Some(second)) if first == second => tally.confirmed = 1,
            (Some(first), Some(second)) => {
                let word = |satisfiable| if satisfiable { "sat" } else { "unsat" };
                let (first, second, program) = (word(first), word(second), program.display());
                tally.disagreements.push(format!("{title}: z3 says {first}, {program} {second}: {}", path.display()));
            }
            _ => tally.unconfirmed = 1,
        }
        Ok(tally)
    }
}

/// The second solver's answer; its output passes through a file, which is removed.
fn ask(program: &Path, question: &Path, output: &Path) -> io::Result<Option<bool>> {
    let mut command = Command::new(program);
    command.arg(question).stdin(Stdio::null()).stdout(File::create(output)?).stderr(Stdio::null());
    finish(&mut command.spawn()?)?;
    let text = std::fs::read_to_string(output).unwrap_or_default();
    std::fs::remove_file(output)?;
    Ok(text.lines().find_map(|line| match line.trim() {
        "sat" => Some(true),
        "unsat" => Some(false),
        _ => None,
    }))
}

/// Waits until the program ends or its time is up.
fn finish(child: &mut Child) -> io::Result<()> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(500);
    while child.try_wait()?.is_none() {
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(());
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A solver whose answer is the suffix of its file's name.
    fn solver(folder: &Path, name: &str, says: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho {says}\n")).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(&path).status().unwrap().success());
        path
    }

    #[test]
    fn answers_are_compared() {
        let folder = tempfile::tempdir().unwrap();
        let question = Question { script: "(check-sat)\n".to_string(), satisfiable: Some(false) };
        let tally = |says: &str| {
            let confirm = Some(solver(folder.path(), &format!("says-{says}"), says));
            let sink = QuerySink { folder: folder.path().to_path_buf(), confirm };
            sink.put(7, "a rule", &question).unwrap()
        };
        assert_eq!(tally("unsat"), QuestionTally { questions: 1, confirmed: 1, ..QuestionTally::default() });
        assert_eq!(tally("unknown"), QuestionTally { questions: 1, unconfirmed: 1, ..QuestionTally::default() });
        let wrong = tally("sat");
        assert_eq!(wrong.disagreements.len(), 1);
        assert!(wrong.disagreements[0].starts_with("a rule: z3 says unsat, "), "{wrong:?}");
        let text = std::fs::read_to_string(folder.path().join("7.smt2")).unwrap();
        assert_eq!(text, "; a rule: unsat if the step is right\n(check-sat)\n");
        assert!(!folder.path().join("7.answer").exists());
    }

    #[test]
    fn a_program_that_is_not_there_cannot_run() {
        assert!(!can_run(Path::new("no-such-solver")));
    }
}
