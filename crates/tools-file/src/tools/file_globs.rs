//! Globs that select the files of a search, in the forms that models send: those of ripgrep and of
//! ignore files. Does no I/O.

use std::path::Path;

use globset::GlobMatcher;

use super::notes;
use crate::error::FileError;

/// The selection of files.
#[derive(Debug, Default)]
pub(super) struct FileGlobs {
    /// The file must match one of these, if there are any.
    included: Vec<FileGlob>,
    excluded: Vec<FileGlob>,
}

#[derive(Debug)]
struct FileGlob {
    matcher: GlobMatcher,
    /// Whether the glob applies to whole paths instead of paths below the searched folder.
    absolute: bool,
}

/// A glob in the syntax of `globset`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlainGlob {
    text: String,
    absolute: bool,
}

impl FileGlobs {
    /// Parses the sent globs. `workdir` is the working directory by each of its names, the
    /// canonical one first.
    ///
    /// # Errors
    /// `Pattern`, with the problem.
    pub(super) fn parse(sent: &str, workdir: [&Path; 2]) -> Result<Self, FileError> {
        let mut globs = Self::default();
        for piece in pieces(sent) {
            let (piece, is_exclusion) = match piece.strip_prefix('!') {
                Some(piece) => (piece, true),
                None => (piece, false),
            };
            for glob in plain(sent, piece, workdir)? {
                let compile = |text: &str| {
                    let matcher = notes::glob(sent, text)?;
                    Ok::<_, FileError>(FileGlob { matcher, absolute: glob.absolute })
                };
                if is_exclusion {
                    // A folder is excluded with everything in it.
                    globs.excluded.extend([compile(&glob.text)?, compile(&format!("{}/**", glob.text))?]);
                } else {
                    globs.included.push(compile(&glob.text)?);
                }
            }
        }
        Ok(globs)
    }

    /// Whether a file is searched, by its path below the folder and its whole path.
    pub(super) fn choose(&self, relative: &Path, whole: &Path) -> bool {
        let fits = |glob: &FileGlob| glob.matcher.is_match(if glob.absolute { whole } else { relative });
        (self.included.is_empty() || self.included.iter().any(fits)) && !self.excluded.iter().any(fits)
    }
}

/// The parts of a comma-separated list, and the whole text, because a name may contain a comma.
/// Commas within braces and brackets belong to the glob.
fn pieces(sent: &str) -> Vec<&str> {
    let sent = sent.trim();
    let parts: Vec<&str> = sent.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    if sent.contains(['{', '[']) || parts.len() < 2 {
        return vec![sent];
    }
    parts.into_iter().chain((!sent.starts_with('!')).then_some(sent)).collect()
}

/// The plain globs that are equivalent to one sent glob.
fn plain(sent: &str, piece: &str, workdir: [&Path; 2]) -> Result<Vec<PlainGlob>, FileError> {
    let fail = |problem: &str| FileError::Pattern {
        what: "glob",
        pattern: sent.chars().take(200).collect(),
        problem: problem.to_owned(),
    };
    let mut rest = piece;
    while let Some(below) = rest.strip_prefix("./") {
        rest = below.trim_start_matches('/');
    }
    if rest.is_empty() && piece.is_empty() {
        return Err(fail("it is empty"));
    }
    if rest.split('/').any(|part| part == "..") {
        return Err(fail("`..` leads out of the folder that is searched; name that folder as `path`"));
    }
    let is_folder = rest.is_empty() || rest == "." || rest.ends_with('/');
    let below = rest.trim_matches('/');
    let with_end = |text: &str| match (is_folder, text) {
        (true, "" | ".") => "**".to_owned(),
        (true, text) => format!("{text}/**"),
        (false, text) => text.to_owned(),
    };
    if !rest.starts_with('/') {
        // Without a `/` it matches names in every folder, as users expect.
        let anywhere = if below.contains('/') || matches!(below, "" | ".") { "" } else { "**/" };
        return Ok(vec![PlainGlob { text: format!("{anywhere}{}", with_end(below)), absolute: false }]);
    }
    // Relative to the searched folder, as in ignore files, or an absolute path.
    let own = workdir.iter().find_map(|name| {
        let after = rest.strip_prefix(name.to_str()?)?;
        (after.is_empty() || after.starts_with('/')).then_some(after)
    });
    let whole = match own {
        Some(after) => format!("{}{}", globset::escape(&workdir[0].to_string_lossy()), after.trim_end_matches('/')),
        None => format!("/{below}"),
    };
    let whole = PlainGlob { text: with_end(&whole), absolute: true };
    Ok(vec![whole, PlainGlob { text: with_end(below), absolute: false }])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 6] = ["x.py", "a/y.py", "a/b/z.py", "c/x.rs", "c/a/w.py", "d,e.txt"];

    /// The files selected by a search from `/w/s`, where `/link` is the working directory `/w`.
    fn chosen(glob: &str) -> String {
        let globs = FileGlobs::parse(glob, [Path::new("/w"), Path::new("/link")]).unwrap();
        let fits = |file: &&str| globs.choose(Path::new(file), &Path::new("/w/s").join(file));
        FILES.into_iter().filter(fits).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn globs_mean_what_those_mean_who_send_them() {
        let check = |glob: &str, expected: &str| assert_eq!(chosen(glob), expected, "{glob}");
        let all = FILES.join(" ");
        check("*.py", "x.py a/y.py a/b/z.py c/a/w.py");
        check("x.*", "x.py c/x.rs");
        check("a/*", "a/y.py");
        check("a/**/*.py", "a/y.py a/b/z.py");
        for below in ["/a/**", "./a/**", "/w/s/a/**", "/link/s/a/**", "/w/s/a/", "/a/", "././a/**"] {
            check(below, "a/y.py a/b/z.py");
        }
        check("/x.py", "x.py");

        check("a/", "a/y.py a/b/z.py c/a/w.py");
        check("a/b/", "a/b/z.py");
        for everything in ["**", "./", ".", "/", "/w/", "/w/s/"] {
            check(everything, &all);
        }
        check("*.txt,*.rs", "c/x.rs d,e.txt");
        check("*.txt, *.rs", "c/x.rs d,e.txt");
        check("d,e.txt", "d,e.txt");
        check("*.{rs,txt}", "c/x.rs d,e.txt");
        check("!*.py", "c/x.rs d,e.txt");
        check("!a", "x.py c/x.rs d,e.txt");
        check("!/a/", "x.py c/x.rs c/a/w.py d,e.txt");
        check("*.py,!a/**", "x.py c/a/w.py");
        check("!*.py,!*.rs", "d,e.txt");
        check("/other/**", "");
    }

    #[test]
    fn globs_that_can_match_nothing_are_refused() {
        for glob in ["", " ", "!", "../x/*", "a/../*", "["] {
            let refused = FileGlobs::parse(glob, [Path::new("/w"), Path::new("/w")]);
            assert!(matches!(refused, Err(FileError::Pattern { .. })), "{glob}");
        }
    }
}
