//! C.

use std::sync::OnceLock;

use super::Language;

pub(super) static C: Language = Language {
    name: "c",
    id: "c",
    aliases: &[],
    extensions: &["c", "h"],
    grammar: || tree_sitter_c::LANGUAGE.into(),
    query: r"
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(function_definition declarator: (_ declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.declaration
(declaration declarator: (_ declarator: (function_declarator declarator: (identifier) @name))) @definition.declaration
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.union
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.variant
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (_ declarator: (type_identifier) @name)) @definition.type
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (_ declarator: (identifier) @name))) @definition.variable)
[(comment) (string_literal)] @quiet
",
    leads: &["//", "/*", "*"],
    compiled: OnceLock::new(),
};
