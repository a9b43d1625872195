//! The proxy in the network of commands: accepts, parses, judges, connects and relays connections,
//! and reports each at its end. Decisions do not depend on the protocol.

mod answer_cache;
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
