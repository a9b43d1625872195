//! The proxy that commands find in their network: connections are accepted, read, judged, dialled
//! and passed on, and each is told of at its end. What protocol a connection came by makes no
//! difference to what is decided about it.

mod asked;
mod gate;
mod keeper;
mod kernel_pipe;
mod published;
mod relay;
mod reply;
mod report;
mod serve;
mod server_name;

pub use gate::Gate;
pub use keeper::{Caller, Connection, Keeper, Permit, UndecidedConnection};
pub use published::{InnerLoopback, PublishedPort};
pub use serve::{Door, Endpoint};
