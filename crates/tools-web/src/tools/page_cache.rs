//! Pages that were read before: served again for a while, and then only when their server says that
//! they are the same.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::time::Instant;
use tools_core::{Locked as _, SessionId};

use crate::client::Fetched;

/// What all kept pages may take together.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The pages.
#[derive(Default)]
pub(super) struct PageCache(Mutex<VecDeque<Entry>>);

/// A page and when its server last vouched for it.
#[derive(Clone)]
pub(super) struct Entry {
    session: SessionId,
    url: String,
    pub(super) page: Arc<Fetched>,
    pub(super) since: Instant,
}

impl PageCache {
    /// The page of this URL that this session has read.
    pub(super) fn find(&self, session: &SessionId, url: &str) -> Option<Entry> {
        let kept = self.0.locked();
        kept.iter().find(|entry| entry.session == *session && entry.url == url).cloned()
    }

    /// Keeps a page; the oldest make room for it.
    pub(super) fn put(&self, session: &SessionId, url: &str, page: Arc<Fetched>) {
        let mut kept = self.0.locked();
        kept.retain(|entry| entry.session != *session || entry.url != url);
        kept.push_back(Entry { session: session.clone(), url: url.to_owned(), page, since: Instant::now() });
        while kept.iter().map(|entry| entry.page.body.bytes.len()).sum::<usize>() > MAX_BYTES {
            kept.pop_front();
        }
    }
}
