//! The server over a pipe, with a conversation that does as it is told.

mod client;
mod doubles;

mod order;
mod robust;
mod terminals;
