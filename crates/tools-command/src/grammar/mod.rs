//! A parser of the bash language, as far as it takes to find every command that a text would run. It yields simple commands
//! in order, with their words, redirections and where their input comes from; what it cannot read is a [`Problem`], never
//! a guess. It knows nothing of programs: `sudo` is a word like any other here.

mod compound;
mod cursor;
mod heredoc;
mod simple;
mod word;

pub(crate) use cursor::{Parsed, parse};
pub(crate) use simple::{Feed, RedirectKind, Simple};
pub(crate) use word::{Part, Word};

#[cfg(test)]
mod tests;
