//! The languages whose interpreters take code by an option, and what is looked for in each.

use super::named_file::NamedFile;
use super::{awk, ipython, javascript, lua, other, perl, php, python, ruby, sed, text};
use crate::effect::Effect;

/// Languages whose interpreters take code by an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python.
    Python,
    /// Python with the lines for a shell that IPython takes.
    IPython,
    /// Perl.
    Perl,
    /// Ruby.
    Ruby,
    /// JavaScript and TypeScript.
    Node,
    /// Lua.
    Lua,
    /// PHP.
    Php,
    /// AWK.
    Awk,
    /// The scripts of `sed`.
    Sed,
    /// A language whose signs are not known: only what plainly prints a value is harmless.
    Other,
}

/// A sentence about the sign, when the code shows one.
pub(crate) fn suspicion(language: Language, code: &str) -> Option<String> {
    let sign = match language {
        Language::Awk => return sign(awk::read(code)),
        Language::Sed => return sign(sed::read(code)),
        Language::Python => python::sign(code),
        Language::IPython => ipython::sign(code),
        Language::Perl => perl::sign(code),
        Language::Ruby => ruby::sign(code),
        Language::Node => javascript::sign(code),
        Language::Lua => lua::sign(code),
        Language::Php => php::sign(code),
        Language::Other => other::sign(code),
    };
    let sign = sign.or_else(|| text::hidden_letter(code).filter(|_| language != Language::Other));
    sign.map(|sign| format!("code with `{}`", sign.trim()))
}

fn sign(found: Vec<NamedFile>) -> Option<String> {
    found.into_iter().find_map(|one| if let NamedFile::Sign(sign) = one { Some(sign.to_owned()) } else { None })
}

/// The files that the code names, as far as its language tells them.
pub(crate) fn files(language: Language, code: &str) -> Vec<Effect> {
    let found = match language {
        Language::Awk => awk::read(code),
        Language::Sed => sed::read(code),
        _ => return Vec::new(),
    };
    let path = |one| match one {
        NamedFile::File { name, access, is_exact } => {
            Some(Effect::path(crate::reader::Value { text: name, is_exact, has_pattern: false }, access))
        }
        NamedFile::Sign(_) => None,
    };
    found.into_iter().filter_map(path).collect()
}
