//! Trust: how far the origin of a call is trusted, and tools that are blocked because they kept
//! failing.
//!
//! Three levels. Effective is the lowest of what the context says, what is configured, what is
//! configured for the caller and for the tool; there is no way up. `trusted` leaves everything to
//! the rules. `provisional` asks about all that does more than read the workspace. `untrusted` asks
//! even about that, and refuses everything else.

mod config;
mod decide;

mod gate;

pub use config::{TrustConfig, TrustPolicy};
pub use decide::{effective, floor};
pub use gate::TrustGate;
