//! Rust.

use std::sync::OnceLock;

use super::Language;

pub(super) static RUST: Language = Language {
    name: "rust",
    id: "rust",
    aliases: &["rs"],
    extensions: &["rs"],
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    query: r"
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.variant
(union_item name: (type_identifier) @name) @definition.union
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name) @definition.module
(macro_definition name: (identifier) @name) @definition.macro
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.static
(impl_item type: (_) @name) @container.impl
[(line_comment) (block_comment) (string_literal) (raw_string_literal)] @quiet
",
    leads: &["//", "/*", "*", "#["],
    compiled: OnceLock::new(),
};
