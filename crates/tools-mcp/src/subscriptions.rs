//! Subscriptions of a client to resources. The host decides which resources change; this module
//! stores the subscriptions and notifies the client when a call may have changed them.

use std::{collections::BTreeSet, sync::Mutex};

use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::{ErrorData, Peer, RoleServer};
use tools_core::Locked as _;

use crate::connection::Connection;
use crate::resource_requests::{invalid, refused_at};

/// Maximum number of resources that a client can be subscribed to.
pub(crate) const MAX_SUBSCRIPTIONS: usize = 100;

/// Subscribed resources of a connection's client.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions(Mutex<BTreeSet<String>>);

impl Subscriptions {
    /// Adds a subscription; `false` if there are too many.
    fn add(&self, uri: &str) -> bool {
        let mut all = self.0.locked();
        let has_room = all.len() < MAX_SUBSCRIPTIONS || all.contains(uri);
        if has_room {
            all.insert(uri.to_owned());
        }
        has_room
    }

    fn remove(&self, uri: &str) {
        self.0.locked().remove(uri);
    }

    fn all(&self) -> Vec<String> {
        self.0.locked().iter().cloned().collect()
    }
}

impl Connection {
    /// Whether the content of a URI changes with the calls of the session.
    pub(crate) fn changes(&self, uri: &str) -> bool {
        self.resources().is_some_and(|resources| resources.changes(uri))
    }

    /// Subscribes a client of a version before 2026-07-28. A resource that never changes causes no
    /// notifications; one that cannot be read is refused.
    pub(crate) async fn subscribe(&self, uri: &str) -> Result<(), ErrorData> {
        if !self.changes(uri) {
            let resources = self.resources().ok_or_else(|| refused_at(&crate::ResourceError::NotFound, uri))?;
            resources.find(self.session(), uri).await.map_err(|error| refused_at(&error, uri))?;
            return Ok(());
        }
        if self.subscriptions().add(uri) {
            Ok(())
        } else {
            Err(invalid("there are too many subscriptions: end one first"))
        }
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.subscriptions().remove(uri);
    }

    /// Notifies the client that its subscribed resources have changed.
    pub(crate) async fn tell_updates(&self, peer: &Peer<RoleServer>) {
        for uri in self.subscriptions().all() {
            let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
        }
    }
}

/// The accepted part of a subscription (since 2026-07-28): changes of tools, and of resources that
/// can change.
pub(crate) fn accepted(requested: &SubscriptionFilter, changes: impl Fn(&str) -> bool) -> SubscriptionFilter {
    let asked = requested.resource_subscriptions.iter().flatten().take(MAX_SUBSCRIPTIONS);
    let uris = asked.filter(|uri| changes(uri)).cloned();
    SubscriptionFilter::builder().tools_list_changed().resource_subscriptions(uris).build()
}
