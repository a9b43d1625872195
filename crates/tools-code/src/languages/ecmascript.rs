//! Definitions that JavaScript and TypeScript share.

/// The query of both languages, plus the given additions.
macro_rules! ecmascript {
    ($own:literal) => {
        concat!(
            r"
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(class name: (_) @name) @definition.class
(method_definition name: (property_identifier) @name) @definition.method
(method_definition name: (private_property_identifier) @name) @definition.method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable)))
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(arrow_function) (function_expression)]) @definition.function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @definition.function
[(comment) (string)] @quiet
",
            $own
        )
    };
}

pub(super) use ecmascript;

/// Beginnings of lines in a comment or decorator.
pub(super) const LEADS: &[&str] = &["//", "/*", "*", "@"];
