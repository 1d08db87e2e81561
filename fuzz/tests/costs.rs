//! The ledger of costs holds what the programs cost, and a backend that makes dearer code is found.

use std::collections::BTreeMap;
use std::path::Path;
use tribunal_fuzz::costs::{self, Cost};
use tribunal_target::ALL;

fn measured() -> BTreeMap<String, Cost> {
    ALL.iter().flat_map(|target| costs::measured(target)).collect()
}

/// Cheaper code belongs into the ledger too, or what makes it dear again is not seen.
#[test]
fn the_ledger_holds_what_programs_cost() {
    let measured = measured();
    if std::env::var_os("BLESS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ledger/costs.txt");
        std::fs::write(path, costs::ledger(&measured)).expect("the ledger is written");
        return;
    }
    let known = costs::known();
    let differing = measured.iter().filter(|(name, cost)| known.get(*name) != Some(cost));
    let differing: Vec<String> = differing.map(|(name, cost)| format!("{name} {cost}")).collect();
    assert!(differing.is_empty(), "{} programs cost something else: {}", differing.len(), differing.join("\n"));
    assert_eq!(known.len(), measured.len(), "the ledger holds programs that are gone");
}
