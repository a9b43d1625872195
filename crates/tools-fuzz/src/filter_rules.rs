//! Any text as `filters.toml`: an invalid rule disables only itself, and an invalid file leaves the
//! built-in rules.

use tools_filter::{Exit, FilterConfig, FilterPipeline};

/// Output with the features that rules detect: repetitions, errors, long lines, a table, empty
/// lines.
const OUTPUT: &str = "\
   Compiling a v0.1.0
warning: unused variable
  --> src/lib.rs:1:5

error[E0001]: mismatched types
  --> src/lib.rs:2:5

test a ... ok
test b ... FAILED
x  1  2
y  3  4
same
same
same
";

pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let builtin = FilterPipeline::builtin().rule_names().count();
    let (pipeline, errors) = FilterPipeline::compile(&FilterConfig::default(), Some(text));
    let names: Vec<&str> = pipeline.rule_names().collect();
    assert!(!errors.is_empty() || names.len() + 1 >= builtin || text.contains("enabled"), "rules are lost silently");
    for command in ["cargo test", "make all", "x"] {
        for exit in [Exit::Code(0), Exit::Code(1)] {
            let _ = pipeline.filter(command, exit, OUTPUT.as_bytes());
        }
    }
}
