//! The descriptions, one file for each program or family. Each file is a table and its examples, nothing else.

mod files;
mod git;
mod wrappers;

use super::spec::Program;

/// Every description, by file.
pub static PROGRAMS: &[&[Program]] = &[files::ALL, git::ALL, wrappers::ALL];
