//! The legality rules.

use crate::Features;
use crate::legality::LegalizerInfo;

pub fn rules(_features: Features) -> LegalizerInfo {
    LegalizerInfo {}
}
