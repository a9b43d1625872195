//! Hooks: a host runs a program before each of its own tools, and follows its answer. One file per
//! host describes the names of its tools and the format of its answers; [`Event`] and [`Answer`]
//! are the same for all.

mod event;
mod fields;
mod patch;
mod quote;
mod strings;

pub mod claude_code;
pub mod codex;
pub mod cursor;
pub mod gemini;

pub use event::{Answer, Decision, Event, Format, HookRequest, HookStart, HostCall, HostCallOrigin, Unreadable};
pub use quote::quoted;
pub use strings::map_strings;
