//! Automata that are made when a program is built and read as tables when it runs: the program
//! starts without compiling a pattern.
//!
//! A build script makes them with the feature `build`. The program includes the code that the
//! script wrote, which holds [`Table`]s.

mod ascii;
mod table;

#[cfg(feature = "build")]
mod build;

pub use ascii::ascii;
pub use table::Table;

#[cfg(feature = "build")]
pub use build::{Automaton, Code, joined};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
