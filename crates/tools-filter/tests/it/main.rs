//! What holds as a whole: filters on real outputs and on generated ones, rules of a user, the
//! estimate.

mod content;
mod fixtures;
mod holes;
mod law;
mod rules;
mod tokens;
