//! The analysis held against others that read bash: bash itself running made-up programs,
//! `bash -n`, and a second parser. A command that they know of and the analysis neither lists
//! nor admits not to see is a hole; the other way round costs a question.

// Grammars have one production a line.
#[rustfmt::skip]
mod constructs;
mod figures;
mod generator;
#[rustfmt::skip]
mod indirect;
mod option_lines;
mod oracle;
mod scripts;
#[rustfmt::skip]
mod words;

mod evaluated;
mod executed;
mod filtered;
mod folders;
mod second_parser;
mod started;
mod stored;
mod syntax;
