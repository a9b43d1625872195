//! Finds the language of a file by its name.

use std::path::Path;

use super::{Language, bash, c, cpp, go, java, javascript, python, rust, typescript};

static LANGUAGES: [&Language; 10] = [
    &rust::RUST,
    &python::PYTHON,
    &javascript::JAVASCRIPT,
    &typescript::TYPESCRIPT,
    &typescript::TSX,
    &go::GO,
    &java::JAVA,
    &c::C,
    &cpp::CPP,
    &bash::BASH,
];

/// Extensions of text about code: searched by its words, without definitions.
const PROSE: [&str; 5] = ["md", "markdown", "rst", "txt", "adoc"];

/// The form of a file.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Code(&'static Language),
    Prose,
}

impl Form {
    /// The language; `None` for text.
    pub(crate) fn language(self) -> Option<&'static Language> {
        match self {
            Self::Code(language) => Some(language),
            Self::Prose => None,
        }
    }

    /// The usual name.
    pub(crate) fn name(self) -> &'static str {
        self.language().map_or("text", |language| language.name)
    }
}

/// The form of a file by its name; `None` for a file that is not searched.
pub(crate) fn form_of(path: &Path) -> Option<Form> {
    let extension = path.extension()?.to_str()?;
    let is_known = |known: &&&Language| known.extensions.iter().any(|own| own.eq_ignore_ascii_case(extension));
    if let Some(language) = LANGUAGES.iter().find(is_known) {
        return Some(Form::Code(language));
    }
    PROSE.iter().any(|own| own.eq_ignore_ascii_case(extension)).then_some(Form::Prose)
}

/// Every language.
pub(crate) fn all() -> impl Iterator<Item = &'static Language> {
    LANGUAGES.iter().copied()
}

/// The forms with this name; `None` for an unknown name.
pub(crate) fn named(name: &str) -> Option<Vec<&'static str>> {
    let name = name.to_ascii_lowercase();
    if name == "text" || PROSE.contains(&name.as_str()) {
        return Some(vec!["text"]);
    }
    let is_meant = |language: &&Language| {
        language.name == name
            || language.aliases.contains(&name.as_str())
            || language.extensions.contains(&name.trim_start_matches('.'))
    };
    let meant: Vec<_> = all().filter(is_meant).map(|language| language.name).collect();
    (!meant.is_empty()).then_some(meant)
}
