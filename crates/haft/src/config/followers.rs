//! Parts that follow a configuration: compiled once at the start, and again from each new one that
//! is put in force.

use std::fmt;

use super::{LoadError, LoadedConfig};

/// Puts a compiled part in force. It cannot fail.
pub(crate) type Swap = Box<dyn FnOnce() + Send>;

/// Compiles a part from another configuration without changing anything.
type Compile = dyn Fn(&LoadedConfig) -> Result<Swap, LoadError> + Send + Sync;

/// Parts that follow a configuration, in the order in which they were created: dependencies come
/// before the parts that use them.
///
/// Another configuration applies completely or not at all: [`Followers::compiled`] compiles every
/// part, and the returned steps put them in force.
#[derive(Default)]
pub(crate) struct Followers(Vec<Box<Compile>>);

impl Followers {
    /// Adds a part that follows configuration changes.
    pub(crate) fn follow<F: FnOnce() + Send + 'static>(
        &mut self,
        compile: impl Fn(&LoadedConfig) -> Result<F, LoadError> + Send + Sync + 'static,
    ) {
        self.0.push(Box::new(move |loaded| Ok(Box::new(compile(loaded)?))));
    }

    /// Compiles a policy from a section of `loaded`, and again from each later configuration.
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

    /// Makes a policy follow its section.
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

    /// Makes a part follow a section that cannot be invalid.
    #[cfg(any(feature = "cache", feature = "filter", feature = "overflow"))]
    pub(crate) fn follow_section<P: Send + Sync + 'static, S: Clone + Send + 'static>(
        &mut self,
        part: &std::sync::Arc<P>,
        section: fn(&LoadedConfig) -> &S,
        follow: fn(&P, &S),
    ) {
        let part = std::sync::Arc::clone(part);
        self.follow(move |loaded| {
            let (part, new) = (std::sync::Arc::clone(&part), section(loaded).clone());
            Ok(move || follow(&part, &new))
        });
    }

    /// Compiles another configuration and returns the steps that put it in force; changes nothing
    /// yet.
    ///
    /// # Errors
    /// The first part that cannot be compiled.
    pub(crate) fn compiled(&self, loaded: &LoadedConfig) -> Result<Vec<Swap>, LoadError> {
        self.0.iter().map(|compile| compile(loaded)).collect()
    }
}

impl fmt::Debug for Followers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Followers").field(&self.0.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
        let mut parts = Followers::default();
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
        let (part, mut parts) = (Arc::new(Shared::new(0)), Followers::default());
        parts.follow_section(&part, |loaded| &loaded.config.mcp.question_timeout, |part, new| part.store(*new));
        let swaps = parts.compiled(&loaded(3, 4)).unwrap();
        assert_eq!(*part.load(), 0);
        for swap in swaps {
            swap();
        }
        assert_eq!(*part.load(), 3);
    }
}
