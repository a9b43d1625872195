//! `memory_save`: saves a text for later sessions.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tools_core::{
    CallContext, CallPhase, ClaimSource, ConfirmReason, Inspection, Tool, ToolDef, ToolError, ToolKind, ToolOutput,
    ToolTraits, TrustLevel,
};

use super::shared::MemoryTools;
use crate::{FromUntrusted, MemoryError, MemoryKind, NewMemory, Scope, project_of};

/// Maximum lifetime of a memory in days: a hundred years.
const MAX_DAYS: u32 = 36_500;

pub(super) struct MemorySave(pub(super) MemoryTools);

/// Saves a short text for later sessions: a fact, a preference of the user, a decision with its
/// reason, or a procedure. Save what the files do not say; never a credential.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// Full sentences that can be understood without this conversation.
    content: String,
    /// Default `fact`.
    kind: Option<MemoryKind>,
    /// Up to 8 search words.
    tags: Option<Vec<String>>,
    /// Default `project`; `user` is every project.
    scope: Option<Scope>,
    /// Expires after so many days.
    ttl_days: Option<u32>,
    /// Id of the memory that this one replaces.
    supersedes: Option<String>,
}

impl MemorySave {
    /// Whether what this session saves may contain text from outside.
    fn is_untrusted(&self, cx: &CallContext) -> bool {
        cx.trust() < TrustLevel::Trusted || self.0.taint.has_read(cx.session())
    }

    fn check(&self, args: &Args, cx: &CallContext) -> Result<bool, MemoryError> {
        if cx.phase() == CallPhase::Verifier {
            return Err(MemoryError::Phase);
        }
        if let Some(days) = args.ttl_days.filter(|days| !(1..=MAX_DAYS).contains(days)) {
            return Err(MemoryError::Parameter(format!("`ttl_days` is 1 to {MAX_DAYS}, not {days}")));
        }
        self.0.memories.check(&args.content, args.tags.as_deref().unwrap_or_default())?;
        let untrusted = self.is_untrusted(cx);
        if untrusted && self.0.memories.policy().save_from_untrusted == FromUntrusted::Deny {
            return Err(MemoryError::Untrusted);
        }
        Ok(untrusted)
    }
}

impl Tool for MemorySave {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        // Equal texts are stored once, so a retry is harmless.
        let traits = ToolTraits { idempotent: true, retryable: true, bounded_output: true, ..ToolTraits::ADD };
        ToolDef::of::<Args>("memory_save", ToolKind::Other, traits).titled("Save memory")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let untrusted = self.check(args, cx)?;
        let inspection = Inspection::mutating();
        if untrusted && self.0.memories.policy().save_from_untrusted == FromUntrusted::Ask {
            let reason = "this session has read text from outside, which may be in what it saves";
            return Ok(inspection.confirming(ConfirmReason::new(reason, "tools.memory.save_from_untrusted = \"ask\"")));
        }
        Ok(inspection)
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let untrusted = self.check(&args, cx)?;
        let scope = args.scope.unwrap_or_default();
        let session = cx.session().as_str().to_owned();
        let owner = match scope {
            Scope::Project => project_of(cx.workdir()),
            Scope::User => String::new(),
            Scope::Session => session.clone(),
        };
        let has_details = args.kind.is_some() || args.tags.is_some() || args.ttl_days.is_some();
        let new = NewMemory {
            content: args.content,
            kind: args.kind.unwrap_or_default(),
            tags: args.tags.unwrap_or_default(),
            scope,
            owner,
            origin: "memory_save".to_owned(),
            call: None,
            session: Some(session),
            untrusted,
            expires_at: args.ttl_days.map(|days| in_days(self.0.memories.now(), days)).transpose()?,
            supersedes: args.supersedes,
        };
        let saved = self.0.memories.save(new).await?;
        let raw = json!({
            "id": saved.id,
            "stored": !saved.was_there,
            "duplicate_of": saved.was_there.then_some(&saved.id),
        });
        let said = if saved.was_there { "was there already as" } else { "saved as" };
        let mut text = format!("{said} {}, found in: {}", saved.id, scope.as_str());
        if saved.was_there && has_details {
            text.push_str("; its kind, tags and end stay as they were (`supersedes` replaces it)");
        }
        Ok(ToolOutput::text(text).from_source(ClaimSource::Internal).with_raw_response(raw))
    }
}

fn in_days(now: Timestamp, days: u32) -> Result<Timestamp, MemoryError> {
    let later = now.checked_add(SignedDuration::from_hours(24 * i64::from(days)));
    later.map_err(|_| MemoryError::Parameter("`ttl_days` leads beyond what can be stored".to_owned()))
}
