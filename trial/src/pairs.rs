//! Pairs of stages with a known verdict: files of two functions, `before` and `after`, whose head says whether the
//! second refines the first. `# verdict: proved`, or `# verdict: wrong` for one that must not be `proved`. Of one that
//! is `refuted` an execution shows that it is wrong. A pair that is `right` must not be refuted, and may stay open.

use crate::validate::{self, Kind, Setting};
use tribunal_ir::{Module, text};
use tribunal_target::Target;

/// Whether the verdict on a pair is the known one; the reason if not.
pub fn hold(file: &str) -> Result<(), String> {
    let target = text::architecture(file).and_then(|name| tribunal_target::by_name(&name)).ok_or("no target")?;
    let [before, after] = ["before", "after"].map(|name| alone(file, target, name));
    let judged = validate::validate(&before?, &after?, target, Setting::default());
    let [judged] = judged.as_slice() else { return Err("a case holds one pair".to_string()) };
    let wanted = file.lines().find_map(|line| line.strip_prefix("# verdict: ")).ok_or("no verdict")?;
    match (wanted, &judged.kind) {
        ("proved", Kind::Proved)
        | ("right", Kind::Proved | Kind::Unknown(_))
        | ("refuted", Kind::Refuted(_))
        | ("wrong", Kind::Refuted(_) | Kind::Unknown(_) | Kind::Unsupported(_)) => Ok(()),
        (wanted, came) => Err(format!("{wanted} expected, {came:?}")),
    }
}

/// The function of this name alone, as `f`.
fn alone(file: &str, target: &Target, name: &str) -> Result<Module, String> {
    let mut module = text::parse_module(file, target.vocabulary).map_err(|error| error.to_string())?;
    module.functions.retain(|function| function.name == name);
    let function = module.functions.first_mut().ok_or_else(|| format!("no function `{name}`"))?;
    function.name = "f".to_string();
    Ok(module)
}
