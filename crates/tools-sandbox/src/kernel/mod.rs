//! Kernel confinement: the request ([`Confinement`]), the abilities of this machine ([`Probe`],
//! [`Strength`]), and the compiled form that a child process applies ([`Sandbox`]).
//!
//! Two levels exist. *Namespaces*: user, mount (whole tree read-only but for the writable folders,
//! with own `/run`, `/dev/shm` and terminals), process ids, IPC, host name and, without
//! network, an own network; inside it Landlock, a short seccomp deny list, no capabilities and
//! resource limits. *Landlock*: the same without the namespaces, for machines that forbid them.
//! Starting the processes themselves is [`crate::process`].

mod capabilities;
mod children;
mod claims;
mod config;
mod configured;
mod facilities;
mod landlock;
mod masks;
mod namespaces;
mod network;
mod network_gateway;
mod obeyed;
mod path_text;
mod placeholders;
mod plan;
mod probe;
mod probe_cache;
pub(crate) mod raw;
mod resolve;
mod seccomp;
mod sockets;
mod strength;
pub(crate) mod sys;
mod tree_mounts;
mod view_mounts;
mod watch;

pub(crate) use capabilities::drop_all as capabilities_drop_all;
pub use children::ChildConfinement;
pub(crate) use claims::{Attempt, Claims, HeldPlace, MAX_CLAIMS, refused};
pub use config::{Confinement, Limits, Network, SandboxMode};
pub use facilities::{Facility, Probe};
pub(crate) use landlock::restrict as landlock_restrict;
pub use masks::{MaskRules, Masks, ObeyedFiles};
pub(crate) use namespaces::NamespacePlan;
pub use network::{IpFamily, NetworkNamespace};
pub use network_gateway::{NetworkGateway, NetworkLease};
pub use obeyed::{ObeyedEntry, ReadOnlyPath};
pub(crate) use plan::CompiledPlan;
pub use plan::Sandbox;
pub(crate) use probe::is_passing;
pub use resolve::{Canonical, resolve_by_words};
pub use sockets::{SOCKET_NAMES, granted_sockets};
pub use strength::{Level, Strength};
pub(crate) use watch::{Names, NotifiedCalls, WatchFilter, hand_over};
