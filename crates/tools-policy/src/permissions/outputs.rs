//! Recognises plain outputs: files that nothing obeys, which a command may write by redirection
//! without a rule of their own. Pure.

use std::path::Path;

use tools_core::find_obeyed;

/// Extensions of files that people read and nothing runs, builds or obeys.
const ENDINGS: &[&str] = &[
    "b64", "bak", "bin", "csv", "dat", "diff", "dump", "err", "gz", "log", "orig", "out", "patch", "svg", "tar", "tmp",
    "tsv", "txt", "zip",
];
/// Folders for temporary files.
const FOLDERS: &[&str] = &["log", "logs", "temp", "tmp"];

/// Whether a file, by its path below the working directory (`./a/b.log`), is a plain output.
pub(super) fn is_plain_output(relative: &str) -> bool {
    let path = relative.strip_prefix("./").unwrap_or(relative);
    // Case is ignored: a reader may ignore it, too, and an unknown extension still lets nothing
    // more through.
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
