//! What the system is asked to tell of a directory (inotify), and of how many.

use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use rustix::{
    fs::inotify::{self, WatchFlags},
    io::Errno,
};

use crate::keeps_times;

/// The most directories that are watched: each takes about a kilobyte of the kernel's memory.
const MAX_DIRECTORIES: usize = 50_000;
/// What part of the watches of a user one tree takes: all programs of the user share them.
const SHARE_OF_WATCHES: usize = 4;
/// Everything that changes a directory or what it lists.
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

/// Has the system tell `queue` of every change in an opened directory, and gives the number by
/// which it will. One directory has one number, however often it is watched.
///
/// # Errors
/// `OPNOTSUPP` for a file system that does not tell of every change, `NOSPC` when the watches of
/// the user are used up, and what else the system says.
pub fn tell_of(queue: &OwnedFd, directory: impl AsFd) -> Result<i32, Errno> {
    if !keeps_times(&directory) {
        return Err(Errno::OPNOTSUPP);
    }
    inotify::add_watch(queue, format!("/proc/self/fd/{}", directory.as_fd().as_raw_fd()), WANTED)
}

/// The directories that one tree may watch: a quarter of `fs.inotify.max_user_watches`, and at most
/// 50,000.
pub fn most_watched() -> usize {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok();
    let limit = limit.and_then(|text| text.trim().parse::<usize>().ok());
    limit.map_or(MAX_DIRECTORIES, |limit| (limit / SHARE_OF_WATCHES).min(MAX_DIRECTORIES))
}
