//! The descriptions, one file for each program or family. Each file is a table and its examples, nothing else.

mod files;
mod wrappers;

use super::spec::Program;

/// Every description, by file.
pub static PROGRAMS: &[&[Program]] = &[files::ALL, wrappers::ALL];
