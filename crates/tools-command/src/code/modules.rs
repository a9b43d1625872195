//! Modules that code loads, found by the keywords of its language.

use super::Language;

/// The texts that follow keywords which load modules.
pub(crate) struct Loads<'a> {
    /// File name endings of modules.
    endings: &'static [&'static str],
    texts: Vec<&'a str>,
}

impl<'a> Loads<'a> {
    /// Finds them in code; `None` if the code loads nothing.
    pub(crate) fn of(language: Language, code: &'a str) -> Option<Self> {
        let (endings, words): (&[&str], &[&str]) = match language {
            Language::Python | Language::IPython => (&["py", "pyc", "so"], &["import", "from"]),
            Language::Perl => (&["pm", "pl", "ph"], &["use", "require", "do", "no"]),
            Language::Ruby => (&["rb", "so"], &["use", "require", "require_relative", "load", "autoload"]),
            Language::Node => {
                (&["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "node"], &["require", "import", "from"])
            }
            Language::Lua => (&["lua", "so"], &["require", "dofile", "loadfile"]),
            Language::Php => (&["php", "inc", "phar"], &["require", "require_once", "include", "include_once"]),
            Language::Awk | Language::Sed | Language::Other => return None,
        };
        let behind_first = |statement: &'a str| {
            let ends = words.iter().filter_map(|word| Some(find_word(statement, word)? + word.len()));
            ends.min().map(|end| &statement[end..])
        };
        let texts: Vec<_> = code.split([';', '\n']).filter_map(behind_first).collect();
        (!texts.is_empty()).then_some(Self { endings, texts })
    }

    /// Whether a file may be loaded: by its name without the ending, or by the name of its folder.
    pub(crate) fn may_be(&self, path: &str) -> bool {
        let mut parts = path.trim_end_matches('/').rsplit('/');
        let last = parts.next().unwrap_or_default();
        let (stem, ending) = last.split_once('.').unwrap_or((last, ""));
        let is_module = ending.is_empty() || ending.rsplit('.').next().is_some_and(|one| self.endings.contains(&one));
        let of_folder = parts.next().filter(|_| matches!(stem, "__init__" | "__main__" | "index" | "init"));
        let mut names = [Some(stem), of_folder].into_iter().flatten().filter(|name| !name.is_empty());
        is_module && names.any(|name| self.texts.iter().any(|text| find_word(text, name).is_some()))
    }
}

/// Position of a word that is not part of a longer one.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let begins_longer = text[..*at].ends_with(is_inner) && word.starts_with(is_inner);
        let goes_on = text[at + word.len()..].starts_with(is_inner) && word.ends_with(is_inner);
        !begins_longer && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_told_from_files_that_are_read() {
        let check = |language, code, path, expected| {
            let found = Loads::of(language, code).is_some_and(|loads| loads.may_be(path));
            assert_eq!(found, expected, "{code}");
        };
        check(Language::Python, "import json, q", "/w/q.py", true);
        check(Language::Python, "from q import x", "/w/q/__init__.py", true);
        check(Language::Python, "import q", "/w/q", true);
        check(Language::Python, "x = 1\nif x: import q", "/w/q.py", true);
        check(Language::Python, "import ast; ast.parse(open('q.py').read())", "/w/q.py", false);
        check(Language::Python, "important = q", "/w/q.py", false);
        check(Language::Python, "import qq", "/w/q.py", false);
        check(Language::Python, "import json; json.load(open('q.json'))", "/w/q.json", false);
        check(Language::Perl, "use Foo::Bar", "/w/lib/Foo/Bar.pm", true);
        check(Language::Ruby, "require './foo'", "/w/foo.rb", true);
        check(Language::Ruby, "require_relative 'my-lib'", "/w/my-lib.rb", true);
        check(Language::Node, "require('./q')", "/w/q/index.js", true);
        check(Language::Node, "console.log(require('./q.json'))", "/w/q.json", false);
    }
}
