//! C++.

use std::sync::OnceLock;

use super::Language;

pub(super) static CPP: Language = Language {
    name: "c++",
    id: "cpp",
    aliases: &["cpp", "cxx"],
    extensions: &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "ipp", "tpp", "inl"],
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    query: r"
(function_definition declarator: (function_declarator declarator: (_) @name)) @definition.function
(function_definition declarator: (_ declarator: (function_declarator declarator: (_) @name))) @definition.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @definition.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.declaration
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @definition.declaration
(field_declaration declarator: (_ declarator: (function_declarator declarator: (field_identifier) @name))) @definition.declaration
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.union
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.variant
(namespace_definition name: (_) @name) @definition.module
(alias_declaration name: (type_identifier) @name) @definition.type
(type_definition declarator: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro
[(comment) (string_literal) (raw_string_literal)] @quiet
",
    leads: &["//", "/*", "*", "template"],
    compiled: OnceLock::new(),
};
