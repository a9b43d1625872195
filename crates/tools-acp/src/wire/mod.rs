//! The protocol's objects: what a client sends, and what it is sent. Names on the wire are the
//! protocol's.

mod answers;
mod params;
mod update;

pub(crate) use answers::{initialized, listed, opened};
pub(crate) use params::{
    ContentBlock, Initialize, ListSessions, NewSession, OldSession, Prompt, Resource, SessionOnly, SetMode, parse,
};
pub(crate) use update::{Block, CallContent, CallStatus, CallUpdate, Place, Update};
