//! Stops all processes of a tree in such a way that only the supervisor lets them go on.
//!
//! A signal would not do: the kernel continues a stopped process for a timer or a file descriptor
//! that sends `SIGCONT`, and a shell takes a stopped child for one that somebody stopped. So each
//! thread is held by `ptrace`, which the filter refuses to the processes themselves.
//!
//! Raw system calls and buffers on the stack only, like everything in the supervisor.

use crate::kernel::sys;

/// Stops each thread but this one that is not held yet, and tells whether all of them are. One that
/// waits in the kernel where nothing reaches it counts as held from a late look on: before it
/// returns to the program it stops.
pub(super) fn stands_still(is_late: bool) -> bool {
    // Of a thread that began another one and ended, between two steps of a look, the second tells.
    (0..2).all(|_| all_held(is_late))
}

fn all_held(is_late: bool) -> bool {
    let mut all = true;
    for_each_thread(|thread| {
        let mut path = [0u8; 48];
        // The threads of others stand there too, though they are not listed.
        let stat = sys::join(&mut path, &[b"/proc/", b"", b"/stat"], thread.unsigned_abs());
        all &= match state(stat) {
            // Held, or gone meanwhile.
            None | Some(b't' | b'Z' | b'X') => true,
            Some(state) => {
                let _ = sys::arrest(thread);
                state == b'D' && is_late
            }
        };
    });
    all
}

/// Lets all threads go on. One that has not stopped yet goes on when it has, see
/// [`sys::let_go_stopped`].
pub(super) fn end() {
    for_each_thread(sys::let_go);
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

/// The state of a thread: what follows its name, which is in parentheses and may hold some.
fn state(stat: &std::ffi::CStr) -> Option<u8> {
    let file = sys::open(stat, libc::O_RDONLY).ok()?;
    let mut text = [0u8; 256];
    let count = sys::read(file, &mut text);
    sys::close(file);
    let text = text.get(..count.ok()?)?;
    let end = text.iter().rposition(|byte| *byte == b')')?;
    text.get(end + 2).copied()
}
