//! Cache of pages. A page is served from it for a while; afterwards only when the server says that
//! the page has not changed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::time::Instant;
use tools_core::{Locked as _, SessionId};

use crate::client::Fetched;

/// Maximum size of all cached pages together in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The cached pages.
#[derive(Default)]
pub(super) struct PageCache(Mutex<VecDeque<Entry>>);

/// A page, and when its server last confirmed it.
#[derive(Clone)]
pub(super) struct Entry {
    session: SessionId,
    url: String,
    pub(super) page: Arc<Fetched>,
    pub(super) since: Instant,
}

impl PageCache {
    /// The page of this URL, if this session has read it.
    pub(super) fn find(&self, session: &SessionId, url: &str) -> Option<Entry> {
        let kept = self.0.locked();
        kept.iter().find(|entry| entry.session == *session && entry.url == url).cloned()
    }

    /// Caches a page; removes the oldest ones to make room.
    pub(super) fn put(&self, session: &SessionId, url: &str, page: Arc<Fetched>) {
        let mut kept = self.0.locked();
        kept.retain(|entry| entry.session != *session || entry.url != url);
        kept.push_back(Entry { session: session.clone(), url: url.to_owned(), page, since: Instant::now() });
        while kept.iter().map(|entry| entry.page.body.bytes.len()).sum::<usize>() > MAX_BYTES {
            kept.pop_front();
        }
    }
}
