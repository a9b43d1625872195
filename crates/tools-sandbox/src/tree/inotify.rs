//! Inotify watches on directories, and their maximum number.

use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use rustix::{
    fs::inotify::{self, WatchFlags},
    io::Errno,
};

use crate::keeps_times;

/// Maximum number of watched directories: each takes about a kilobyte of kernel memory.
const MAX_DIRECTORIES: usize = 50_000;
/// Divisor for one tree's share of the user's watches, which all programs of the user share.
const SHARE_OF_WATCHES: usize = 4;
/// All events that change a directory or its listing.
const WANTED: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// Adds a watch on an open directory to `queue` and returns its number. One directory always has
/// the same number.
///
/// # Errors
/// `OPNOTSUPP` for a file system that does not report every change, `NOSPC` if the user has no
/// watches left, otherwise the system's error.
pub fn add_watch(queue: &OwnedFd, directory: impl AsFd) -> Result<i32, Errno> {
    if !keeps_times(&directory) {
        return Err(Errno::OPNOTSUPP);
    }
    inotify::add_watch(queue, format!("/proc/self/fd/{}", directory.as_fd().as_raw_fd()), WANTED)
}

/// Maximum number of watched directories per tree: a quarter of `fs.inotify.max_user_watches`, and
/// at most 50,000.
pub fn max_watched_directories() -> usize {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok();
    let limit = limit.and_then(|text| text.trim().parse::<usize>().ok());
    limit.map_or(MAX_DIRECTORIES, |limit| (limit / SHARE_OF_WATCHES).min(MAX_DIRECTORIES))
}
