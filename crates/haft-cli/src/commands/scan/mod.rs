//! `haft scan`: finds credentials in files or in standard input, of any size and encoding.

mod run;

mod encoding;
mod report;

pub(crate) use run::run;
