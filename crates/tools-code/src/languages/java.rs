//! Java.

use std::sync::OnceLock;

use super::Language;

pub(super) static JAVA: Language = Language {
    name: "java",
    id: "java",
    aliases: &[],
    extensions: &["java"],
    grammar: || tree_sitter_java::LANGUAGE.into(),
    query: r"
(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(record_declaration name: (identifier) @name) @definition.class
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_constant name: (identifier) @name) @definition.variant
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.variable
[(line_comment) (block_comment) (string_literal)] @quiet
",
    leads: &["//", "/*", "*", "@"],
    compiled: OnceLock::new(),
};
