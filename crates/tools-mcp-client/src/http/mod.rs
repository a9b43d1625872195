//! Servers over streamable HTTP. The protocol above a request is rmcp's; what is dialled, how much
//! is read and what of it is believed is decided here.

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
