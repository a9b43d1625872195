//! Network access of commands whose network is gated: one network and one proxy for each session,
//! decisions about hosts by rules and people, and the record of every connection.
//!
//! [`SessionNetworks`] is a [`tools_sandbox::kernel::NetworkGateway`]. Its rules and limits are
//! [`Shared`] values of [`EgressSettings`], which can be swapped while commands run.
//!
//! [`Shared`]: tools_core::Shared

mod question;
mod rules;

mod settings;

mod keeper;
mod session_loopback;
mod session_network;

mod network_lease;
mod networks;
mod variables;

pub use networks::SessionNetworks;
pub use rules::host_rules;
pub use settings::EgressSettings;
pub use tools_egress::rules::HostRules;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
