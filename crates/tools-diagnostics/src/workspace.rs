//! Roots and confinement of checkers. The defaults are restrictive, because checkers run untrusted
//! code of the project.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tools_core::Redactor;
use tools_sandbox::kernel::{Confinement, MaskRules, Network};
use tools_sandbox::view::{Surroundings, View, ViewRequest};
use tools_sandbox::{PathError, Roots};
use tools_secrets::SecretRedactor;

/// The allowed roots of a call from a working directory.
pub type RootsOf = Arc<dyn Fn(&Path) -> Result<Roots, PathError> + Send + Sync>;
/// Returns the confinement of a child that may write the first list of paths and not read the
/// second.
pub type Confine = Arc<dyn Fn(Vec<PathBuf>, Vec<PathBuf>) -> Confinement + Send + Sync>;

/// Roots and confinement of checkers.
pub(crate) struct Workspace {
    pub(crate) roots: RootsOf,
    /// `None`: no network, and a home that is empty except for toolchains.
    pub(crate) confine: Option<Confine>,
    /// The files that no checker may read: the preset unless other rules are set. Made at the first
    /// use.
    pub(crate) hidden: OnceLock<MaskRules>,
    /// Environment variables passed on although their names look like credentials.
    pub(crate) env_pass: Vec<String>,
    /// Finds credentials in variables, which are then not passed on.
    pub(crate) redactor: Arc<dyn Redactor>,
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            roots: Arc::new(|workdir: &Path| Roots::open(&[], workdir)),
            confine: None,
            hidden: OnceLock::new(),
            env_pass: Vec::new(),
            // Detects credentials by form only: a variable that the operator passes on would be a
            // known value too.
            redactor: Arc::new(SecretRedactor::default()),
        }
    }
}

tools_core::partial_debug!(Workspace { hidden, env_pass });

impl Workspace {
    pub(crate) fn hidden(&self) -> &MaskRules {
        self.hidden.get_or_init(MaskRules::preset)
    }

    /// The confinement of a checker that may write the first list of paths and not read the second.
    pub(crate) fn confinement(&self, writable: Vec<PathBuf>, hidden: Vec<PathBuf>) -> Confinement {
        if let Some(confine) = &self.confine {
            return confine(writable, hidden);
        }
        let ask = ViewRequest {
            writable: &writable,
            further: &[],
            denies: &|path| self.hidden().denies(path),
            handed_in: Vec::new(),
            caches: None,
        };
        let view = Some(Arc::new(View::discover(&Surroundings::of_process(), ask)));
        Confinement { writable, hidden, view, network: Network::Closed, ..Confinement::default() }
    }
}
