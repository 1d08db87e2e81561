//! Optional parts of an instruction set, one bit each; every target has its own.
//!
//! Invariant: the bits of one target mean nothing to another; names and uses are rows of [`Target::options`].

use crate::Target;
use bitflags::bitflags;
use std::borrow::Cow;
use tribunal_ir::{Function, Strictness};

bitflags! {
    /// Parts of one target's instruction set: options, and properties that no option changes.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Features: u32 {
        // Each target names its own.
        const _ = !0;
    }
}

impl Features {
    /// The feature of bit `number`.
    pub const fn bit(number: u32) -> Features {
        Features::from_bits_retain(1 << number)
    }
}

/// The legality rules that an option changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleChange {
    /// None.
    No,
    /// Rules of operations that other options change too: every choice of these options has rules of its own.
    Crossed,
    /// Rules of operations that no other option changes: one set of features with it stands for all.
    Apart,
}

/// One option.
pub struct FeatureDesc {
    /// Its name after `--features +`, as LLVM spells it.
    pub name: &'static str,
    /// The flag.
    pub feature: Features,
    /// Whether it changes the legality rules.
    pub rules: RuleChange,
    /// Options without which it makes no sense: it turns them on, and goes off with them.
    pub implies: Features,
    /// Options with which it has other rules again.
    pub beside: Features,
}

impl Target {
    /// Every option.
    pub fn all_options(&self) -> Features {
        self.options.iter().fold(Features::empty(), |all, option| all | option.feature)
    }

    /// The properties of the target that no option changes.
    pub fn base(&self) -> Features {
        self.default_features - self.all_options()
    }

    /// The options among `features`: `+m,+zbb`.
    pub fn option_names(&self, features: Features) -> String {
        self.named(features).map(|name| format!("+{name}")).collect::<Vec<_>>().join(",")
    }

    fn named(&self, features: Features) -> impl Iterator<Item = &'static str> {
        self.options.iter().filter(move |option| features.contains(option.feature)).map(|option| option.name)
    }

    /// The features of a text that names all its options (`+m,+zbb`). The error is the unknown name.
    pub fn features<'t>(&self, options: &'t str) -> Result<Features, &'t str> {
        self.changed(self.base(), options)
    }

    /// `features` with changes, split by commas: `+` (or nothing) before a name turns it on, `-` turns it off. The
    /// error is a name that is no option of this target.
    pub fn changed<'t>(&self, mut features: Features, changes: &'t str) -> Result<Features, &'t str> {
        for change in changes.split(',').map(str::trim).filter(|change| !change.is_empty()) {
            let (on, name) = match change.strip_prefix('-') {
                Some(name) => (false, name),
                None => (true, change.strip_prefix('+').unwrap_or(change)),
            };
            let option = self.options.iter().find(|option| option.name == name).ok_or(name)?;
            features = self.set(features, option, on);
        }
        Ok(features)
    }

    /// The features that all functions have by their attributes (`"target-features"="+64bit,+m,-a"`). A function
    /// without the attribute has the usual ones; `None` if no function has it. Unknown names change nothing.
    pub fn features_in_common(&self, functions: &[Function]) -> Option<Features> {
        // The last word about a feature counts.
        let own = |names: &str| {
            names.split(',').fold(self.base(), |features, name| self.changed(features, name).unwrap_or(features))
        };
        let named: Vec<Option<&str>> = functions.iter().map(|function| function.attribute("target-features")).collect();
        let each = named.iter().map(|names| names.map_or(self.default_features, own));
        let common = each.reduce(|all, own| all & own);
        common.filter(|_| named.iter().any(Option::is_some))
    }

    /// `features` with an option on or off, and what it implies.
    fn set(&self, features: Features, option: &FeatureDesc, on: bool) -> Features {
        match on {
            true => features | option.feature | option.implies,
            false => {
                let rest = self.options.iter().filter(|other| other.implies.contains(option.feature));
                let lost = rest.fold(option.feature, |lost, other| lost | other.feature);
                features - lost
            }
        }
    }

    /// `features` with an option turned on or off, and what it implies.
    pub fn toggled(&self, features: Features, option: &FeatureDesc) -> Features {
        self.set(features, option, !features.contains(option.feature))
    }

    /// Feature sets with rules of their own, the default one first: every choice of options whose rules cross, then one
    /// for each other option that changes rules, and one with the options beside which it has others.
    pub fn rule_sets(&self) -> Vec<Features> {
        let of = |rules: RuleChange| self.options.iter().filter(move |option| option.rules == rules);
        let crossed = of(RuleChange::Crossed).fold(vec![self.default_features], |sets, option| {
            let toggled = sets.iter().map(|&set| self.toggled(set, option));
            sets.iter().copied().chain(toggled).collect()
        });
        let apart = of(RuleChange::Apart).flat_map(|option| {
            let alone = self.set(self.default_features, option, true);
            let beside = (!option.beside.is_empty()).then_some(alone | option.beside);
            std::iter::once(alone).chain(beside)
        });
        crossed.into_iter().chain(apart).collect()
    }

    /// The options that change no rule.
    pub fn options_beside_rules(&self) -> impl Iterator<Item = &'static FeatureDesc> {
        self.options.iter().filter(|option| option.rules == RuleChange::No)
    }

    /// The features of the options that change no rule.
    pub fn features_beside_rules(&self) -> Features {
        self.options_beside_rules().fold(Features::empty(), |all, option| all | option.feature)
    }

    /// True if a machine with these features has registers of floating point.
    pub fn has_float_registers(&self, features: Features) -> bool {
        self.banks.iter().skip(1).any(|bank| features.contains(bank.requires))
    }

    /// Tells a function whether the machine that it runs on has an environment of floating point: it stands beside the
    /// registers of floating point.
    pub fn settle_environment(&self, function: &mut Function, features: Features) {
        function.strictness = self.strictness(function, features);
    }

    /// The function that the machine has told so.
    pub fn settled<'f>(&self, function: &'f Function, features: Features) -> Cow<'f, Function> {
        let strictness = self.strictness(function, features);
        if strictness == function.strictness {
            return Cow::Borrowed(function);
        }
        let mut settled = function.clone();
        settled.strictness = strictness;
        Cow::Owned(settled)
    }

    fn strictness(&self, function: &Function, features: Features) -> Strictness {
        if function.strictness == Strictness::Default {
            return Strictness::Default;
        }
        // Whatever somebody says of the machine, it has the registers that its code names.
        let features = features | self.features_of_registers(function);
        match self.abi.float_environment.is_some() && self.has_float_registers(features) {
            true => Strictness::Strict,
            false => Strictness::NoEnvironment,
        }
    }

    /// The target's name, with the features that differ from its default: `riscv64`, `riscv64-m+zbb`.
    pub fn with(&self, features: Features) -> String {
        let names =
            |set: Features, sign: &'static str| self.named(set).map(|name| format!("{sign}{name}")).collect::<String>();
        let (missing, more) = (self.default_features - features, features - self.default_features);
        format!("{}{}{}", self.name, names(missing, "-"), names(more, "+"))
    }
}
