//! The loop: send a request to the model, make its calls, return their results, until the model is
//! done or something stops it.

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
