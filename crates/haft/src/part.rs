//! The parts of a toolbox: each knows one section of the configuration, brings layers, follows
//! other configurations, and forgets sessions that have ended.

use std::{fmt, path::Path, sync::Arc};

use tools_core::{Layer, Redactor, SessionId};
use tools_sandbox::ReadRules;
use tools_secrets::LiveSecrets;

use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// Puts in force what was compiled. It cannot fail.
pub(crate) type Swap = Box<dyn FnOnce() + Send>;

/// Compiles a part of another configuration without changing anything.
type Compile = dyn Fn(&LoadedConfig) -> Result<Swap, LoadError> + Send + Sync;

/// Forgets what is kept of a session.
type Forget = dyn Fn(&SessionId) + Send + Sync;

/// What the parts of a toolbox do beside their main work, in the order in which they were made:
/// what others ask comes before them.
///
/// Another configuration counts whole or not at all: [`PartList::compiled`] compiles every part,
/// and what it gives puts them in force.
#[derive(Default)]
pub(crate) struct PartList {
    /// The layers that they bring. Their places are the business of `stack.rs`.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    compile: Vec<Box<Compile>>,
    forget: Vec<Box<Forget>>,
}

impl PartList {
    /// Has a part follow other configurations.
    pub(crate) fn follow<F: FnOnce() + Send + 'static>(
        &mut self,
        compile: impl Fn(&LoadedConfig) -> Result<F, LoadError> + Send + Sync + 'static,
    ) {
        self.compile.push(Box::new(move |loaded| Ok(Box::new(compile(loaded)?))));
    }

    /// A policy that is compiled from a section of `loaded`, and of each configuration that
    /// follows.
    ///
    /// # Errors
    /// A value that cannot be used.
    #[cfg(any(
        feature = "audit",
        feature = "code",
        feature = "diagnostics",
        feature = "retry",
        feature = "scheduler",
        feature = "web"
    ))]
    pub(crate) fn policy<P: Send + Sync + 'static>(
        &mut self,
        loaded: &LoadedConfig,
        section: &'static str,
        compile: impl Fn(&LoadedConfig) -> Result<P, tools_core::KeyFault> + Send + Sync + 'static,
    ) -> Result<tools_core::Shared<P>, LoadError> {
        let policy = tools_core::Shared::new(compile(loaded).map_err(|fault| loaded.fault_in(section, fault))?);
        self.renew(&policy, section, compile);
        Ok(policy)
    }

    /// Has a policy follow its section.
    #[cfg(any(
        feature = "audit",
        feature = "code",
        feature = "diagnostics",
        feature = "memory",
        feature = "retry",
        feature = "scheduler",
        feature = "web"
    ))]
    pub(crate) fn renew<P: Send + Sync + 'static>(
        &mut self,
        policy: &tools_core::Shared<P>,
        section: &'static str,
        compile: impl Fn(&LoadedConfig) -> Result<P, tools_core::KeyFault> + Send + Sync + 'static,
    ) {
        let live = policy.clone();
        self.follow(move |loaded| {
            let (live, new) = (live.clone(), compile(loaded).map_err(|fault| loaded.fault_in(section, fault))?);
            Ok(move || live.store(new))
        });
    }

    /// Has a part follow a section that cannot be wrong.
    #[cfg(any(feature = "cache", feature = "filter", feature = "overflow"))]
    pub(crate) fn heed<P: Send + Sync + 'static, S: Clone + Send + 'static>(
        &mut self,
        part: &Arc<P>,
        section: fn(&LoadedConfig) -> &S,
        follow: fn(&P, &S),
    ) {
        let part = Arc::clone(part);
        self.follow(move |loaded| {
            let (part, new) = (Arc::clone(&part), section(loaded).clone());
            Ok(move || follow(&part, &new))
        });
    }

    /// Has a part hear of the end of sessions.
    pub(crate) fn forget<P: Send + Sync + ?Sized + 'static>(&mut self, part: &Arc<P>, forget: fn(&P, &SessionId)) {
        let part = Arc::clone(part);
        self.forget.push(Box::new(move |session| forget(&part, session)));
    }

    /// Compiles another configuration, and gives the steps that put it in force; nothing is changed
    /// yet.
    ///
    /// # Errors
    /// The first part that cannot be compiled.
    pub(crate) fn compiled(&self, loaded: &LoadedConfig) -> Result<Vec<Swap>, LoadError> {
        self.compile.iter().map(|compile| compile(loaded)).collect()
    }

    /// Tells all parts that a session has ended.
    pub(crate) fn end(&self, session: &SessionId) {
        self.forget.iter().for_each(|forget| forget(session));
    }
}

impl fmt::Debug for PartList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartList").field("layers", &self.layers).finish_non_exhaustive()
    }
}

/// Makes the parts that all tools share, with one method for each, in the file of its topic. What
/// cannot be compiled is an error by key and line.
pub(crate) struct PartMaker<'a> {
    pub(crate) loaded: &'a LoadedConfig,
    /// Its values, shared with the parts that keep the whole configuration.
    pub(crate) config: &'a Arc<HaftConfig>,
    /// The folder that calls come from.
    pub(crate) workdir: &'a Path,
    /// The read rules of the configuration.
    pub(crate) rules: &'a ReadRules,
    /// The file in which the configuration stands, or would stand.
    pub(crate) beside: Option<&'a Path>,
    pub(crate) credentials: Arc<LiveSecrets>,
    pub(crate) list: PartList,
}

impl PartMaker<'_> {
    /// Takes credentials out of what parts show and store.
    pub(crate) fn redactor(&self) -> Arc<dyn Redactor> {
        Arc::new(self.credentials.redactor().clone())
    }
}

#[cfg(test)]
mod tests {
    use tools_core::{KeyFault, Shared};

    use super::*;

    fn loaded(first: u64, second: u64) -> LoadedConfig {
        let text = format!("[mcp]\nquestion_timeout = {first}\nanswer_bytes = {second}\n");
        LoadedConfig::parse(&text, &|_| None).unwrap()
    }

    #[cfg(feature = "audit")]
    #[test]
    fn another_configuration_counts_whole_or_not_at_all() {
        let (first, second) = (Shared::new(1), Shared::new(Some(2)));
        let mut parts = PartList::default();
        parts.renew(&first, "first", |loaded| Ok(loaded.config.mcp.question_timeout));
        parts.renew(&second, "second", |loaded| match loaded.config.mcp.answer_bytes {
            Some(0) => Err(KeyFault::new("value", "not positive")),
            other => Ok(other),
        });
        assert!(parts.compiled(&loaded(3, 0)).err().unwrap().to_string().contains("`second.value`"));
        let swaps = parts.compiled(&loaded(3, 4)).unwrap();
        assert_eq!((*first.load(), *second.load()), (1, Some(2)));
        for swap in swaps {
            swap();
        }
        assert_eq!((*first.load(), *second.load()), (3, Some(4)));
    }

    #[cfg(feature = "filter")]
    #[test]
    fn a_part_heeds_its_section_when_all_is_put_in_force() {
        let (part, mut parts) = (Arc::new(Shared::new(0)), PartList::default());
        parts.heed(&part, |loaded| &loaded.config.mcp.question_timeout, |part, new| part.store(*new));
        let swaps = parts.compiled(&loaded(3, 4)).unwrap();
        assert_eq!(*part.load(), 0);
        for swap in swaps {
            swap();
        }
        assert_eq!(*part.load(), 3);
    }
}
