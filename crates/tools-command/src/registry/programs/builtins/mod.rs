//! Builtins of the shell: the texts they evaluate, the variables they set, and the folders they
//! enter.

mod evaluation;
mod variables;

pub(super) use evaluation::ALL as EVALUATION;
pub(super) use variables::ALL as VARIABLES;
