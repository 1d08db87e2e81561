//! Every opcode that computes numbers from numbers has a second definition, and both agree.

use tribunal_verifier::definitions::{Compared, check};

#[test]
fn both_definitions_agree_on_all_small_operands() {
    let report = check();
    assert_eq!(report.faults, []);
    assert_eq!(report.scalar, Compared { opcodes: 80, cases: 164_888 });
    assert_eq!(report.vector, Compared { opcodes: 63, cases: 13_668 });
}
