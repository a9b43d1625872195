//! What holds as a whole: redaction and secrets; filters on real outputs and on generated ones, rules of a user, the estimate.

mod redaction;
mod secrets;

mod fixtures;
mod law;
mod rules;
mod tokens;
