//! From a recorded outcome to an MCP result: text and media for the model, the rest for programs in `_meta`.

use std::{collections::HashSet, fmt::Write as _};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::Value;
use tools_core::{
    ErrorDetail, Media, Recorded, SessionId, ToolDef, ToolError, ToolErrorFeedback, ToolOutput, ToolTraits,
};

use crate::{catalog::paging_parameters, continuations::Continuations, cut};

/// Larger media are named instead of sent.
const MEDIA_LIMIT: usize = 8 << 20;
/// Room in an answer for the lines about what was left out.
const NOTES: usize = 400;
/// How many different warnings are shown in the text of one connection.
const SHOWN_WARNINGS: usize = 64;

/// Whether results carry `structuredContent`.
///
/// Agents that find it give the model nothing else, so the default is to leave it out. A request decides for itself
/// with `"haft/structured": true` or `false` in its `_meta`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Structured {
    /// Only where a request asks for it.
    #[default]
    Never,
    /// Except where a request asks for none.
    Always,
}

impl Structured {
    /// The `_meta` key by which a request decides for itself.
    pub const META_KEY: &str = "haft/structured";

    pub(crate) fn for_request(self, meta: &serde_json::Map<String, Value>) -> bool {
        let asked = meta.get(Self::META_KEY).and_then(Value::as_bool);
        asked.unwrap_or(self == Self::Always)
    }
}

/// How answers of one connection are made.
pub(crate) struct Answers {
    pub(crate) cap: usize,
    pub(crate) session: SessionId,
    pub(crate) continuations: Option<Continuations>,
    pub(crate) warned: std::sync::Mutex<HashSet<String>>,
}

impl Answers {
    /// The result of a call of `definition`'s tool (`None` when nobody owns it).
    pub(crate) fn of(&self, recorded: Recorded, definition: Option<&ToolDef>, structured: bool) -> CallToolResult {
        let warnings = recorded.journal.warnings();
        let mut meta = MetaObject::new();
        let first_time = self.first_time(&warnings);
        if !warnings.is_empty() {
            meta.insert("haft/warnings".to_owned(), warnings.into());
        }
        let mut result = match recorded.outcome {
            Ok(output) => {
                let content = self.content(first_time, &output.summary, &output.media, definition);
                self.finish(CallToolResult::success(content), Some(output), structured, &mut meta)
            }
            Err(error) => {
                describe(&error, &mut meta);
                let (text, media) = (failure_text(&error, definition), error.output().map(|output| &*output.media));
                let content = self.content(first_time, &text, media.unwrap_or_default(), definition);
                self.finish(CallToolResult::error(content), error.output().cloned(), structured, &mut meta)
            }
        };
        result.meta = (!meta.is_empty()).then_some(meta);
        result
    }

    fn content(&self, first: String, whole: &str, media: &[Media], definition: Option<&ToolDef>) -> Vec<ContentBlock> {
        let mut text = first;
        let bounded = definition.is_some_and(|definition| definition.traits.bounded_output);
        let budget = self.cap.saturating_sub(text.len() + NOTES);
        let gap = cut::gap(whole, budget).filter(|_| !bounded && text.len() + whole.len() > self.cap);
        match gap {
            Some(gap) => self.shorten(&mut text, whole, &gap, definition),
            None => text.push_str(whole),
        }
        let mut blocks = Vec::with_capacity(1 + media.len());
        for media in media {
            match block(media) {
                Some(block) => blocks.push(block),
                None => {
                    let _ = write!(text, "\n[`{}`, {} bytes, is not shown]", media.mime, media.data.len());
                }
            }
        }
        if !text.is_empty() || blocks.is_empty() {
            blocks.insert(0, ContentBlock::text(text));
        }
        blocks
    }

    fn shorten(&self, text: &mut String, whole: &str, gap: &cut::Gap, definition: Option<&ToolDef>) {
        let (bytes, lines) = (gap.bytes.len(), gap.lines);
        let cursor = self.continuations.as_ref().and_then(|kept| kept.keep(&self.session, whole, gap));
        let _ = write!(
            text,
            "{}\n[… {bytes} bytes, {lines} lines left out …]\n{}\n[cut: {bytes} of {} bytes ({lines} lines) are left out at the mark",
            whole[..gap.bytes.start].trim_end_matches('\n'),
            whole[gap.bytes.end..].trim_end_matches('\n'),
            whole.len(),
        );
        if let Some(cursor) = cursor {
            let _ = write!(text, "; they follow by `more` with cursor \"{cursor}\"");
        }
        let paging = definition.map(paging_parameters).unwrap_or_default();
        match (paging.as_slice(), definition) {
            ([], _) | (_, None) if cursor.is_some() => {}
            ([], _) | (_, None) => text.push_str("; call again and ask for less at once"),
            (parameters, Some(definition)) => {
                let _ = write!(text, "; or call `{}` again with `{}`", definition.name, parameters.join("` and `"));
            }
        }
        text.push(']');
    }

    fn finish(
        &self,
        result: CallToolResult,
        output: Option<ToolOutput>,
        structured: bool,
        meta: &mut MetaObject,
    ) -> CallToolResult {
        let Some(output) = output else { return result };
        if output.truncated {
            meta.insert("haft/truncated".to_owned(), true.into());
        }
        let Some(value) = output.raw_response.filter(|_| structured) else {
            return result;
        };
        let size = value.to_string().len();
        if size > self.cap {
            meta.insert("haft/structured_omitted_bytes".to_owned(), size.into());
            return result;
        }
        let mut result = result;
        result.structured_content = Some(value);
        result
    }

    /// The warnings that were not shown on this connection yet, a line each.
    fn first_time(&self, warnings: &[String]) -> String {
        let mut lines = String::new();
        if warnings.is_empty() {
            return lines;
        }
        let mut warned = self.warned.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for warning in warnings {
            if warned.len() < SHOWN_WARNINGS && warned.insert(warning.clone()) {
                let _ = writeln!(lines, "[warning] {}", warning.replace(['\n', '\r'], " "));
            }
        }
        lines
    }
}

/// The feedback block, and after it what had been produced until the failure.
fn failure_text(error: &ToolError, definition: Option<&ToolDef>) -> String {
    let traits = definition.map_or(ToolTraits::CAUTIOUS, ToolDef::trusted_traits);
    let block = ToolErrorFeedback::new(error, traits).format_for_llm();
    match error.output().map(|output| output.summary.as_str()).filter(|partial| !partial.is_empty()) {
        Some(partial) => block + "\n\n" + partial,
        None => block,
    }
}

/// What programs want to know of a failure.
fn describe(error: &ToolError, meta: &mut MetaObject) {
    meta.insert("haft/category".to_owned(), error.category().label().into());
    meta.insert("haft/code".to_owned(), error.code().into());
    if let Some(delay) = error.retry_after() {
        let millis = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        meta.insert("haft/retry_after_ms".to_owned(), millis.into());
    }
    if let ErrorDetail::Shell { exit_code, .. } = error.detail() {
        meta.insert("haft/exit_code".to_owned(), (*exit_code).into());
    }
}

/// `None` for what MCP has no block for, and for what is too large to be of use to a model.
fn block(media: &Media) -> Option<ContentBlock> {
    if media.data.len() > MEDIA_LIMIT {
        return None;
    }
    let kind = media.mime.split('/').next().unwrap_or_default();
    match kind {
        "image" => Some(ContentBlock::image(STANDARD.encode(&media.data), media.mime.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tools_core::{Journal, ToolErrorCategory};

    use super::*;

    fn answers(cap: usize, continuations: Option<Continuations>) -> Answers {
        Answers { cap, session: SessionId::generate(), continuations, warned: std::sync::Mutex::default() }
    }

    fn recorded(outcome: tools_core::Outcome) -> Recorded {
        Recorded { outcome, journal: Journal::default() }
    }

    fn check(result: &CallToolResult, expected: &Value) {
        let mut value = serde_json::to_value(result).unwrap();
        value.as_object_mut().unwrap().remove("resultType");
        assert_eq!(&value, expected);
    }

    #[test]
    fn an_output_is_text_and_structure_only_on_request() {
        let output = || ToolOutput::text("hello").with_raw_response(json!({"n": 1}));
        let answers = answers(25_000, None);
        let text = json!([{"type": "text", "text": "hello"}]);
        check(&answers.of(recorded(Ok(output())), None, false), &json!({"content": text, "isError": false}));
        check(
            &answers.of(recorded(Ok(output())), None, true),
            &json!({"content": text, "isError": false, "structuredContent": {"n": 1}}),
        );
        let asks = |value: Value| Structured::Never.for_request(json!({"haft/structured": value}).as_object().unwrap());
        assert!(asks(json!(true)) && !asks(json!(false)) && !asks(json!("true")));
        assert!(Structured::Always.for_request(&serde_json::Map::new()));
    }

    #[test]
    fn structure_that_is_too_large_is_left_out_and_said() {
        let output = ToolOutput::text("x").with_raw_response(json!({"s": "y".repeat(2_000)}));
        let result = answers(1_000, None).of(recorded(Ok(output)), None, true);
        assert_eq!(result.structured_content, None);
        assert_eq!(result.meta.unwrap()["haft/structured_omitted_bytes"], json!(2_008));
    }

    #[test]
    fn a_failure_is_the_block_then_what_was_produced() {
        let error = ToolError::new(ToolErrorCategory::Timeout, "deadline", "no answer")
            .with_suggestion("ask for less")
            .with_detail(ErrorDetail::Shell { exit_code: 124, signal: None })
            .with_output(ToolOutput::text("partial"));
        let text =
            "[tool_error]\ncategory: timeout\nerror: no answer\nsuggestion: ask for less\nretryable: false\n\npartial";
        check(
            &answers(25_000, None).of(recorded(Err(error)), None, false),
            &json!({
                "content": [{"type": "text", "text": text}],
                "isError": true,
                "_meta": {"haft/category": "timeout", "haft/code": "deadline", "haft/exit_code": 124},
            }),
        );
    }

    #[test]
    fn a_warning_is_text_once_and_meta_always() {
        let answers = answers(25_000, None);
        let mut texts = vec![];
        for _ in 0..2 {
            let recorded = recorded(Ok(ToolOutput::text("ok")));
            recorded.journal.warn("the sandbox is\nweak");
            let result = answers.of(recorded, None, false);
            assert_eq!(result.meta.unwrap()["haft/warnings"], json!(["the sandbox is\nweak"]));
            texts.push(result.content[0].as_text().unwrap().text.clone());
        }
        assert_eq!(texts, ["[warning] the sandbox is weak\nok", "ok"]);
    }

    #[test]
    fn a_long_answer_keeps_head_and_tail_and_says_how_to_go_on() {
        let text = (0..1000).map(|n| format!("line {n:04}\n")).collect::<Vec<_>>().concat();
        let result =
            answers(1_000, Some(Continuations::default())).of(recorded(Ok(ToolOutput::text(&text))), None, false);
        let shown = &result.content[0].as_text().unwrap().text;
        assert!(shown.len() <= 1_000, "{}", shown.len());
        assert!(shown.starts_with("line 0000\n"), "{shown}");
        let end = "line 0999\n[cut: 9400 of 10000 bytes (940 lines) are left out at the mark; they follow by `more` with cursor \"1:400\"]";
        assert!(shown.ends_with(end), "{shown}");
    }

    #[test]
    fn what_just_fits_is_not_cut_and_a_long_failure_is() {
        let answers = answers(1_000, None);
        let fits = "x".repeat(1_000);
        let result = answers.of(recorded(Ok(ToolOutput::text(&fits))), None, false);
        assert_eq!(result.content[0].as_text().unwrap().text, fits);
        let error = ToolError::new(ToolErrorCategory::PermanentFailure, "x", "long ".repeat(1_000));
        let result = answers.of(recorded(Err(error)), None, false);
        let shown = &result.content[0].as_text().unwrap().text;
        assert!(shown.starts_with("[tool_error]\n") && shown.len() <= 1_000, "{shown}");
        assert!(shown.ends_with("left out at the mark; call again and ask for less at once]"), "{shown}");
    }

    #[test]
    fn images_are_blocks_and_other_media_are_named() {
        let media = |mime: &str| Media { mime: mime.to_owned(), data: b"abc".as_slice().into() };
        let output = ToolOutput { media: vec![media("image/png"), media("video/mp4")], ..ToolOutput::text("two") };
        check(
            &answers(25_000, None).of(recorded(Ok(output)), None, false),
            &json!({
                "content": [
                    {"type": "text", "text": "two\n[`video/mp4`, 3 bytes, is not shown]"},
                    {"type": "image", "data": "YWJj", "mimeType": "image/png"},
                ],
                "isError": false,
            }),
        );
    }
}
