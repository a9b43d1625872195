//! Servers over streamable HTTP. rmcp implements the protocol; this module decides which addresses
//! are contacted, and limits and checks what is read.

mod body;
mod client;
mod events;
mod fault;
mod place;
mod section;
mod wire;

pub(crate) use body::whole;
pub(crate) use client::connect;
pub(crate) use fault::HttpFault;
pub(crate) use place::{Place, check};
pub(crate) use wire::{Lease, Net, Wire};
