//! Place and confinement of checkers. Closed by default: checkers run the project's code, which is
//! not trusted.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tools_core::Redactor;
use tools_sandbox::kernel::{Confinement, MaskRules, Network};
use tools_sandbox::view::{Surroundings, View, ViewRequest};
use tools_sandbox::{PathError, Roots};
use tools_secrets::SecretRedactor;

/// The allowed roots of a call from a working directory.
pub type RootsOf = Arc<dyn Fn(&Path) -> Result<Roots, PathError> + Send + Sync>;
/// Confines a child that may write the first list and not read the second.
pub type Confine = Arc<dyn Fn(Vec<PathBuf>, Vec<PathBuf>) -> Confinement + Send + Sync>;

/// Place and confinement of checkers.
pub(crate) struct Workspace {
    pub(crate) roots: RootsOf,
    /// `None`: no network, and a home that is empty but for toolchains.
    pub(crate) confine: Option<Confine>,
    /// The files that no checker may read: the preset where nothing else is set, made when it is
    /// asked for first.
    pub(crate) hidden: OnceLock<MaskRules>,
    /// Environment variables handed on though their names look like credentials.
    pub(crate) env_pass: Vec<String>,
    /// Finds credentials in variables, which are not handed on then.
    pub(crate) redactor: Arc<dyn Redactor>,
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            roots: Arc::new(|workdir: &Path| Roots::open(&[], workdir)),
            confine: None,
            hidden: OnceLock::new(),
            env_pass: Vec::new(),
            // By shape only: a variable that the operator passes on is a known value, too.
            redactor: Arc::new(SecretRedactor::default()),
        }
    }
}

tools_core::partial_debug!(Workspace { hidden, env_pass });

impl Workspace {
    pub(crate) fn hidden(&self) -> &MaskRules {
        self.hidden.get_or_init(MaskRules::preset)
    }

    /// What a checker is confined to that may write the first list and not read the second.
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
