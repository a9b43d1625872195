//! The checkers, one file each: their projects, commands and output formats.

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
