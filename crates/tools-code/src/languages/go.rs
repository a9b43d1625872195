//! Go.

use std::sync::OnceLock;

use super::Language;

pub(super) static GO: Language = Language {
    name: "go",
    id: "go",
    aliases: &["golang"],
    extensions: &["go"],
    grammar: || tree_sitter_go::LANGUAGE.into(),
    query: r"
(function_declaration name: (identifier) @name) @definition.function
(method_declaration name: (field_identifier) @name) @definition.method
(method_elem name: (field_identifier) @name) @definition.declaration
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))
[(comment) (interpreted_string_literal) (raw_string_literal)] @quiet
",
    leads: &["//", "/*", "*"],
    compiled: OnceLock::new(),
};
