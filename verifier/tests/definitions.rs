//! Every opcode that computes numbers from numbers has a second definition, and both agree.

use tribunal_verifier::definitions::{Extent, check};

#[test]
fn both_definitions_agree() {
    let report = check();
    assert_eq!(report.faults, []);
    assert_eq!(report.scalar, Extent { opcodes: 87, cases: 372_031 });
    assert_eq!(report.vector, Extent { opcodes: 63, cases: 13_668 });
    assert_eq!(report.domains, 2_234);
    assert_eq!(report.parts, Extent { opcodes: 22, cases: 40_625 });
    assert_eq!(report.float, Extent { opcodes: 63, cases: 52_768 });
}
