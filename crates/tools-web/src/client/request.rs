//! What a page is asked for with.

use tokio::time::Instant;

use crate::guard::{PageUrl, Refusal, UrlRules};

/// Options of a request beside the URL.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Rules for each URL on the way.
    pub rules: &'a UrlRules,
    /// A further check of each redirect, by whoever judged the first URL.
    pub may_follow: &'a (dyn Fn(&PageUrl) -> Result<(), Refusal> + Send + Sync),
    /// The `User-Agent` header.
    pub user_agent: &'a str,
    /// The `Accept` header.
    pub accept: &'a str,
    /// The `ETag` of what is known already.
    pub etag: Option<&'a str>,
    /// The `Last-Modified` of what is known already.
    pub modified: Option<&'a str>,
    /// Bytes of the body that are read, before and after decompression.
    pub most: usize,
    /// When everything must be over.
    pub deadline: Instant,
}
