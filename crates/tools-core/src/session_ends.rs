//! Notification of components that keep data for each session when a session has ended.

use std::{fmt, sync::Arc};

use crate::SessionId;

/// Drops the data of a session.
type Forget = dyn Fn(&SessionId) + Send + Sync;

/// Components that keep data for each session.
#[derive(Default)]
pub struct SessionEnds(Vec<Box<Forget>>);

impl SessionEnds {
    /// Registers `part`, whose `forget` is called at the end of each session.
    pub fn register<P: Send + Sync + ?Sized + 'static>(&mut self, part: &Arc<P>, forget: fn(&P, &SessionId)) {
        let part = Arc::clone(part);
        self.0.push(Box::new(move |session| forget(&part, session)));
    }

    /// Notifies all components that a session has ended.
    pub fn ended(&self, session: &SessionId) {
        self.0.iter().for_each(|forget| forget(session));
    }
}

impl fmt::Debug for SessionEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionEnds").field(&self.0.len()).finish()
    }
}
