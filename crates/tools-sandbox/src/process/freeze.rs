//! Stops all processes of a tree so that only the supervisor can continue them.
//!
//! A signal is not enough: the kernel continues a stopped process for a timer or a file descriptor
//! that sends `SIGCONT`, and a shell reacts to a stopped child. So each thread is held by `ptrace`,
//! which the filter denies to the processes themselves.
//!
//! Only raw system calls and stack buffers, like everything in the supervisor.

use crate::kernel::sys;

/// Stops every thread not yet held, except this one, and returns whether all are held. If
/// `is_late`, a thread that waits in the kernel uninterruptibly counts as held: it stops before it
/// returns to the program.
pub(super) fn stop_threads(is_late: bool) -> bool {
    // A thread may start another one and end between two steps of a pass; the second pass finds the
    // new one.
    (0..2).all(|_| all_held(is_late))
}

fn all_held(is_late: bool) -> bool {
    let mut all = true;
    for_each_thread(|thread| {
        let mut path = [0u8; 48];
        // This path also works for threads of other processes, though they are not listed in
        // `/proc`.
        let stat = sys::join(&mut path, &[b"/proc/", b"", b"/stat"], thread.unsigned_abs());
        all &= match state(stat) {
            // Held, or already gone.
            None | Some(b't' | b'Z' | b'X') => true,
            Some(state) => {
                let _ = sys::seize_thread(thread);
                state == b'D' && is_late
            }
        };
    });
    all
}

/// Continues all threads. A thread that has not stopped yet continues once it has, see
/// [`sys::detach_stopped_thread`].
pub(super) fn end() {
    for_each_thread(sys::detach_thread);
}

fn for_each_thread(mut act: impl FnMut(i32)) {
    sys::for_each_number_in(c"/proc", |process| {
        if process == 1 {
            return;
        }
        let mut path = [0u8; 48];
        let threads = sys::join(&mut path, &[b"/proc/", b"", b"/task"], process);
        sys::for_each_number_in(threads, |thread| act(thread.cast_signed()));
    });
}

/// The state of a thread: it follows the name, which is in parentheses and may contain some.
fn state(stat: &std::ffi::CStr) -> Option<u8> {
    let file = sys::open(stat, libc::O_RDONLY).ok()?;
    let mut text = [0u8; 256];
    let count = sys::read(file, &mut text);
    sys::close(file);
    let text = text.get(..count.ok()?)?;
    let end = text.iter().rposition(|byte| *byte == b')')?;
    text.get(end + 2).copied()
}
