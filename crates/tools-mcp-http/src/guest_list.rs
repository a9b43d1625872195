//! The guests of a running server: a list that is replaced as a whole.

use std::{fmt, sync::Arc};

use tokio_util::sync::CancellationToken;
use tools_core::Shared;

use crate::{Guest, HttpError, HttpSettings, guest::AdmittedGuest};

/// The guests of a server. Clones share the list.
#[derive(Clone)]
pub struct GuestList(Arc<List>);

struct List {
    welcomed: Shared<Vec<Arc<AdmittedGuest>>>,
    hosts: Vec<String>,
    settings: HttpSettings,
    /// Cancelled when the server ends.
    stop: CancellationToken,
}

impl GuestList {
    pub(crate) fn new(guests: Vec<Guest>, hosts: Vec<String>, settings: HttpSettings) -> Result<Self, HttpError> {
        let welcomed = Shared::new(vec![]);
        let list = Self(Arc::new(List { welcomed, hosts, settings, stop: CancellationToken::new() }));
        list.replace(&[], guests)?;
        Ok(list)
    }

    /// Admits these guests, and keeps those named in `kept` with their sessions. All others are
    /// removed: their sessions end, and their running calls are cancelled. On an error everything
    /// stays as it was.
    ///
    /// # Errors
    /// [`HttpError::NoGuest`] if no guest would be left, [`HttpError::SameToken`] if two have the
    /// same token.
    pub fn replace(&self, kept: &[&str], new: Vec<Guest>) -> Result<(), HttpError> {
        let before = self.0.welcomed.load();
        let (stay, gone): (Vec<_>, Vec<_>) =
            before.iter().cloned().partition(|guest| kept.contains(&guest.name.as_str()));
        let mut tokens: Vec<(&str, &str)> = stay.iter().map(|guest| (&*guest.token, &*guest.name)).collect();
        for guest in &new {
            if let Some((_, other)) = tokens.iter().find(|(token, _)| *token == guest.token) {
                return Err(HttpError::SameToken((*other).to_owned(), guest.name.clone()));
            }
            tokens.push((&guest.token, &guest.name));
        }
        if tokens.is_empty() {
            return Err(HttpError::NoGuest);
        }
        let List { hosts, settings, stop, welcomed } = &*self.0;
        let entering = new.into_iter().map(|guest| guest.into_admitted(hosts.clone(), settings, stop.child_token()));
        let now = stay.iter().cloned().chain(entering.map(Arc::new)).collect();
        welcomed.store(now);
        for guest in gone {
            guest.stop.cancel();
        }
        Ok(())
    }

    /// The guest whose token has this digest.
    pub(crate) fn of_token(&self, token: &str) -> Option<Arc<AdmittedGuest>> {
        self.0.welcomed.load().iter().find(|guest| guest.token == token).cloned()
    }

    /// Ends all sessions.
    pub(crate) fn end(&self) {
        self.0.stop.cancel();
    }
}

impl fmt::Debug for GuestList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let welcomed = self.0.welcomed.load();
        f.debug_list().entries(welcomed.iter().map(|guest| &guest.name)).finish()
    }
}
