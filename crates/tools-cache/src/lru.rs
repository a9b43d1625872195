//! A map that is bounded by bytes: what was used longest ago goes first. Pure.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

/// A bounded map.
#[derive(Debug)]
pub(crate) struct Lru<K, V> {
    entries: HashMap<Arc<K>, Slot<V>>,
    by_use: BTreeMap<u64, Arc<K>>,
    uses: u64,
    bytes: usize,
    most: usize,
}

#[derive(Debug)]
struct Slot<V> {
    value: V,
    bytes: usize,
    used: u64,
}

impl<K: Eq + Hash, V> Lru<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { entries: HashMap::new(), by_use: BTreeMap::new(), uses: 0, bytes: 0, most }
    }

    /// The value, which counts as used now.
    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        let slot = self.entries.get_mut(key)?;
        self.uses += 1;
        if let Some(key) = self.by_use.remove(&slot.used) {
            self.by_use.insert(self.uses, key);
        }
        slot.used = self.uses;
        Some(&slot.value)
    }

    /// Puts a value in and says how many others went for it. One that is larger than all that may
    /// be kept is not kept.
    pub(crate) fn insert(&mut self, key: Arc<K>, value: V, bytes: usize) -> u64 {
        self.remove(key.as_ref());
        if bytes > self.most {
            return 0;
        }
        let mut gone = 0;
        while self.bytes + bytes > self.most {
            let Some((_, oldest)) = self.by_use.pop_first() else { break };
            if let Some(slot) = self.entries.remove(&oldest) {
                self.bytes -= slot.bytes;
                gone += 1;
            }
        }
        self.uses += 1;
        self.by_use.insert(self.uses, Arc::clone(&key));
        self.entries.insert(key, Slot { value, bytes, used: self.uses });
        self.bytes += bytes;
        gone
    }

    pub(crate) fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q)
    where
        Arc<K>: Borrow<Q>,
    {
        if let Some(slot) = self.entries.remove(key) {
            self.by_use.remove(&slot.used);
            self.bytes -= slot.bytes;
        }
    }

    /// Keeps only the entries whose keys the predicate holds for.
    pub(crate) fn retain(&mut self, keep: impl Fn(&K) -> bool) {
        let (by_use, bytes) = (&mut self.by_use, &mut self.bytes);
        self.entries.retain(|key, slot| {
            let stays = keep(key);
            if !stays {
                by_use.remove(&slot.used);
                *bytes -= slot.bytes;
            }
            stays
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lru: &Lru<u32, u32>) {
        assert_eq!(lru.bytes, lru.entries.values().map(|slot| slot.bytes).sum::<usize>());
        assert_eq!(lru.by_use.len(), lru.entries.len());
        assert!(lru.bytes <= lru.most);
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let mut lru = Lru::new(30);
        for key in 0..3 {
            lru.insert(Arc::new(key), key, 10);
        }
        assert_eq!(lru.get(&0), Some(&0));
        assert_eq!(lru.insert(Arc::new(3), 3, 15), 2);
        let there: Vec<bool> = (0..4).map(|key| lru.get(&key).is_some()).collect();
        assert_eq!(there, [true, false, false, true]);
        check(&lru);
        assert_eq!(lru.insert(Arc::new(4), 4, 31), 0);
        assert_eq!((lru.get(&4).is_some(), lru.len()), (false, 2));
        lru.retain(|key| *key == 3);
        assert_eq!((lru.len(), lru.bytes()), (1, 15));
        check(&lru);
    }

    #[test]
    fn a_key_that_is_put_in_again_and_again_takes_no_more() {
        let mut lru = Lru::new(100);
        for value in 0..1_000_000 {
            lru.insert(Arc::new(1), value, 10);
        }
        assert_eq!((lru.len(), lru.bytes(), lru.by_use.len()), (1, 10, 1));
        assert!(lru.entries.capacity() < 100);
    }
}
