//! A parser for the bash language, to the extent that is needed to find every command that a text
//! would run. It yields simple commands in order, with their words, redirections and the source of
//! their input. What it cannot read is a [`Problem`], never a guess. It knows no programs: `sudo`
//! is a word like any other here.

mod braces;
mod compound;
mod cursor;
mod heredoc;
mod parameter;
mod simple;
mod tree;
mod word;

pub(crate) use cursor::{join_lines, parse, parse_word};
pub(crate) use tree::{
    Feed, Operator, Parameter, Parsed, Part, Place, Redirect, RedirectKind, Scope, ScopeKind, Simple, Word,
};

#[cfg(test)]
mod tests;
