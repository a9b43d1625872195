//! The one place where child processes start, and end. A [`ProcessTree`] is one command with
//! everything it starts: confined before its first instruction, killed as a whole, gone when its
//! owner is.
//!
//! How it starts: the parent `clone`s a *supervisor*, with the namespace flags when there are
//! namespaces, which sets up the mounts and starts the command proper, the *leader*. The leader
//! puts itself under Landlock, limits and filter and `exec`s. Both run in the parent's memory, each
//! on a stack of its own, and read only what the parent built for them: copying the memory, as
//! `fork` does, costs some milliseconds in a process of any size. The price is that their code must
//! not touch thread-local storage, so it consists of bare system calls. The other ways were
//! weighed: a re-executed helper costs one more `exec` and a second program to trust, a process
//! forked early and kept costs memory and a protocol.
//!
//! That the supervisor shares our memory gives a command nothing: it may neither trace the
//! supervisor nor open its files in `/proc`, since the supervisor has capabilities that it has not,
//! is outside its Landlock domain, and the filter refuses the calls; where none of these hold, it
//! could do as much to this process itself.
//!
//! How it ends: the supervisor is process 1 of the namespace, or a subreaper where there is none,
//! so that every daemon, however often forked, ends up below it. It holds the read end of a pipe
//! whose other end only the parent has: bytes are signals to deliver, and its end, however the
//! parent went, is the order to kill all.
//! When the command ends and nothing of it is left, the supervisor says so and ends by itself.
//! Nobody waits for that: taking down its namespaces costs the kernel half a millisecond.

mod arrest;
mod caller;
mod category;
mod env;
mod error;
mod file_size;
mod fork;
mod git_settings;
mod holding;
mod idle;
mod launch;
mod printed;
mod runtime;
mod spec;
mod supervisor;
mod tree;
mod writes;

pub use caller::{Caller, caller};
pub use env::{own_variables, scrubbed};
pub use error::{SpawnError, Step};
pub use file_size::outlive_file_size_limit;
pub(crate) use fork::{effective_ids, in_shared_child, try_in_child};
pub use printed::printed;
pub use spec::{ProcessSpec, SideChannel, Stdin};
pub use tree::{Exit, ProcessTree};
