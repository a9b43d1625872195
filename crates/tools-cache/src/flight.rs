//! Identical calls at one time: one runs, the others wait for what comes of it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Mutex as Turn;
use tools_core::Locked as _;

/// The calls under way, by what they ask.
#[derive(Debug)]
pub(crate) struct Flights<K>(Mutex<HashMap<Arc<K>, Arc<Turn<()>>>>);

impl<K> Default for Flights<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// A place in the line of one question.
pub(crate) struct Flight<'a, K: Eq + Hash> {
    flights: &'a Flights<K>,
    key: Arc<K>,
    turn: Arc<Turn<()>>,
}

impl<K: Eq + Hash> Flights<K> {
    /// Lines up; nothing waits yet.
    pub(crate) fn join(&self, key: &Arc<K>) -> Flight<'_, K> {
        let turn = Arc::clone(self.map().entry(Arc::clone(key)).or_default());
        Flight { flights: self, key: Arc::clone(key), turn }
    }

    fn map(&self) -> MutexGuard<'_, HashMap<Arc<K>, Arc<Turn<()>>>> {
        // Nothing in here panics half-way through a change.
        self.0.locked()
    }
}

impl<K: Eq + Hash> Flight<'_, K> {
    /// Waits until nobody else runs this. A holder that is dropped lets the next one run.
    pub(crate) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }
}

impl<K: Eq + Hash> Drop for Flight<'_, K> {
    fn drop(&mut self) {
        let mut map = self.flights.map();
        // Two hold it when nobody else is in the line: the map, and this.
        if Arc::strong_count(&self.turn) <= 2 {
            map.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_line_is_gone_with_the_last_in_it() {
        let flights = Flights::default();
        let key = Arc::new(1);
        let (first, second) = (flights.join(&key), flights.join(&key));
        {
            let _turn = first.turn().await;
            assert!(second.turn.try_lock().is_err());
        }
        drop(first);
        assert_eq!(flights.map().len(), 1);
        drop(second.turn().await);
        drop(second);
        assert!(flights.map().is_empty());
    }
}
