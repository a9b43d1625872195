//! JavaScript.

use std::sync::OnceLock;

use super::Language;
use super::ecmascript::{LEADS, ecmascript};

pub(super) static JAVASCRIPT: Language = Language {
    name: "javascript",
    id: "javascript",
    aliases: &["js", "node"],
    extensions: &["js", "mjs", "cjs", "jsx"],
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    query: ecmascript!(
        r"
(field_definition property: (property_identifier) @name value: [(arrow_function) (function_expression)]) @definition.function
"
    ),
    leads: LEADS,
    compiled: OnceLock::new(),
};
