//! The only place where child processes start and end. A [`ProcessTree`] is one command with
//! everything it starts: confined before its first instruction, killed as a whole, ended when its
//! owner ends.
//!
//! How it starts: the parent `clone`s a *supervisor*, with the namespace flags if there are
//! namespaces. The supervisor sets up the mounts and starts the command itself, the *leader*. The
//! leader applies Landlock, limits and filter to itself and `exec`s. Both run in the parent's
//! memory, each on a stack of its own, and read only data that the parent prepared: copying the
//! memory, as `fork` does, costs some milliseconds in a process of any size. Their code must not
//! touch thread-local storage, so it consists of raw system calls. Alternatives cost more: a
//! re-executed helper costs one more `exec` and a second trusted program, a process forked early
//! costs memory and a protocol.
//!
//! A command gains nothing from the supervisor sharing our memory. It may neither trace the
//! supervisor nor open its files in `/proc`: the supervisor has capabilities that the command
//! lacks, is outside its Landlock domain, and the filter denies the calls. Where none of these
//! apply, the command could do the same to this process itself.
//!
//! How it ends: the supervisor is process 1 of the namespace, or a subreaper without one, so that
//! every daemon, however often forked, becomes its descendant. It holds the read end of a pipe
//! whose write end only the parent has: bytes are signals to deliver, and its closing, however the
//! parent ended, is the order to kill all.
//! When the command ends and no process of it is left, the supervisor reports this and ends. Nobody
//! waits for that: removing its namespaces takes the kernel half a millisecond.

mod caller;
mod category;
mod env;
mod error;
mod file_size;
mod fork;
mod freeze;
mod git_settings;
mod held_files;
mod idle;
mod launch;
mod runtime;
mod secret_command;
mod spec;
mod supervisor;
mod tree;
mod writes;

pub use caller::{Caller, caller};
pub use env::{own_variables, scrubbed};
pub use error::{SpawnError, Step};
pub use file_size::outlive_file_size_limit;
pub(crate) use fork::{effective_ids, in_shared_child, try_in_child};
pub use secret_command::run_secret_command;
pub use spec::{ProcessSpec, SideChannel, Stdin};
pub use tree::{Exit, ProcessTree};
