//! Shared by both tools: the policy, the client, the page cache, and the steps from a URL to a
//! page.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;
use tools_core::{
    CallContext, ClaimSource, CompositeExecutor, Explain, Inspection, Shared, Stack, Subject, ToolCall, ToolError,
    ToolErrorCategory, ToolOutput, Verdict,
};

use super::page_cache::PageCache;
use crate::client::{Fetched, Request, WebClient};
use crate::config::ScrapePolicy;
use crate::error::WebError;
use crate::guard::{PageUrl, Refusal};

/// Prefers Markdown, which needs no conversion, then HTML, then anything.
const ACCEPT: &str =
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.8, text/plain;q=0.8, */*;q=0.1";

/// A call that requests a page: its tool, and its parameters with another URL.
#[derive(Clone, Copy)]
pub(super) struct PageRequest<'a> {
    pub(super) tool: &'static str,
    pub(super) parameters: fn(&str) -> serde_json::Value,
    pub(super) cx: &'a CallContext,
}

/// The web as the tools see it. Make one per host. Sessions share the client, but not cached pages.
#[derive(Clone)]
pub struct Web {
    policy: Shared<ScrapePolicy>,
    client: Arc<WebClient>,
    kept: Arc<PageCache>,
    /// The tools without layers, and the gates' explanation of a call.
    judge: Option<(Arc<Stack>, Explain)>,
}

pub(super) struct Page {
    pub(super) fetched: Arc<Fetched>,
    /// Time since the server confirmed the page; `None` when it did so just now.
    pub(super) age: Option<Duration>,
}

impl Web {
    /// Access to the web under a policy.
    pub fn new(policy: Shared<ScrapePolicy>, client: Arc<WebClient>) -> Self {
        Self { policy, client, kept: Arc::default(), judge: None }
    }

    /// Also judges each redirect by the call that would request its target: `explain` gives the
    /// verdict of the gates. Denied targets are not followed. Targets that need approval are
    /// followed only on the same host, because the approval of a page covers its host.
    #[must_use]
    pub fn judged_by(self, explain: Explain) -> Self {
        let alone = Stack::new(vec![], CompositeExecutor::new(self.clone().into_executors()));
        Self { judge: Some((Arc::new(alone), explain)), ..self }
    }

    /// The URL that a call touches, if it may be fetched at all. Does not resolve the host.
    pub(super) fn inspect(&self, url: &str) -> Result<Inspection, ToolError> {
        let url = self.policy.load().rules.admit(url).map_err(WebError::Refused)?;
        Ok(Inspection::read_only().touching(Subject::Url { url: url.subject() }))
    }

    /// The page of a URL, from the cache while it is fresh.
    pub(super) async fn page(&self, url: &str, by: PageRequest<'_>) -> Result<Page, ToolError> {
        let policy = self.policy.load();
        let url = policy.rules.admit(url).map_err(WebError::Refused)?;
        let cx = by.cx;
        let known = self.kept.find(cx.session(), url.as_str());
        if let Some(known) = &known
            && known.since.elapsed() < policy.fresh
            && self.follows(&known.page.url, &url, &policy, by).is_ok()
        {
            return Ok(Page { fetched: Arc::clone(&known.page), age: Some(known.since.elapsed()) });
        }
        let validators = known.as_ref().map(|known| (known.page.etag.as_deref(), known.page.modified.as_deref()));
        let (etag, modified) = validators.unwrap_or_default();
        let may_follow = |next: &PageUrl| self.judged(next, &url, by);
        let deadline = Instant::now() + policy.timeout;
        let request = Request {
            rules: &policy.rules,
            may_follow: &may_follow,
            user_agent: &policy.user_agent,
            accept: ACCEPT,
            etag,
            modified,
            most: policy.most,
            deadline: cx.deadline().map_or(deadline, |earlier| deadline.min(earlier)),
        };
        let fetched = self.client.get(url.clone(), &request).await?;
        let fetched = match known {
            Some(known) if fetched.status == 304 => known.page,
            _ => Arc::new(fetched),
        };
        self.kept.put(cx.session(), url.as_str(), Arc::clone(&fetched));
        Ok(Page { fetched, age: None })
    }

    /// Whether the policy still allows a cached page, given the URL that it came from.
    fn follows(
        &self,
        came_from: &PageUrl,
        asked: &PageUrl,
        policy: &ScrapePolicy,
        by: PageRequest<'_>,
    ) -> Result<(), Refusal> {
        policy.rules.admit(came_from.as_str())?;
        if came_from == asked { Ok(()) } else { self.judged(came_from, asked, by) }
    }

    fn judged(&self, next: &PageUrl, asked: &PageUrl, by: PageRequest<'_>) -> Result<(), Refusal> {
        let Some((alone, explain)) = &self.judge else { return Ok(()) };
        let Ok(call) = ToolCall::new(by.tool, (by.parameters)(next.as_str())) else {
            return Err(Refusal::Malformed("it is not a call"));
        };
        let elsewhere = || Refusal::Elsewhere { url: next.to_string() };
        let inspected = pin!(alone.inspect(call, by.cx));
        // Inspecting a URL never waits.
        let Poll::Ready(inv) = inspected.poll(&mut Context::from_waker(Waker::noop())) else {
            return Err(elsewhere());
        };
        match explain(&inv) {
            (Verdict::Deny, rule) => Err(Refusal::Domain { host: next.host().to_string(), rule }),
            (Verdict::Ask, _) if (next.host(), next.port()) != (asked.host(), asked.port()) => Err(elsewhere()),
            (Verdict::Ask | Verdict::Allow, _) => Ok(()),
        }
    }
}

/// Runs `work` on a thread for blocking work.
pub(super) async fn run_on_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        ToolError::new(ToolErrorCategory::PermanentFailure, "page_not_read", "the page could not be read")
            .with_source(error)
    })
}

/// The output for text from the web.
pub(super) fn output(text: String, raw: serde_json::Value, truncated: bool) -> ToolOutput {
    let output = ToolOutput::text(text).from_source(ClaimSource::Web).with_raw_response(raw);
    ToolOutput { truncated, ..output }
}
