//! Which files a command may write by redirection without a rule of their own: plain outputs, which
//! nothing obeys. Pure.

use std::path::Path;

use tools_core::find_obeyed;

/// Endings of files that are looked at and not run, built or obeyed.
const ENDINGS: &[&str] = &[
    "b64", "bak", "bin", "csv", "dat", "diff", "dump", "err", "gz", "log", "orig", "out", "patch", "svg", "tar", "tmp",
    "tsv", "txt", "zip",
];
/// Folders whose files nobody keeps.
const FOLDERS: &[&str] = &["log", "logs", "temp", "tmp"];

/// Whether a file, by its path below the working directory (`./a/b.log`), is a plain output.
pub(super) fn is_plain_output(relative: &str) -> bool {
    let path = relative.strip_prefix("./").unwrap_or(relative);
    // In whichever case: a reader may fold it, and nothing more is let through by an ending that is
    // not known.
    let path = &path.to_lowercase();
    let mut parts: Vec<&str> = path.split('/').collect();
    if parts.iter().any(|part| part.starts_with('.') || part.is_empty()) {
        return false;
    }
    let name = parts.pop().unwrap_or_default();
    if find_obeyed(Path::new(path)).is_some() {
        return false;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| ENDINGS.contains(&ending)) || parts.iter().any(|part| FOLDERS.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_plain_and_everything_obeyed_is_not() {
        for plain in ["./build.log", "./a/b/out.txt", "./tmp/x", "./logs/run/1.json", "./logo.b64", "./a b.csv"] {
            assert!(is_plain_output(plain), "{plain}");
        }
        for other in [
            ".",
            "./x",
            "./build.rs",
            "./makefile",
            "./package.json",
            "./cmakelists.txt",
            "./requirements-dev.txt",
            "./.github/x.txt",
            "./tmp/.hidden",
            "./.log",
            "./a/.env.txt",
            "./claude.md",
            "./tmp",
            "./src/tmp.rs",
        ] {
            assert!(!is_plain_output(other), "{other}");
        }
    }
}
