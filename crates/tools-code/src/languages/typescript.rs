//! TypeScript, and TypeScript with JSX, which is a grammar of its own.

use std::sync::OnceLock;

use super::Language;
use super::ecmascript::{LEADS, ecmascript};

pub(super) static TYPESCRIPT: Language = Language {
    name: "typescript",
    id: "typescript",
    aliases: &["ts"],
    extensions: &["ts", "mts", "cts"],
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    query: QUERY,
    leads: LEADS,
    compiled: OnceLock::new(),
};

pub(super) static TSX: Language = Language {
    name: "tsx",
    id: "typescriptreact",
    aliases: &["typescript", "ts"],
    extensions: &["tsx"],
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    query: QUERY,
    leads: LEADS,
    compiled: OnceLock::new(),
};

const QUERY: &str = ecmascript!(
    r"
(interface_declaration name: (type_identifier) @name) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(function_signature name: (identifier) @name) @definition.declaration
(method_signature name: (property_identifier) @name) @definition.declaration
(abstract_method_signature name: (property_identifier) @name) @definition.declaration
(public_field_definition name: (property_identifier) @name value: [(arrow_function) (function_expression)]) @definition.function
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module
"
);
