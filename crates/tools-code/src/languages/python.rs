//! Python.

use std::sync::OnceLock;

use super::Language;

pub(super) static PYTHON: Language = Language {
    name: "python",
    id: "python",
    aliases: &["py"],
    extensions: &["py", "pyi"],
    grammar: || tree_sitter_python::LANGUAGE.into(),
    query: r"
(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(module (expression_statement (assignment left: (identifier) @name)) @definition.variable)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @definition.variable))
(type_alias_statement left: (type (identifier) @name)) @definition.type
[(comment) (string)] @quiet
",
    leads: &["#", "@"],
    compiled: OnceLock::new(),
};
