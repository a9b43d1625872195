//! The one place where child processes start, and end. A [`ProcessTree`] is one command with everything it starts:
//! confined before its first instruction, killed as a whole, gone when its owner is.
//!
//! How it starts: the parent `clone`s a *supervisor* (a plain copy, with the namespace flags when there are namespaces),
//! which sets up the mounts and starts the command proper, the *leader*, by `clone(CLONE_VM | CLONE_VFORK)`. The leader
//! puts itself under Landlock, limits and filter and `exec`s. Everything it needs was built by the parent before, so that
//! between `clone` and `exec` there are only raw system calls: the parent has threads. The other ways were weighed: a
//! re-executed helper costs one more `exec` (about half a millisecond), a process forked early and kept costs memory and
//! a protocol, and sharing the parent's memory with a supervisor that lives on would show it to the command.
//!
//! How it ends: the supervisor is process 1 of the namespace, or a subreaper where there is none, so that every daemon,
//! however often forked, ends up below it. It holds the read end of a pipe whose other end only the parent has: bytes are
//! signals to deliver, and its end, however the parent went, is the order to kill all.

mod category;
mod error;
mod fork;
mod spec;
mod supervisor;
mod tree;

pub use error::{SpawnError, Step};
pub(crate) use fork::{effective_ids, try_in_child};
pub use spec::{ProcessSpec, Stdin};
pub use tree::{Exit, ProcessTree};
