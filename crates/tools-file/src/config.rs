//! Configuration of the file tools, and its compiled form.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::Redactor;
use tools_sandbox::{PathError, ReadRules, ReservedFiles, Roots, expand_home};

use crate::temporary_files::TemporaryFiles;

/// The section `[tools.file]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FileConfig {
    /// Directories that the file tools may use, `~` being the home. Empty: only the working
    /// directory of the call.
    #[schemars(extend("x-applies" = "next_start"))]
    pub allowed_paths: Vec<PathBuf>,
    /// Globs on canonical absolute paths whose content no tool may reveal. Unset: a built-in list
    /// of secret files (`**/.env`, `**/secrets/**`, `~/.ssh`, …). `[]`: no path is denied. A
    /// leading `!` makes an exception; a list of exceptions only makes them from the built-in list.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = "extend", "x-unset" = tools_sandbox::SECRET_PRESET))]
    pub deny_read: Option<Vec<String>>,
    /// Globs of the only paths that may be read; `deny_read` takes precedence. Empty: everything
    /// that is not denied.
    #[schemars(extend("x-applies" = "next_start"))]
    pub allow_read: Vec<String>,
    /// Lines that `read` shows when the call does not say how many.
    pub read_lines: u64,
    /// Maximum number of bytes of text that one `read` shows.
    pub read_bytes: usize,
    /// Number of characters after which `read` cuts a line. `grep` shows a quarter of that, around
    /// the match.
    pub line_chars: usize,
    /// Maximum size in bytes of an image that `read` shows to the model.
    pub image_bytes: u64,
    /// Maximum size in bytes of a file that can be edited.
    #[schemars(extend("x-overlay" = "lower"))]
    pub edit_bytes: u64,
    /// Matching lines that `grep` shows when the call does not say how many.
    pub grep_matches: usize,
    /// Paths that `find_path` shows when the call does not say how many.
    pub find_paths: usize,
    /// Entries that `list_directory` shows when the call does not say how many.
    pub list_entries: usize,
    /// Files and directories that one `grep` or `find_path` visits before it stops and says so.
    pub search_entries: u64,
    /// Threads of one `grep` or `find_path`. `0`: as many as the machine has, at most eight.
    pub search_threads: usize,
}

impl Default for FileConfig {
    fn default() -> Self {
        Self {
            allowed_paths: Vec::new(),
            deny_read: None,
            allow_read: Vec::new(),
            read_lines: 2000,
            read_bytes: 256 * 1024,
            line_chars: 2000,
            image_bytes: 5 * 1024 * 1024,
            edit_bytes: 16 * 1024 * 1024,
            grep_matches: 100,
            find_paths: 1000,
            list_entries: 1000,
            search_entries: 2_000_000,
            search_threads: 0,
        }
    }
}

impl FileConfig {
    /// The configured directories for calls from `base`: relative ones are resolved from `base`,
    /// and `~` is `home`. A path whose home is not known stays as it is, and cannot be opened.
    pub fn folders(&self, base: &Path, home: Option<&Path>) -> Vec<PathBuf> {
        if self.allowed_paths.is_empty() {
            return vec![base.to_owned()];
        }
        let named = self.allowed_paths.iter();
        named.map(|path| base.join(expand_home(path, home).unwrap_or_else(|| path.clone()))).collect()
    }

    /// Rules for paths that are denied to every tool that could reveal their content. Relative
    /// globs are resolved from `base`, and `~` is `home`.
    ///
    /// # Errors
    /// A glob that is not valid.
    pub fn read_rules(&self, base: &Path, home: Option<&Path>) -> Result<ReadRules, PathError> {
        ReadRules::compile(self.deny_read.as_deref(), &self.allow_read, base, home)
    }

    /// Opens the roots and compiles the globs.
    ///
    /// Relative paths are taken from `base`, `~` is `home`.
    ///
    /// # Errors
    /// A root that cannot be opened or a glob that is not valid: a rule that cannot hold is never
    /// skipped.
    pub fn compile(&self, base: &Path, home: Option<&Path>) -> Result<FilePolicy, PathError> {
        let rules = || self.read_rules(base, home);
        self.compile_by(base, home, rules)
    }

    /// Does the same as [`Self::compile`], with the result of [`Self::read_rules`] for the same
    /// folders.
    ///
    /// # Errors
    /// A root that cannot be opened.
    pub fn compile_under(&self, base: &Path, home: Option<&Path>, rules: ReadRules) -> Result<FilePolicy, PathError> {
        self.compile_by(base, home, || Ok(rules))
    }

    fn compile_by(
        &self,
        base: &Path,
        home: Option<&Path>,
        rules: impl FnOnce() -> Result<ReadRules, PathError>,
    ) -> Result<FilePolicy, PathError> {
        let roots = match self.allowed_paths.as_slice() {
            // A directory that does not exist yet is opened, or refused, when a call comes from it.
            [] => AllowedPaths::Workdir { usual: base.to_owned(), opened: Roots::open(&[], base).ok() },
            _ => AllowedPaths::Listed(Roots::open(&self.folders(base, home), base)?),
        };
        let rules = rules()?;
        let (reserved, unfinished, spellings) = (ReservedFiles::default(), Arc::default(), Arc::default());
        Ok(FilePolicy {
            roots,
            rules,
            closing: None,
            reserved,
            spellings,
            unfinished,
            limits: self.clone(),
            hiding: None,
        })
    }
}

/// Directories in which the tools may work.
#[derive(Debug, Clone)]
enum AllowedPaths {
    /// In these roots.
    Listed(Roots),
    /// The working directory of each call. Most calls come from the usual one, which is kept open.
    Workdir { usual: PathBuf, opened: Option<Roots> },
}

/// Policy of the file tools: open roots, compiled read rules, limits.
#[derive(Debug, Clone)]
pub struct FilePolicy {
    roots: AllowedPaths,
    rules: ReadRules,
    closing: Option<PathRestriction>,
    reserved: ReservedFiles,
    /// Folders as users spell them, each with its canonical path.
    spellings: Arc<[(PathBuf, PathBuf)]>,
    unfinished: Arc<TemporaryFiles>,
    limits: FileConfig,
    hiding: Option<LineRedactor>,
}

/// Removes credentials from files before their lines are numbered, cut or searched.
#[derive(Debug, Clone)]
pub(crate) struct LineRedactor(pub(crate) Arc<dyn Redactor>);

/// Canonical paths that a tool must not read, in addition to the read rules; `None` where only the
/// read rules apply.
#[derive(Clone)]
pub struct PathRestriction(Arc<CloseFor>);

type CloseFor = dyn Fn(&str, &Path) -> Option<Denies> + Send + Sync;
type Denies = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

impl PathRestriction {
    /// A restriction that calls `close` for each call, with the name of the tool and the working
    /// directory.
    pub fn new(close: impl Fn(&str, &Path) -> Option<Denies> + Send + Sync + 'static) -> Self {
        Self(Arc::new(close))
    }
}

tools_core::partial_debug!(PathRestriction {});

/// Restrictions for one tool.
pub(crate) struct ToolRestriction {
    /// Files whose content the tool must not return.
    pub(crate) rules: ReadRules,
    /// Files that the tool must not even name. Files denied by the read rules alone may be named.
    pub(crate) names: ReadRules,
}

impl FilePolicy {
    /// The roots of a call from `workdir`.
    ///
    /// # Errors
    /// [`PathError::Root`] when the working directory is the only root and cannot be opened,
    /// [`PathError::Everything`] when it is the only root and the root of the machine.
    pub fn roots(&self, workdir: &Path) -> Result<Roots, PathError> {
        let roots = match &self.roots {
            AllowedPaths::Listed(roots) => roots.clone(),
            AllowedPaths::Workdir { usual, opened: Some(roots) } if usual == workdir && roots.is_only(workdir) => {
                roots.clone()
            }
            AllowedPaths::Workdir { .. } => Roots::open(&[], workdir)?.reserving(&self.reserved),
        };
        if matches!(self.roots, AllowedPaths::Workdir { .. }) && roots.is_only(Path::new("/")) {
            return Err(PathError::Everything);
        }
        Ok(if self.spellings.is_empty() { roots } else { roots.spelled(&self.spellings) })
    }

    /// Adds folders as users spell them, each with its canonical path, for paths that begin with
    /// them.
    pub fn spelled(self, spellings: &[(PathBuf, PathBuf)]) -> Self {
        Self { spellings: spellings.into(), ..self }
    }

    /// Protects `reserved`, the host's own rules and record, from changes by any tool.
    pub fn reserving(self, reserved: ReservedFiles) -> Self {
        let roots = match self.roots {
            AllowedPaths::Listed(roots) => AllowedPaths::Listed(roots.reserving(&reserved)),
            AllowedPaths::Workdir { usual, opened } => {
                AllowedPaths::Workdir { usual, opened: opened.map(|roots| roots.reserving(&reserved)) }
            }
        };
        Self { roots, reserved, ..self }
    }

    /// Records temporary names in `folder` while they are in use, and removes files that killed
    /// programs have left behind. Nothing is recorded if the folder cannot be written.
    pub fn recording(self, folder: &Path) -> Self {
        Self { unfinished: Arc::new(TemporaryFiles::in_folder(folder)), ..self }
    }

    pub(crate) fn unfinished(&self) -> &TemporaryFiles {
        &self.unfinished
    }

    /// Denies the canonical files and folders in `places`, regardless of what the rules allow.
    pub fn closing(self, places: &[PathBuf]) -> Self {
        Self { rules: self.rules.closing(places), ..self }
    }

    /// Denies each tool the paths that `closing` returns for the name of the tool and the working
    /// directory. It is asked again for each call.
    pub fn closing_by_tool(self, closing: PathRestriction) -> Self {
        Self { closing: Some(closing), ..self }
    }

    /// Hides credentials in `read` and `grep`. Text before a window can affect what is hidden in
    /// it, and no pattern matches inside a credential.
    pub fn redacting(self, redactor: Arc<dyn Redactor>) -> Self {
        Self { hiding: Some(LineRedactor(redactor)), ..self }
    }

    pub(crate) fn hiding(&self) -> Option<&LineRedactor> {
        self.hiding.as_ref()
    }

    /// The restrictions for one tool in a call from `workdir`, in addition to those for all tools;
    /// `None` if there are none.
    pub(crate) fn closed_to(&self, tool: &str, workdir: &Path) -> Option<ToolRestriction> {
        let denies = self.closing.as_ref().and_then(|closing| (closing.0)(tool, workdir))?;
        let names = ReadRules::unrestricted().closing_where(Arc::clone(&denies));
        Some(ToolRestriction { rules: self.rules.clone().closing_where(denies), names })
    }

    /// Rules for the files that are denied to every tool.
    pub fn rules(&self) -> &ReadRules {
        &self.rules
    }

    pub(crate) fn limits(&self) -> &FileConfig {
        &self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_machine_is_a_root_only_where_somebody_names_it() {
        let root = Path::new("/");
        let usual = FileConfig::default().compile(root, None).unwrap();
        assert!(matches!(usual.roots(root), Err(PathError::Everything)));
        let named = FileConfig { allowed_paths: vec![root.to_owned()], ..FileConfig::default() };
        assert!(named.compile(root, None).unwrap().roots(root).is_ok());
    }
}
