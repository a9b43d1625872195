//! Reads standard error of a checker: the text of a failure, remarks, and advice. It is used only
//! to describe success and failure, never to detect them.

/// Maximum number of bytes shown of a failure text.
const MAX_WORDS_BYTES: usize = 6 * 1024;
/// Maximum number of remarks shown.
const MAX_REMARKS: usize = 10;

/// Verbs of cargo's progress lines.
const PROGRESS: [&str; 18] = [
    "Adding",
    "Blocking",
    "Building",
    "Checking",
    "Compiling",
    "Dirty",
    "Documenting",
    "Downgrading",
    "Downloaded",
    "Downloading",
    "Finished",
    "Fresh",
    "Locking",
    "Removing",
    "Running",
    "Unpacking",
    "Updating",
    "Waiting",
];

/// The text of a failure: from the first error on, without progress lines.
pub(crate) fn of_failure(stderr: &[u8], stdout: &[u8]) -> String {
    let text = plain(stderr);
    let text = if text.trim().is_empty() { plain(stdout) } else { text };
    let start = text.lines().position(|line| line.starts_with("error")).unwrap_or(0);
    let lines: Vec<&str> = text.lines().skip(start).filter(|line| !is_progress(line)).collect();
    let words = lines.join("\n");
    let words = words.trim();
    if words.is_empty() {
        return "(it said nothing)".to_owned();
    }
    if words.len() <= MAX_WORDS_BYTES {
        return words.to_owned();
    }
    let (head, tail) =
        (words.floor_char_boundary(MAX_WORDS_BYTES / 2), words.ceil_char_boundary(words.len() - MAX_WORDS_BYTES / 2));
    format!("{}\n[... {} bytes left out ...]\n{}", &words[..head], tail - head, &words[tail..])
}

/// Remarks of cargo that appear only on standard error: unused keys of a manifest, a build script
/// that failed next to other errors.
pub(crate) fn remarks(stderr: &[u8]) -> Vec<String> {
    let text = plain(stderr);
    let is_remark = |line: &&str| {
        let said = ["warning: ", "error: "].iter().find_map(|start| line.strip_prefix(start));
        said.is_some_and(|said| {
            !said.starts_with("could not compile")
                && !said.starts_with("build failed, waiting")
                && !said.contains(" generated ")
        })
    };
    text.lines().filter(is_remark).take(MAX_REMARKS).map(str::to_owned).collect()
}

/// The last line of a checker, to show what it was doing at the time limit.
pub(crate) fn last_line(stderr: &[u8]) -> Option<String> {
    let text = plain(stderr);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(line.chars().take(200).collect())
}

/// Advice on a failure if its text shows a well-known cause.
pub(crate) fn advice(words: &str) -> Option<&'static str> {
    let words = words.to_ascii_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
    if says(&["no such command: `clippy`", "cargo-clippy' is not installed"]) {
        return Some("Use `kind`: `check`, or ask the user to install clippy.");
    }
    // Checked before messages about downloads and unwritable folders, which are its consequences.
    if says(&[
        "rustup could not choose",
        "no default toolchain",
        "syncing channel updates",
        "could not create home directory",
        "could not create rustup",
        "/.rustup/settings.toml",
        "/.rustup/tmp/",
    ]) {
        return Some(
            "There is no Rust toolchain where checks look: rustup finds its own by `RUSTUP_HOME`, else in `.rustup` of the \
             home folder. Ask the user to set that variable, or to install the toolchain there.",
        );
    }
    if says(&[
        "read-only file system",
        "offline",
        "failed to download",
        "unable to update registry",
        "failed to get `",
        "failed to fetch",
        "could not resolve host",
        "network failure",
    ]) {
        return Some(
            "Checks run confined: they write in the workspace only and cannot download what is missing. Ask the user to fetch the \
             dependencies once (`cargo fetch`) outside.",
        );
    }
    says(&["permission denied"])
        .then_some("Checks run confined: they write in the workspace only and do not read closed files.")
}

/// `   Compiling x v0.1.0`, `    Finished …`: a verb of cargo, right-aligned in twelve columns.
fn is_progress(line: &str) -> bool {
    let verb = line.trim_start();
    let indent = line.len() - verb.len();
    indent > 0 && PROGRESS.iter().any(|word| indent + word.len() == 12 && verb.starts_with(word))
}

/// The text without terminal escape sequences.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            if characters.next_if_eq(&'[').is_some() {
                while characters.next().is_some_and(|end| !matches!(end, '@'..='~')) {}
            }
        } else if !character.is_control() || matches!(character, '\n' | '\t') {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_in_the_checkers_own_words() {
        let check = |stderr: &str, expected: &str| assert_eq!(of_failure(stderr.as_bytes(), b""), expected);
        check(
            "   Compiling app v0.1.0\nerror: failed to run\n\nCaused by:\n  x\n    Finished y\n",
            "error: failed to run\n\nCaused by:\n  x",
        );
        check(
            "error: no lock\n\nCaused by:\n  Permission denied\n",
            "error: no lock\n\nCaused by:\n  Permission denied",
        );
        check("ruff failed\n  Cause: bad\n", "ruff failed\n  Cause: bad");
        check("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: x\r\n", "error: x");
        check("", "(it said nothing)");
        let long = of_failure("error: я\n".repeat(5000).as_bytes(), b"");
        assert!(long.len() < MAX_WORDS_BYTES + 100 && long.contains("bytes left out"));
    }

    #[test]
    fn the_advice_is_about_the_cause() {
        let check = |words: &str, expected: &str| assert!(advice(words).unwrap_or("").contains(expected), "{words}");
        for words in [
            "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly",
            "error: could not create home directory: '/h/.rustup': Read-only file system (os error 30)",
            "info: syncing channel updates for 1.80\nerror: could not download file from 'https://x' to '/h/.rustup/tmp/x'",
        ] {
            check(words, "RUSTUP_HOME");
        }
        check("error: failed to get `x` as a dependency", "cargo fetch");
        check("error: 'cargo-clippy' is not installed for the toolchain 'x'", "install clippy");
        assert_eq!(advice("error: no"), None);
    }

    #[test]
    fn remarks_are_what_is_said_nowhere_else() {
        let stderr = "warning: /w/Cargo.toml: unused manifest key: bogus\n    Checking app\nwarning: `app` (lib) generated 1 warning\n\
                      error: could not compile `app` (bin \"app\") due to 4 previous errors\n\
                      warning: build failed, waiting for other jobs to finish...\nerror: failed to run custom build command for `b`\n";
        assert_eq!(
            remarks(stderr.as_bytes()),
            ["warning: /w/Cargo.toml: unused manifest key: bogus", "error: failed to run custom build command for `b`"]
        );
    }
}
