//! Copies of the user's settings for git and package managers, without credentials, for commands.

use std::fs::Metadata;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tools_core::FileState;
use tools_sandbox::expand_home;
use tools_sandbox::view::SubstituteFile;

use super::formats::{Format, stripped};

/// Maximum length in bytes of one file.
const MAX_BYTES: u64 = 256 * 1024;
/// Maximum number and depth of files that git's configuration includes.
const MAX_INCLUDED: usize = 32;

/// One settings file: its place in the home, its format, and the variable that names another file.
struct Settings {
    home: &'static str,
    format: Format,
    variable: Option<&'static str>,
}

const fn settings(home: &'static str, format: Format, variable: Option<&'static str>) -> Settings {
    Settings { home, format, variable }
}

const SETTINGS: &[Settings] = &[
    settings(".gitconfig", Format::Git, Some("GIT_CONFIG_GLOBAL")),
    settings(".config/git/config", Format::Git, Some("GIT_CONFIG_GLOBAL")),
    settings(".config/git/ignore", Format::Plain, None),
    settings(".config/git/attributes", Format::Plain, None),
    settings(".gitignore", Format::Plain, None),
    settings(".gitignore_global", Format::Plain, None),
    settings(".gitattributes", Format::Plain, None),
    settings(".gitmessage", Format::Plain, None),
    settings(".ssh/known_hosts", Format::Hosts, None),
    settings(".npmrc", Format::Npm, Some("NPM_CONFIG_USERCONFIG")),
    settings(".config/pnpm/rc", Format::Npm, None),
    settings(".yarnrc", Format::Yaml, None),
    settings(".yarnrc.yml", Format::Yaml, None),
    settings(".bunfig.toml", Format::Toml, None),
    settings(".config/pip/pip.conf", Format::Pip, Some("PIP_CONFIG_FILE")),
    settings(".pip/pip.conf", Format::Pip, Some("PIP_CONFIG_FILE")),
    settings(".pydistutils.cfg", Format::Ini, None),
    settings(".config/uv/uv.toml", Format::Toml, Some("UV_CONFIG_FILE")),
    settings(".config/pypoetry/config.toml", Format::Toml, None),
    settings(".cargo/config", Format::Toml, None),
    settings(".cargo/config.toml", Format::Toml, None),
    settings(".config/go/env", Format::Ini, Some("GOENV")),
    settings(".m2/settings.xml", Format::Maven, None),
    settings(".rustfmt.toml", Format::Toml, None),
    settings(".config/rustfmt/rustfmt.toml", Format::Toml, None),
    settings(".clang-format", Format::Yaml, None),
    settings(".editorconfig", Format::Ini, None),
    settings(".tool-versions", Format::Plain, None),
    settings(".asdfrc", Format::Ini, Some("ASDF_CONFIG_FILE")),
    settings(".config/mise/config.toml", Format::Toml, Some("MISE_GLOBAL_CONFIG_FILE")),
    settings(".nvmrc", Format::Plain, None),
    settings(".node-version", Format::Plain, None),
    settings(".python-version", Format::Plain, None),
    settings(".ruby-version", Format::Plain, None),
    settings(".java-version", Format::Plain, None),
];

/// State of a file at one moment; if the file has changed since, its copy is made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    path: PathBuf,
    state: Option<FileState>,
}

impl Stamp {
    pub(super) fn of(path: &Path) -> Self {
        Self::found(path, std::fs::metadata(path).ok().as_ref())
    }

    fn found(path: &Path, metadata: Option<&Metadata>) -> Self {
        Self { path: path.to_owned(), state: metadata.map(FileState::from) }
    }

    pub(super) fn is_current(&self) -> bool {
        std::fs::metadata(&self.path).ok().as_ref().map(FileState::from) == self.state
    }
}

/// The copies, and their sources.
#[derive(Debug, Default)]
pub(super) struct Copies {
    pub(super) handed_in: Vec<SubstituteFile>,
    /// Settings files that were left out: credentials could not be removed reliably, or the files
    /// are denied.
    pub(super) left_out: Vec<PathBuf>,
    pub(super) stamps: Vec<Stamp>,
}

impl Copies {
    /// Copies the settings of a home. `cargo` is cargo's folder. Files for which `is_denied` is
    /// true are left out: a person denied them, which is stricter than the preset for usual
    /// credentials.
    pub(super) fn make(home: &Path, cargo: Option<&Path>, is_denied: &dyn Fn(&Path) -> bool) -> Self {
        let mut copies = Self::default();
        for settings in SETTINGS {
            let path = match (settings.home.strip_prefix(".cargo/"), cargo) {
                (Some(inner), Some(cargo)) => cargo.join(inner),
                _ => home.join(settings.home),
            };
            copies.add(home, &path, settings.format, settings.variable, is_denied);
        }
        copies
    }

    fn add(
        &mut self,
        home: &Path,
        path: &Path,
        format: Format,
        variable: Option<&'static str>,
        is_denied: &dyn Fn(&Path) -> bool,
    ) {
        let metadata = std::fs::metadata(path).ok();
        self.stamps.push(Stamp::found(path, metadata.as_ref()));
        let Some(text) = metadata.and_then(|metadata| read(path, &metadata)) else { return };
        let Some(content) = stripped(format, &text).filter(|_| !is_denied(path)) else {
            self.left_out.push(path.to_owned());
            return;
        };
        let included = if format == Format::Git { included(&content) } else { vec![] };
        self.handed_in.push(SubstituteFile { path: path.to_owned(), content: content.into_bytes(), variable });
        let base = path.parent().unwrap_or(home);
        for (name, format) in included {
            let Some(path) = expand_home(name, Some(home)).map(|path| base.join(path)) else { continue };
            let is_known = self.stamps.iter().any(|stamp| stamp.path == path);
            if !is_known && self.handed_in.len() < SETTINGS.len() + MAX_INCLUDED {
                self.add(home, &path, format, None, is_denied);
            }
        }
    }
}

fn read(path: &Path, metadata: &Metadata) -> Option<String> {
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The files that a git configuration names: other configurations, and lists that it reads.
fn included(text: &str) -> Vec<(String, Format)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.split([' ', ']']).next().unwrap_or_default().to_ascii_lowercase();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let format = match (section.as_str(), key.trim().to_ascii_lowercase().as_str()) {
            ("include" | "includeif", "path") => Format::Git,
            ("core", "excludesfile" | "attributesfile") | ("commit", "template") | ("blame", "ignorerevsfile") => {
                Format::Plain
            }
            ("gpg \"ssh\"" | "gpg", "allowedsignersfile") => Format::Plain,
            _ => continue,
        };
        found.push((value.trim().trim_matches('"').to_owned(), format));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_copied_with_what_they_include_and_without_credentials() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            ".gitconfig",
            "[include]\n\tpath = ~/work/git.conf\n[core]\n\texcludesFile = ignored\n[credential]\n\thelper = store\n",
        );
        write("work/git.conf", "[user]\n\tname = A B\n[include]\n\tpath = ~/.gitconfig\n");
        write("ignored", "*.swp\n");
        write(".npmrc", "//r/:_authToken=abc\n");
        write(".cargo/config.toml", "a = [");
        write(".nvmrc", "20\n");
        let denied = home.path().join(".nvmrc");
        let copies = Copies::make(home.path(), None, &|path| path == denied);
        let names = |paths: Vec<PathBuf>| -> Vec<String> {
            paths.iter().map(|path| path.strip_prefix(home.path()).unwrap().display().to_string()).collect()
        };
        let handed_in = copies.handed_in.iter().map(|copy| copy.path.clone()).collect();
        assert_eq!(names(handed_in), [".gitconfig", "work/git.conf", "ignored", ".npmrc"]);
        assert_eq!(names(copies.left_out.clone()), [".cargo/config.toml", ".nvmrc"]);
        assert!(copies.stamps.iter().all(Stamp::is_current));
        write(".npmrc", "registry=https://r.example\n");
        assert!(!copies.stamps.iter().all(Stamp::is_current));
    }
}
