//! Options of a request.

use tokio::time::Instant;

use crate::guard::{PageUrl, Refusal, UrlRules};

/// Options of a request beside the URL.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Rules for the URL and for each redirect.
    pub rules: &'a UrlRules,
    /// A further check of each redirect, by the caller.
    pub may_follow: &'a (dyn Fn(&PageUrl) -> Result<(), Refusal> + Send + Sync),
    /// The `User-Agent` header.
    pub user_agent: &'a str,
    /// The `Accept` header.
    pub accept: &'a str,
    /// The `ETag` of a copy that the caller has.
    pub etag: Option<&'a str>,
    /// The `Last-Modified` of a copy that the caller has.
    pub modified: Option<&'a str>,
    /// Maximum number of body bytes, before and after decompression.
    pub most: usize,
    /// The time at which the whole request must be complete.
    pub deadline: Instant,
}
