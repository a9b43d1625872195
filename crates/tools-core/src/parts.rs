//! What a host is made of beside its tools: parts that bring layers, follow other configurations,
//! and forget sessions that have ended. Which parts there are is the business of the host.

use std::{
    fmt,
    sync::{Arc, Mutex, Weak},
};

use crate::{KeyFault, Layer, Locked as _, SessionId, Shared};

/// A configuration that parts are compiled from. Called by [`PartList::policy`].
pub trait PartConfig {
    /// Reason why a configuration is refused.
    type Error;

    /// The reason, for a fault of a key in `section`.
    fn refused(&self, section: &str, fault: KeyFault) -> Self::Error;
}

/// Puts in force what was compiled. It cannot fail.
pub type Swap = Box<dyn FnOnce() + Send>;

/// Compiles a part of another configuration without changing anything.
type Compile<C> = dyn Fn(&C) -> Result<Swap, <C as PartConfig>::Error> + Send + Sync;

/// Forgets what is kept of a session.
type Forget = dyn Fn(&SessionId) + Send + Sync;

/// Parts of a host, in the order in which they were made: what others ask comes before them.
///
/// Another configuration counts whole or not at all: [`PartList::compiled`] compiles every part,
/// and what it gives puts them in force.
pub struct PartList<C: PartConfig> {
    /// The layers that they bring. The host puts them in order.
    pub layers: Vec<Arc<dyn Layer>>,
    compile: Vec<Box<Compile<C>>>,
    forget: Vec<Box<Forget>>,
}

impl<C: PartConfig + 'static> PartList<C> {
    /// Has a part follow other configurations.
    pub fn follow<F: FnOnce() + Send + 'static>(
        &mut self,
        compile: impl Fn(&C) -> Result<F, C::Error> + Send + Sync + 'static,
    ) {
        self.compile.push(Box::new(move |config| Ok(Box::new(compile(config)?))));
    }

    /// A policy that is compiled from a section of `config`, and of each configuration that
    /// follows.
    ///
    /// # Errors
    /// A value that cannot be used.
    pub fn policy<P: Send + Sync + 'static>(
        &mut self,
        config: &C,
        section: &'static str,
        compile: impl Fn(&C) -> Result<P, KeyFault> + Send + Sync + 'static,
    ) -> Result<Shared<P>, C::Error> {
        let policy = Shared::new(compile(config).map_err(|fault| config.refused(section, fault))?);
        self.renew(&policy, section, compile);
        Ok(policy)
    }

    /// Has a policy follow its section.
    pub fn renew<P: Send + Sync + 'static>(
        &mut self,
        policy: &Shared<P>,
        section: &'static str,
        compile: impl Fn(&C) -> Result<P, KeyFault> + Send + Sync + 'static,
    ) {
        let live = policy.clone();
        self.follow(move |config| {
            let (live, new) = (live.clone(), compile(config).map_err(|fault| config.refused(section, fault))?);
            Ok(move || live.store(new))
        });
    }

    /// Has a part follow a section that cannot be wrong.
    pub fn heed<P: Send + Sync + 'static, S: Clone + Send + 'static>(
        &mut self,
        part: &Arc<P>,
        section: fn(&C) -> &S,
        follow: fn(&P, &S),
    ) {
        let part = Arc::clone(part);
        self.follow(move |config| {
            let (part, new) = (Arc::clone(&part), section(config).clone());
            Ok(move || follow(&part, &new))
        });
    }

    /// Has a part hear of the end of sessions.
    pub fn forget<P: Send + Sync + ?Sized + 'static>(&mut self, part: &Arc<P>, forget: fn(&P, &SessionId)) {
        let part = Arc::clone(part);
        self.forget.push(Box::new(move |session| forget(&part, session)));
    }

    /// Compiles another configuration, and gives the steps that put it in force; nothing is changed
    /// yet.
    ///
    /// # Errors
    /// The first part that cannot be compiled.
    pub fn compiled(&self, config: &C) -> Result<Vec<Swap>, C::Error> {
        self.compile.iter().map(|compile| compile(config)).collect()
    }

    /// Tells all parts that a session has ended.
    pub fn end(&self, session: &SessionId) {
        self.forget.iter().for_each(|forget| forget(session));
    }
}

impl<C: PartConfig> Default for PartList<C> {
    fn default() -> Self {
        Self { layers: vec![], compile: vec![], forget: vec![] }
    }
}

impl<C: PartConfig> fmt::Debug for PartList<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartList").field("layers", &self.layers).finish_non_exhaustive()
    }
}

/// Values that somebody still uses.
#[derive(Debug)]
pub struct InUse<T>(Mutex<Vec<Weak<T>>>);

impl<T> InUse<T> {
    /// Lists a value for as long as it is used.
    pub fn keep(&self, value: &Arc<T>) {
        let mut all = self.0.locked();
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(value));
    }

    /// All that are used now.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.0.locked().iter().filter_map(Weak::upgrade).collect()
    }
}

impl<T> Default for InUse<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl PartConfig for (i32, i32) {
        type Error = String;

        fn refused(&self, section: &str, fault: KeyFault) -> String {
            fault.below(section).key
        }
    }

    #[test]
    fn another_configuration_counts_whole_or_not_at_all() {
        let positive = |value| (value > 0).then_some(value).ok_or(KeyFault::new("value", "not positive"));
        let mut parts = PartList::default();
        let first = parts.policy(&(1, 2), "first", move |config| positive(config.0)).unwrap();
        let second = parts.policy(&(1, 2), "second", move |config| positive(config.1)).unwrap();
        assert_eq!(parts.compiled(&(3, -4)).err().as_deref(), Some("second.value"));
        let swaps = parts.compiled(&(3, 4)).unwrap();
        assert_eq!((*first.load(), *second.load()), (1, 2));
        for swap in swaps {
            swap();
        }
        assert_eq!((*first.load(), *second.load()), (3, 4));
    }

    #[test]
    fn a_part_heeds_its_section_when_all_is_put_in_force() {
        let (part, mut parts) = (Arc::new(Mutex::new(0)), PartList::default());
        parts.heed(&part, |config: &(i32, i32)| &config.1, |part, new| *part.locked() = *new);
        let swaps = parts.compiled(&(3, 4)).unwrap();
        assert_eq!(*part.locked(), 0);
        for swap in swaps {
            swap();
        }
        assert_eq!(*part.locked(), 4);
    }

    #[test]
    fn a_value_that_nobody_uses_is_not_listed() {
        let (used, values) = (Arc::new(1), InUse::default());
        values.keep(&used);
        values.keep(&Arc::new(2));
        assert_eq!(values.all(), [used]);
    }
}
