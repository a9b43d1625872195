//! Trust: the trust in the origin of a call, and tools that are blocked because they kept failing.
//!
//! There are three levels. The effective one is the lowest of the context's, the configured one,
//! and those configured for the caller and the tool; nothing raises it. `trusted` leaves everything
//! to the rules. `provisional` asks about all that does more than read the workspace. `untrusted`
//! asks even about that, and refuses everything else.

mod config;
mod decide;

mod gate;

pub use config::{TrustConfig, TrustPolicy};
pub use decide::{effective, floor};
pub use gate::TrustGate;
