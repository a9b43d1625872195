//! `haft scan`: credentials in files or in standard input, of any size and any encoding.

mod run;

mod encoding;
mod report;

pub(crate) use run::run;
