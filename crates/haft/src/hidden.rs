//! What commands cannot read: what a tool may not read, no command may read either.

use std::path::{Path, PathBuf};

use tools_sandbox::{ReadRules, closed_places, kernel::MaskRules};

#[cfg(feature = "policy")]
use std::sync::Arc;

#[cfg(feature = "policy")]
use tools_core::Shared;

use crate::config::HaftConfig;
#[cfg(feature = "policy")]
use tools_policy::Gates;

/// What gates refuse commands of one folder to read; nothing in a build without gates. Clones share
/// it.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "policy"), derive(Default))]
pub(crate) struct ClosedPaths {
    #[cfg(feature = "policy")]
    gates: Arc<Gates>,
    #[cfg(feature = "policy")]
    workdir: PathBuf,
    #[cfg(feature = "policy")]
    now: Shared<Vec<tools_policy::gate::ReadRestriction>>,
}

#[cfg(feature = "policy")]
impl ClosedPaths {
    pub(crate) fn new(gates: Arc<Gates>, workdir: &Path) -> Self {
        let now = Shared::new(gates.closes("bash", workdir));
        Self { gates, workdir: workdir.to_owned(), now }
    }

    /// Asks the gates again: their rules are others now.
    pub(crate) fn renew(&self) {
        self.now.store(self.gates.closes("bash", &self.workdir));
    }

    fn places(&self) -> Vec<PathBuf> {
        self.now.load().iter().flat_map(|closed| closed.places.clone()).collect()
    }

    fn denies(&self, path: &Path) -> bool {
        self.now.load().iter().any(|closed| (closed.denies)(path))
    }
}

#[cfg(not(feature = "policy"))]
#[expect(clippy::unused_self, reason = "the same questions as with gates")]
impl ClosedPaths {
    pub(crate) fn renew(&self) {}

    fn places(&self) -> Vec<PathBuf> {
        vec![]
    }

    fn denies(&self, _: &Path) -> bool {
        false
    }
}

/// What commands cannot read under `config`, whose compiled rules are `rules`: with `private`,
/// which is our own.
pub(crate) fn hidden(config: &HaftConfig, rules: &ReadRules, private: Vec<PathBuf>, closed: ClosedPaths) -> MaskRules {
    let places = closed_places(deny_read(config), rules);
    let places: Vec<PathBuf> = places.into_iter().chain(private).chain(closed.places()).collect();
    MaskRules::new(move |path: &Path| closed.denies(path), places).with_rules(rules.clone())
}

/// The patterns that an operator typed; `None` where the preset holds as it is.
fn deny_read(config: &HaftConfig) -> Option<&[String]> {
    #[cfg(feature = "file")]
    return config.tools.file.deny_read.as_deref();
    #[cfg(not(feature = "file"))]
    {
        let _ = config;
        None
    }
}
