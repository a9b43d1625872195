//! Compares the analysis with other readers of bash: with bash itself running generated programs,
//! with `bash -n`, and with a second parser. A command that they find but that the analysis neither
//! lists nor calls opaque is a hole; the reverse only costs a question.

// Grammars have one production per line.
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
