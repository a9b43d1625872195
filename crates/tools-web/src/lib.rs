//! Pages of the web for a model: the tools `fetch` and `web_scrape`, and the guard that decides
//! which addresses may be reached.
//!
//! [`guard`] decides which addresses may be reached. [`guard::UrlRules`] reads a URL,
//! [`guard::Guard`] resolves its host and checks every address, and connections need the
//! [`guard::VettedHost`] that it returns:
//!
//! ```
//! use std::{net::IpAddr, sync::Arc};
//! use tools_web::guard::{Answer, Guard, HostResolver, LookupError, UrlRules};
//!
//! struct Scripted(&'static str);
//!
//! #[async_trait::async_trait]
//! impl HostResolver for Scripted {
//!     async fn lookup(&self, _name: &str) -> Result<Answer, LookupError> {
//!         let address: IpAddr = self.0.parse().expect("an address");
//!         Ok(Answer::from(vec![address]))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let rules = UrlRules::default();
//! let url = rules.admit("https://example.org/").expect("https, a usual port, a public name");
//! let vet = |address| {
//!     let guard = Guard::new(Arc::new(Scripted(address)));
//!     let url = url.clone();
//!     async move { guard.vet(url.host(), url.port()).await }
//! };
//! assert_eq!(vet("93.184.215.14").await.expect("public").addresses().len(), 1);
//! assert!(vet("10.0.0.1").await.is_err());
//! // A redirect passes the same rules, and its host is vetted anew.
//! assert!(rules.follow(&url, "https://127.0.0.1/").is_err());
//! # }
//! ```

pub use tools_egress::guard;

pub mod client;

pub mod page;

#[cfg(feature = "pdf")]
pub mod pdf;

mod config;
mod error;
mod tools;

pub use config::{ScrapeConfig, ScrapePolicy};
pub use error::WebError;
pub use tools::Web;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
