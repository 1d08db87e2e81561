//! scratch
use std::time::Duration;
use tribunal_ir::text;
use tribunal_verifier::prover::{self, Pair, Undef, Verdict};
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut proved = 0;
    for chunk in args.chunks(2) {
        let one = std::fs::read_to_string(&chunk[0]).unwrap();
        let target = text::architecture(&one).and_then(|n| tribunal_target::by_name(&n)).unwrap();
        let (before, after) = if chunk[0] == chunk[1] {
            let m = text::parse_module(&one, target.vocabulary).unwrap();
            let f = |n: &str| { let mut f = m.functions.iter().find(|f| f.name == n).unwrap().clone(); f.name = "f".into(); f };
            (f("before"), f("after"))
        } else {
            let two = std::fs::read_to_string(&chunk[1]).unwrap();
            let m = |t: &str| text::parse_module(t, target.vocabulary).ok().and_then(|m| m.functions.first().cloned());
            match (m(&one), m(&two)) { (Some(a), Some(b)) => (a, b), _ => { println!("parse {}", chunk[0]); continue } }
        };
        let s = std::time::Instant::now();
        let v = prover::validate(target, Pair { before: &before, after: &after }, Undef::PerUse, Duration::from_secs(10));
        if matches!(v.verdict, Verdict::Proved { .. }) { proved += 1; }
        let t = format!("{}", v.verdict);
        println!("{:5.2} {} {}", s.elapsed().as_secs_f64(), chunk[0].rsplit('/').next().unwrap(), &t[..t.len().min(200)]);
    }
    println!("proved {proved} of {}", args.len() / 2);
}
