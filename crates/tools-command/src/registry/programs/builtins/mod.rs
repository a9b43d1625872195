//! Builtins of the shell: what they evaluate, which variables they set, where they go.

mod evaluation;
mod variables;

pub(super) use evaluation::ALL as EVALUATION;
pub(super) use variables::ALL as VARIABLES;
