//! Decides which addresses may be reached: rules on URLs, names and addresses, and types that prove
//! the check. Opens no connections; see [`crate::dial`].

mod address;
mod host;
mod refusal;
mod resolver;
mod rules;
mod system;
mod url;
mod vetted;

pub use address::{AddressClass, judge};
pub use host::{Host, NameClass};
pub use refusal::Refusal;
pub use resolver::{Answer, HostResolver, LookupError};
pub use rules::{DomainRules, UrlRules};
pub use system::SystemResolver;
pub use url::PageUrl;
pub use vetted::{Grant, Guard, VettedAddress, VettedHost};
