//! The promise that makes a pair wrong, or keeps it from being proved: a flag of one of its later instructions.

use std::time::{Duration, Instant};
use tribunal_ir::{Function, Inst, InstFlags, text};
use tribunal_target::Target;

/// Flags that are tried however long it takes, so that a busy machine blames the same one where there are few.
const FEW: usize = 4;

/// The flag without which `is_right` says yes, in words; `None` if it says no without any of them too. The
/// search among more than a few ends after `time`, and then names all flags together.
pub(crate) fn guilty(
    function: &Function,
    target: &Target,
    time: Duration,
    mut is_right: impl FnMut(&Function) -> bool,
) -> Option<String> {
    let promises: Vec<(Inst, InstFlags)> = function
        .all_insts()
        .flat_map(|inst| (function.inst(inst).flags & InstFlags::PROMISES).iter().map(move |flag| (inst, flag)))
        .collect();
    let started = Instant::now();
    let mut none = function.clone();
    promises.iter().for_each(|&(inst, flag)| drop_flag(&mut none, inst, flag));
    if promises.is_empty() || !is_right(&none) {
        return None;
    }
    let tried = promises.iter().enumerate().take_while(|&(index, _)| index < FEW || started.elapsed() < time);
    let one = tried.map(|(_, promise)| promise).find(|&&(inst, flag)| {
        let mut without = function.clone();
        drop_flag(&mut without, inst, flag);
        is_right(&without)
    });
    Some(match one {
        Some(&(inst, flag)) => {
            let name: String = flag.iter_names().map(|(name, _)| name.to_lowercase()).collect();
            format!("`{name}` of `{}`", text::print_inst(function, function.inst(inst), target.vocabulary))
        }
        None => "the flags of several instructions".to_string(),
    })
}

fn drop_flag(function: &mut Function, inst: Inst, flag: InstFlags) {
    let mut data = function.inst(inst).clone();
    data.flags.remove(flag);
    function.replace(inst, data);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Among a few flags the one is found whatever the clock says.
    #[test]
    fn a_few_flags_are_tried_without_time() {
        let target = tribunal_target::by_name("riscv64").expect("it is built in");
        let text = "---\nname: f\nbody: |\n  bb.0:\n    liveins: $x10\n\n    %0:_(s64) = COPY $x10\n    \
             %1:_(s64) = nuw G_ADD %0, %0\n    %2:_(s64) = nsw G_ADD %1, %0\n    $x10 = COPY %2(s64)\n    \
             PseudoRET implicit $x10\n...\n";
        let module = text::parse_module(text, target.vocabulary).expect("it is read");
        let function = &module.functions[0];
        let has_nsw = |f: &Function| f.all_insts().any(|inst| f.inst(inst).flags.contains(InstFlags::NSW));
        let found = guilty(function, target, Duration::ZERO, |f| !has_nsw(f));
        assert!(found.is_some_and(|found| found.starts_with("`nsw` of ")));
    }
}
