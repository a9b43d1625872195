//! The way out of commands whose network is gated: one network and one endpoint for each session,
//! rules and people that decide about hosts, and the record of every connection.

mod inside;
mod keeper;
mod outlet;
mod outlets;
mod part;
mod passage;
mod question;
mod rules;
mod variables;

pub(crate) use outlets::Outlets;
