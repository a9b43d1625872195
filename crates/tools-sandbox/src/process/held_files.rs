//! Keeps read-only files read-only while a tree runs. The kernel removes the mount of a file that
//! an outside process replaces: the supervisor detects this and mounts the file again. If another
//! command may replace such files by agreement, the whole tree is stopped until that command has
//! ended.
//!
//! Only raw system calls and stack buffers, like everything in the supervisor.

use std::os::fd::RawFd;

use super::{
    freeze,
    supervisor::{Message, Orders},
};
use crate::kernel::sys::{self, Errno};
use crate::kernel::{HeldPlace, NamespacePlan};

/// Time in milliseconds before the files of a tree are watched: most commands have ended by then,
/// and are checked once, at their end.
const SETTLES_MS: i64 = 200;
/// Interval in milliseconds at which a stopped tree checks whether it may continue.
const LOOK_MS: i64 = 10;
/// Maximum number of checks whether the whole tree has stopped.
const MAX_LOOKS: u32 = 300;
/// From this check on, a process that waits in the kernel uninterruptibly counts as stopped: it has
/// long resolved the path of the file it works on.
const LATE_LOOK: u32 = 20;
/// Maximum number of tree events before the first check is no longer delayed.
const MAX_ROUNDS: u32 = 50;
/// Number of paths that are reported only once.
const TOLD: usize = 8;

/// Whether a tree continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeFate {
    On,
    /// Its owner has ended or wants it ended.
    Abandoned,
}

/// The held files of a tree.
pub(super) struct HeldFiles<'a> {
    plan: Option<&'a NamespacePlan>,
    places: &'a [HeldPlace],
    control: RawFd,
    /// Queue of file change events once they were requested; -1 if there is none.
    queue: RawFd,
    is_watching: bool,
    rounds: u32,
    told: [u64; TOLD],
}

impl<'a> HeldFiles<'a> {
    pub(super) fn new(orders: &'a Orders<'_>) -> Self {
        let plan = orders.compiled.namespaces.as_ref().filter(|plan| plan.holds());
        Self {
            plan,
            places: orders.places,
            control: orders.control,
            queue: -1,
            is_watching: false,
            rounds: 0,
            told: [0; TOLD],
        }
    }

    /// Time to wait for other events before [`Self::look`].
    pub(super) fn patience(&self) -> Option<i64> {
        (self.plan.is_some() && (!self.is_watching || self.queue < 0)).then_some(SETTLES_MS)
    }

    /// The event descriptor that requires a [`Self::look`].
    pub(super) fn events(&self) -> RawFd {
        self.queue
    }

    /// Whether events of the tree have delayed the first [`Self::look`] for long.
    pub(super) fn is_overdue(&mut self) -> bool {
        self.rounds = self.rounds.saturating_add(1);
        self.plan.is_some() && !self.is_watching && self.rounds > MAX_ROUNDS
    }

    /// Mounts replaced files again, and stops the tree if that is requested. Reports both.
    pub(super) fn look(&mut self, tell: impl Fn(Message)) -> TreeFate {
        if self.plan.is_none() {
            return TreeFate::On;
        }
        if !self.is_watching {
            self.is_watching = true;
            self.queue = sys::watch_queue().unwrap_or(-1);
            for place in self.places {
                let mut name = [0u8; 32];
                let name = sys::join(&mut name, &[b"/proc/self/fd/", b""], place.opened.unsigned_abs());
                let _ = sys::watch(self.queue, name, libc::IN_MODIFY);
            }
        }
        let mut events = [0u8; 4096];
        while self.queue >= 0 && sys::read(self.queue, &mut events).is_ok_and(|count| count > 0) {}
        self.remount_replaced(&tell);
        if self.places.iter().any(|place| !is_free(place.opened)) { self.stand_still(tell) } else { TreeFate::On }
    }

    /// Mounts replaced files again.
    pub(super) fn remount_replaced(&mut self, tell: impl Fn(Message)) {
        let Some(plan) = self.plan else { return };
        let told = &mut self.told;
        plan.remount_replaced(self.queue, |number| {
            let bit = 1 << (number % 64);
            match told.get_mut(usize::try_from(number / 64).unwrap_or(usize::MAX)) {
                Some(word) if *word & bit != 0 => {}
                word => {
                    if let Some(word) = word {
                        *word |= bit;
                    }
                    tell(Message::Replaced { number });
                }
            }
        });
    }

    /// Stops the whole tree until the process that may replace the held files has ended.
    fn stand_still(&mut self, tell: impl Fn(Message)) -> TreeFate {
        tell(Message::StandsStill);
        let mut looks = 0;
        while !freeze::stop_threads(looks >= LATE_LOOK) {
            looks += 1;
            if looks > MAX_LOOKS {
                // The requesting process is refused after a while.
                freeze::end();
                tell(Message::GoesOn);
                return TreeFate::On;
            }
            if self.waits() == TreeFate::Abandoned {
                return TreeFate::Abandoned;
            }
        }
        self.give_back();
        loop {
            if self.waits() == TreeFate::Abandoned {
                return TreeFate::Abandoned;
            }
            if self.takes_again() {
                break;
            }
            self.give_back();
        }
        // Nothing of the tree ran meanwhile, so there is nothing to report.
        self.remount_replaced(|_| {});
        self.told = [0; TOLD];
        freeze::end();
        tell(Message::GoesOn);
        TreeFate::On
    }

    fn give_back(&self) {
        for place in self.places {
            let _ = sys::lock(place.held, libc::LOCK_UN);
        }
    }

    fn takes_again(&self) -> bool {
        let free = || self.places.iter().all(|place| is_free(place.opened));
        // A process that may replace files tests whether anybody has these locks: take them only if
        // the tree can probably continue.
        free() && self.places.iter().all(|place| sys::lock(place.held, libc::LOCK_SH | libc::LOCK_NB).is_ok()) && free()
    }

    /// Waits a moment. Signals from the parent are delayed meanwhile.
    fn waits(&self) -> TreeFate {
        let mut end = [libc::pollfd { fd: self.control, events: 0, revents: 0 }];
        sys::poll(&mut end, Some(LOOK_MS));
        if end[0].revents == 0 { TreeFate::On } else { TreeFate::Abandoned }
    }
}

/// Whether no process claims to replace files. Other processes also take the lock briefly to test
/// it.
fn is_free(opened: RawFd) -> bool {
    for _ in 0..3 {
        if sys::lock(opened, libc::LOCK_EX | libc::LOCK_NB) != Err(Errno(libc::EWOULDBLOCK)) {
            let _ = sys::lock(opened, libc::LOCK_UN);
            return true;
        }
        sys::poll(&mut [], Some(1));
    }
    false
}
