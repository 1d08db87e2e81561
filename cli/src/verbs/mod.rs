//! One file a verb.

pub mod cache;
pub mod compile;
pub mod completions;
pub mod doctor;
pub mod explain;
pub mod fuzz;
mod liars;
pub mod man;
mod peer;
pub mod prove;
pub mod raise;
pub mod reduce;
pub mod replay;
pub mod run;
pub mod sabotage;
pub mod trial;
pub mod validate;
pub mod verify;
