//! The sample: which of all places get a fault, by a seed.
//!
//! A function has places by the hundred where it has constants, and few elsewhere. So an operator is drawn first, then
//! a place of that operator, so that no kind of fault crowds out the others.

use crate::site::{MutationSite, Operator};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// All places in an order that only the seed decides. A sample of any size is its first part, and a fault that does not
/// compile is replaced by the next.
pub fn order(mut sites: Vec<MutationSite>, seed: u64) -> Vec<MutationSite> {
    let mut random = SmallRng::seed_from_u64(seed);
    sites.sort_by(|a, b| {
        (&a.file, a.range.start, a.range.end, &a.shown).cmp(&(&b.file, b.range.start, b.range.end, &b.shown))
    });
    let mut by_operator: Vec<Vec<MutationSite>> = Operator::ALL
        .into_iter()
        .map(|operator| {
            let mut of: Vec<MutationSite> = sites.iter().filter(|site| site.operator == operator).cloned().collect();
            of.shuffle(&mut random);
            of
        })
        .collect();
    let mut order = Vec::with_capacity(sites.len());
    while !by_operator.iter().all(Vec::is_empty) {
        let index = (random.next_u64() % by_operator.len() as u64) as usize;
        order.extend(by_operator[index].pop());
    }
    order
}

/// The seed of a week, counted from 1970: without another, the sample changes every week.
pub fn seed_of_week(seconds_since_1970: u64) -> u64 {
    seconds_since_1970 / (7 * 24 * 60 * 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::Change;

    fn site(operator: Operator, start: usize) -> MutationSite {
        MutationSite {
            file: "a.rs".to_string(),
            line: 1,
            item: "f".to_string(),
            range: start..start + 1,
            operator,
            shown: (String::new(), String::new()),
            change: Change::Drop,
            alike: (1, 1),
        }
    }

    #[test]
    fn a_seed_decides_and_no_operator_crowds_out_another() {
        let sites: Vec<MutationSite> = (0..900)
            .map(|start| site(Operator::Constant, start))
            .chain((0..30).map(|start| site(Operator::Statement, start)))
            .collect();
        let (one, again, other) = (order(sites.clone(), 7), order(sites.clone(), 7), order(sites, 8));
        assert_eq!(one, again);
        assert_ne!(one, other);
        assert_eq!(one.len(), 930);
        let statements = one[..40].iter().filter(|site| site.operator == Operator::Statement).count();
        assert!((10..=30).contains(&statements), "{statements} of 40");
    }
}
