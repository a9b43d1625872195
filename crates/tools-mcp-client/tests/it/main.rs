//! Servers and pins through the public API.

#![expect(clippy::unwrap_used, reason = "what helpers unwrap was made by their tests")]

mod hostile;
mod issuer;
mod launch;
mod limits;
mod login;
mod pins;
mod real;
mod remote;
mod servers;
