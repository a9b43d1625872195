//! Go files that a build on this machine excludes: by name, by a `//go:build` line, or because they
//! are in another module. `go vet` does not check them.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use tools_sandbox::Roots;

/// Maximum number of folder entries visited.
const MAX_ENTRIES: usize = 20_000;
/// Number of bytes of a file that are searched for its build line.
const HEAD: u64 = 16 * 1024;

const SYSTEMS: [&str; 18] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];
const MACHINES: [&str; 17] = [
    "386", "amd64", "arm", "arm64", "armbe", "arm64be", "loong64", "mips", "mipsle", "mips64", "mips64le", "ppc64",
    "ppc64le", "riscv64", "s390x", "sparc64", "wasm",
];

/// Operating system and architecture of a build, by their Go names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    system: &'static str,
    machine: &'static str,
}

impl Target {
    /// The target of builds on this machine.
    pub(crate) fn own() -> Self {
        let system = match std::env::consts::OS {
            "macos" => "darwin",
            system => system,
        };
        let machine = match std::env::consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            "x86" => "386",
            "loongarch64" => "loong64",
            "powerpc64" => "ppc64le",
            machine => machine,
        };
        Self { system, machine }
    }

    fn is(self, word: &str) -> bool {
        word == self.system || word == self.machine
    }

    /// Whether a build tag is satisfied. Custom tags (`-tags`) never are.
    fn has_tag(self, tag: &str) -> bool {
        self.is(tag) || matches!(tag, "unix" | "gc" | "cgo") || tag.starts_with("go1.")
    }
}

/// Reason why a build excludes a file; `None` if it is included. `head` is the beginning of the
/// file.
pub(crate) fn excluded(name: &str, head: &str, target: Target) -> Option<&'static str> {
    if name.starts_with(['_', '.']) {
        return Some("by the first character of its name");
    }
    if !fits_name(name, target) {
        return Some("by its name");
    }
    let before_code = head.lines().map(str::trim).take_while(|line| !line.starts_with("package "));
    let line = { before_code }.find_map(|line| line.strip_prefix("//go:build "))?;
    (!holds(line, target)).then_some("by its `//go:build` line")
}

/// Whether the words after the first `_` of a name contain no other system or architecture.
fn fits_name(name: &str, target: Target) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let Some((_, words)) = stem.split_once('_') else { return true };
    let mut words: Vec<&str> = words.split('_').collect();
    words.pop_if(|last| *last == "test");
    let is_system = |word: &str| SYSTEMS.contains(&word);
    let is_machine = |word: &str| MACHINES.contains(&word);
    match words.as_slice() {
        [.., system, machine] if is_system(system) && is_machine(machine) => target.is(system) && target.is(machine),
        [.., word] if is_system(word) || is_machine(word) => target.is(word),
        _ => true,
    }
}

/// Evaluates a build line: tags with `!`, `&&`, `||` and parentheses.
fn holds(line: &str, target: Target) -> bool {
    let spaced =
        ["(", ")", "!", "&&", "||"].iter().fold(line.to_owned(), |line, sign| line.replace(sign, &format!(" {sign} ")));
    let words: Vec<&str> = spaced.split_whitespace().collect();
    any_of(&mut words.as_slice(), target)
}

fn any_of(words: &mut &[&str], target: Target) -> bool {
    let mut value = all_of(words, target);
    while let Some(("||", rest)) = words.split_first().map(|(first, rest)| (*first, rest)) {
        *words = rest;
        value |= all_of(words, target);
    }
    value
}

fn all_of(words: &mut &[&str], target: Target) -> bool {
    let mut value = one(words, target);
    while let Some(("&&", rest)) = words.split_first().map(|(first, rest)| (*first, rest)) {
        *words = rest;
        value &= one(words, target);
    }
    value
}

/// Evaluates a tag or a parenthesised expression with any number of negations before it, without
/// recursion for them.
fn one(words: &mut &[&str], target: Target) -> bool {
    let negations = words.iter().take_while(|word| **word == "!").count();
    *words = &words[negations..];
    let Some((first, rest)) = words.split_first() else { return false };
    *words = rest;
    // Deeper nesting than any real line has is not evaluated.
    let value = if *first == "(" && rest.iter().take_while(|word| **word == "(").count() < 50 {
        let value = any_of(words, target);
        *words = words.strip_prefix(&[")"]).unwrap_or(words);
        value
    } else {
        target.has_tag(first)
    };
    value != (negations % 2 == 1)
}

/// Result of a search below a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct GoSurvey {
    /// Number of files that a build includes.
    pub(crate) taken: usize,
    /// Files that a build excludes.
    pub(crate) left_out: Vec<PathBuf>,
    /// Folders of nested modules.
    pub(crate) modules: Vec<PathBuf>,
    /// Whether the search stopped because of too many entries.
    pub(crate) is_cut: bool,
}

/// Searches all Go files below a folder of a module, with the rules of Go.
pub(crate) fn survey(folder: &Path, roots: &Roots, target: Target) -> GoSurvey {
    let (mut found, mut pending, mut seen) = (GoSurvey::default(), vec![folder.to_path_buf()], 0);
    while let Some(at) = pending.pop() {
        for entry in std::fs::read_dir(&at).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MAX_ENTRIES {
                found.is_cut = true;
                return found.sorted();
            }
            let Ok(kind) = entry.file_type() else { continue };
            let (path, name) = (entry.path(), entry.file_name());
            let Some(name) = name.to_str() else { continue };
            if kind.is_dir() {
                if path.join("go.mod").is_file() {
                    found.modules.push(path);
                } else if !name.starts_with(['_', '.']) && !matches!(name, "testdata" | "vendor" | "node_modules") {
                    pending.push(path);
                }
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "go") {
                match why_left_out(&path, roots, target) {
                    Some(_) => found.left_out.push(path),
                    None => found.taken += 1,
                }
            }
        }
    }
    found.sorted()
}

impl GoSurvey {
    fn sorted(mut self) -> Self {
        self.left_out.sort();
        self.modules.sort();
        self
    }
}

/// Reason why a build excludes this file; `None` if it is included.
pub(crate) fn why_left_out(file: &Path, roots: &Roots, target: Target) -> Option<&'static str> {
    let mut head = Vec::new();
    if let Ok((opened, ..)) = roots.open_file(file, Path::new("/")) {
        let _ = opened.take(HEAD).read_to_end(&mut head); // of what cannot be read, the name says enough
    }
    excluded(file.file_name()?.to_str()?, &String::from_utf8_lossy(&head), target)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINUX: Target = Target { system: "linux", machine: "amd64" };

    #[test]
    fn a_build_leaves_files_out_by_name_and_by_line() {
        let check = |name: &str, head: &str, taken: bool| {
            assert_eq!(excluded(name, head, LINUX).is_none(), taken, "{name} {head}");
        };
        for name in
            ["a.go", "linux.go", "windows.go", "a_linux.go", "a_linux_test.go", "a_amd64.go", "a_linux_amd64.go"]
        {
            check(name, "package p\n", true);
        }
        for name in
            ["a_windows.go", "a_windows_test.go", "a_arm64.go", "a_linux_arm64.go", "b_darwin_amd64.go", "_a.go"]
        {
            check(name, "package p\n", false);
        }
        check("a_unix.go", "", true);
        check("a_b_c.go", "", true);
        for (line, taken) in [
            ("linux", true),
            ("!linux", false),
            ("!!linux", true),
            ("windows || linux && amd64", true),
            ("(windows || linux) && arm64", false),
            ("!(windows||darwin)", true),
            ("unix && go1.18", true),
            ("ignore", false),
        ] {
            check("a.go", &format!("// Copyright\n\n//go:build {line}\n\npackage p\n"), taken);
        }
        check("a.go", "package p\n\nconst s = `\n//go:build ignore\n`\n", true);
    }

    proptest! {
        #[test]
        fn any_line_has_a_value(line in "([()!]|&&|\\|\\||a| ){0,400}") {
            let _ = holds(&line, LINUX);
        }
    }
}
