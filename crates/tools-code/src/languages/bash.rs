//! Bash.

use std::sync::OnceLock;

use super::Language;

pub(super) static BASH: Language = Language {
    name: "bash",
    id: "shellscript",
    aliases: &["sh", "shell", "zsh"],
    extensions: &["sh", "bash", "bats"],
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    query: r"
(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
[(comment) (raw_string)] @quiet
",
    leads: &["#"],
    compiled: OnceLock::new(),
};
