//! Questions of this user's processes, shown and answered by a person in another terminal: for
//! servers whose client cannot ask anybody, and for hooks of hosts that cannot.
//!
//! A watcher ([`QuestionWatch`]) listens on a socket in a private folder. Whoever has a question
//! ([`Watchers`], a [`tools_core::Confirmer`]) puts it to all watchers at once; the first answer
//! counts, and the others learn by the end of the connection that the question is no longer open.
//! Nothing is kept on disk: a process that is killed takes its question or its watch with it.
//! Without a watcher a question is answered at once: there is nobody to ask.
//!
//! In the same folder processes show what they run ([`Activities`]), for `haft top`.
//!
//! Both ends check that the other one runs as the same user, and the folder must be closed to
//! everybody else. What is shown is [`tools_core::Question`], made from the prompt by the watcher.

mod activities;
mod folder;
mod lines;
mod message;

mod watch;
mod watchers;

pub use activities::{Activities, ActivityRow, activities};
pub use message::{Asker, Choice};
pub use watch::{EndReason, Event, OpenQuestion, QuestionWatch};
pub use watchers::Watchers;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
