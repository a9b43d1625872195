//! The checkers, one file each: what a project of theirs is, what checks it, and what the output
//! says.

mod all;
mod checker;

mod cargo;
mod gcc;
mod go;
mod node;
mod python;
mod ruff;
mod tsc;

#[cfg(test)]
mod tests;

pub(crate) use all::{ALL, BARE, fallback_checker};
pub(crate) use checker::{CheckCommand, Checker, Coverage, Output, RawDiagnostic, Request};
