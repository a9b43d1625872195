//! The loop: ask the model, make its calls, tell it what they gave, until it is done or something
//! stops it.

mod batch;
mod builder;
mod calls;
mod early;
mod make;
mod request;
mod shared;
mod shorten;
mod state;
mod turn;

pub use builder::{Agent, AgentBuilder};
pub use shorten::CompressError;
pub use state::{AgentStatus, AgentTotals};
pub use turn::Turn;
