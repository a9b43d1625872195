//! Converts a recorded outcome to an MCP result: text and media for the model, the rest for
//! programs in `_meta`. Nothing is cut here: the call already knew the size limit.

use std::{collections::HashSet, fmt::Write as _};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResourceContents};
use serde_json::Value;
use tools_core::{
    AnswerBudget, ErrorDetail, Journal, Locked as _, Media, RecordedResult, ToolDef, ToolError, ToolErrorFeedback,
    ToolOutput, ToolTraits,
};

/// Maximum size in bytes of media that are sent; larger ones are only named.
const MEDIA_LIMIT: usize = 8 << 20;
/// Bytes reserved in an answer for warnings above the text.
const WARNINGS: usize = 800;
/// Bytes reserved for notes about media below the text.
const MEDIA: usize = 200;
/// Maximum length in bytes of strings in a structured result; longer ones are in the text already.
const LONG_MEMBER: usize = 256;
/// Maximum number of different warnings shown in the text of one connection.
const SHOWN_WARNINGS: usize = 64;

/// Whether results carry `structuredContent`.
///
/// Off by default, since agents that find it give the model nothing else. A request overrides the
/// setting with `"haft/structured": true` or `false` in its `_meta`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StructuredContent {
    /// Only if a request asks for it.
    #[default]
    Never,
    /// Unless a request asks for none.
    Always,
}

impl StructuredContent {
    /// The `_meta` key by which a request overrides the setting.
    pub const META_KEY: &str = "haft/structured";

    pub(crate) fn for_request(self, meta: &serde_json::Map<String, Value>) -> bool {
        let asked = meta.get(Self::META_KEY).and_then(Value::as_bool);
        asked.unwrap_or(self == Self::Always)
    }
}

/// Maximum answer size in bytes for a client with this name, if the host sets none.
pub(crate) fn cap_of_client(name: &str) -> usize {
    // Codex cuts answers above 12,000 bytes in the middle, and does not say by how much.
    const CODEX: usize = 11_000;
    const OTHERS: usize = 25_000;
    if name.to_ascii_lowercase().contains("codex") { CODEX } else { OTHERS }
}

/// Budget of the text from which an answer of `cap` bytes is made.
pub(crate) fn budget(cap: usize) -> AnswerBudget {
    AnswerBudget::of_bytes(cap.saturating_sub(WARNINGS + MEDIA))
}

/// State for making the answers of one connection.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) warned: std::sync::Mutex<HashSet<String>>,
}

impl Answers {
    /// The result of a call of `definition`'s tool (`None` for an unknown tool), in at most `cap`
    /// bytes.
    pub(crate) fn of(
        &self,
        recorded: RecordedResult,
        definition: Option<&ToolDef>,
        structured: bool,
        cap: usize,
    ) -> CallToolResult {
        let warnings = recorded.journal.warnings();
        let mut meta = MetaObject::new();
        let warned = self.warned(&warnings, &recorded.journal);
        if !warnings.is_empty() {
            meta.insert("haft/warnings".to_owned(), warnings.into());
        }
        let mut result = match recorded.outcome {
            Ok(output) => {
                let text = warned + &output.to_text();
                let room = cap.saturating_sub(text.len());
                let content = content(text, &output.media);
                finish(CallToolResult::success(content), Some(output), structured.then_some(room), &mut meta)
            }
            Err(error) => {
                describe(&error, &mut meta);
                let text = warned + &failure_text(&error, definition);
                let room = cap.saturating_sub(text.len());
                let content = content(text, error.output().map(|output| &*output.media).unwrap_or_default());
                let room = structured.then_some(room);
                finish(CallToolResult::error(content), error.output().cloned(), room, &mut meta)
            }
        };
        result.meta = (!meta.is_empty()).then_some(meta);
        result
    }

    /// The warnings, one per line, without persistent ones that were already shown on this
    /// connection.
    fn warned(&self, warnings: &[String], journal: &Journal) -> String {
        let (mut lines, mut left_out) = (String::new(), 0_usize);
        if warnings.is_empty() {
            return lines;
        }
        let mut warned = self.warned.locked();
        for warning in warnings {
            let line = format!("[warning] {}\n", warning.replace(['\n', '\r'], " "));
            // A persistent warning without room is shown with the next answer; `_meta` has all of
            // them.
            let fits = lines.len() + line.len() <= WARNINGS || lines.is_empty();
            let holds_on = journal.is_reported_once(warning);
            let is_told = holds_on && (warned.len() >= SHOWN_WARNINGS || warned.contains(warning));
            if fits && !is_told {
                warned.extend(holds_on.then(|| warning.clone()));
                lines.push_str(&shortened(line));
            } else if !holds_on {
                left_out += 1;
            }
        }
        if left_out > 0 {
            lines.extend(["[warning] and ", &left_out.to_string(), " more of this call, in `_meta`\n"]);
        }
        lines
    }
}

/// Shortens a warning's line to the room reserved for all warnings.
fn shortened(mut line: String) -> String {
    if line.len() > WARNINGS {
        line.truncate(line.floor_char_boundary(WARNINGS - 8));
        line.push_str(" …\n");
    }
    line
}

pub(crate) fn content(mut text: String, media: &[Media]) -> Vec<ContentBlock> {
    let mut blocks = Vec::with_capacity(1 + media.len());
    for media in media {
        match block(media) {
            Some(block) => blocks.push(block),
            None => {
                let _ = write!(text, "\n[`{}`, {} bytes, is not shown]", media.mime, media.data.len());
            }
        }
    }
    if text.is_empty() && blocks.is_empty() {
        // Some model APIs refuse empty text.
        text.push_str("[no output]");
    }
    if !text.is_empty() {
        blocks.insert(0, ContentBlock::text(text));
    }
    blocks
}

/// Adds the data for programs; `room` is the space left for a structured result, if one is wanted.
fn finish(
    mut result: CallToolResult,
    output: Option<ToolOutput>,
    room: Option<usize>,
    meta: &mut MetaObject,
) -> CallToolResult {
    let Some(output) = output else { return result };
    if output.truncated {
        meta.insert("haft/truncated".to_owned(), true.into());
    }
    if let Some(window) = output.window.and_then(|window| serde_json::to_value(window).ok()) {
        meta.insert("haft/window".to_owned(), window);
    }
    let (Some(room), Some(mut value)) = (room, output.raw_response) else { return result };
    if value.to_string().len() > room {
        let omitted = without_long(&mut value);
        if !omitted.is_empty() {
            meta.insert("haft/structured_omitted".to_owned(), omitted.into());
        }
    }
    let size = value.to_string().len();
    if size > room {
        meta.insert("haft/structured_omitted_bytes".to_owned(), size.into());
        return result;
    }
    result.structured_content = Some(value);
    result
}

/// Empties the long strings of an object, which repeat the text; returns their names and lengths in
/// bytes.
fn without_long(value: &mut Value) -> serde_json::Map<String, Value> {
    let mut omitted = serde_json::Map::new();
    for (name, member) in value.as_object_mut().into_iter().flatten() {
        if let Value::String(text) = member
            && text.len() > LONG_MEMBER
        {
            omitted.insert(name.clone(), text.len().into());
            text.clear();
        }
    }
    omitted
}

/// The feedback block, followed by the output produced before the failure.
fn failure_text(error: &ToolError, definition: Option<&ToolDef>) -> String {
    let traits = definition.map_or(ToolTraits::CAUTIOUS, ToolDef::trusted_traits);
    let block = ToolErrorFeedback::new(error, traits).format_for_llm();
    match error.output().map(ToolOutput::to_text).filter(|partial| !partial.is_empty()) {
        Some(partial) => block + "\n\n" + &partial,
        None => block,
    }
}

/// Adds the data of a failure for programs.
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

/// `None` for media without an MCP block type, and for media too large for a model.
fn block(media: &Media) -> Option<ContentBlock> {
    if media.data.len() > MEDIA_LIMIT {
        return None;
    }
    if let Some(uri) = &media.uri {
        let contents = match media.text() {
            Some(text) => ResourceContents::text(text, uri),
            None => ResourceContents::blob(STANDARD.encode(&media.data), uri),
        };
        return Some(ContentBlock::resource(contents.with_mime_type(media.mime.clone())));
    }
    let kind = media.mime.split('/').next().unwrap_or_default();
    match kind {
        "image" => Some(ContentBlock::image(STANDARD.encode(&media.data), media.mime.clone())),
        "audio" => Some(ContentBlock::audio(STANDARD.encode(&media.data), media.mime.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tools_core::{Journal, ToolErrorCategory};

    use super::*;

    const CAP: usize = 25_000;

    fn recorded(outcome: tools_core::Outcome) -> RecordedResult {
        RecordedResult { outcome, journal: Journal::default() }
    }

    fn check(result: &CallToolResult, expected: &Value) {
        let mut value = serde_json::to_value(result).unwrap();
        value.as_object_mut().unwrap().remove("resultType");
        assert_eq!(&value, expected);
    }

    #[test]
    fn an_output_is_text_and_structure_only_on_request() {
        let output = || ToolOutput::text("hello").with_raw_response(json!({"n": 1}));
        let answers = Answers::default();
        let text = json!([{"type": "text", "text": "hello"}]);
        check(&answers.of(recorded(Ok(output())), None, false, CAP), &json!({"content": text, "isError": false}));
        check(
            &answers.of(recorded(Ok(output())), None, true, CAP),
            &json!({"content": text, "isError": false, "structuredContent": {"n": 1}}),
        );
        let asks =
            |value: Value| StructuredContent::Never.for_request(json!({"haft/structured": value}).as_object().unwrap());
        assert!(asks(json!(true)) && !asks(json!(false)) && !asks(json!("true")));
        assert!(StructuredContent::Always.for_request(&serde_json::Map::new()));
    }

    #[test]
    fn structure_repeats_no_more_text_than_there_is_room_for() {
        let shell = |stdout: &str| json!({"stdout": stdout, "exit_code": 7});
        let of = |value: Value| {
            let output = ToolOutput::text("x".repeat(600)).with_raw_response(value);
            let result = Answers::default().of(recorded(Ok(output)), None, true, 1_000);
            (result.structured_content, result.meta)
        };
        assert_eq!(of(shell("short")), (Some(shell("short")), None));
        let (structure, meta) = of(shell(&"y".repeat(600)));
        assert_eq!(structure, Some(shell("")));
        assert_eq!(meta.unwrap()["haft/structured_omitted"], json!({"stdout": 600}));
        let (structure, meta) = of(json!({"list": vec![1; 500]}));
        assert_eq!((structure, &meta.unwrap()["haft/structured_omitted_bytes"]), (None, &json!(1_010)));
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
            &Answers::default().of(recorded(Err(error)), None, false, CAP),
            &json!({
                "content": [{"type": "text", "text": text}],
                "isError": true,
                "_meta": {"haft/category": "timeout", "haft/code": "deadline", "haft/exit_code": 124},
            }),
        );
    }

    #[test]
    fn what_holds_on_is_text_once_and_meta_always() {
        let answers = Answers::default();
        let mut texts = vec![];
        for _ in 0..2 {
            let recorded = recorded(Ok(ToolOutput::text("ok")));
            recorded.journal.warn_once("the sandbox is\nweak");
            recorded.journal.warn("not kept");
            let result = answers.of(recorded, None, false, CAP);
            assert_eq!(result.meta.unwrap()["haft/warnings"], json!(["the sandbox is\nweak", "not kept"]));
            texts.push(result.content[0].as_text().unwrap().text.clone());
        }
        assert_eq!(texts, ["[warning] the sandbox is weak\n[warning] not kept\nok", "[warning] not kept\nok"]);
    }

    #[test]
    fn warnings_and_failures_leave_room_for_the_text() {
        let answers = Answers::default();
        let error = ToolError::new(ToolErrorCategory::PermanentFailure, "x", "long ".repeat(10_000));
        let recorded = recorded(Err(error));
        for n in 0..20 {
            recorded.journal.warn(format!("{n}: {}", "odd ".repeat(n * 40)));
        }
        let result = answers.of(recorded, None, false, 11_000);
        let shown = &result.content[0].as_text().unwrap().text;
        assert!(shown.len() <= 11_000 && shown.contains("bytes left out"), "{}", shown.len());
        assert!(shown.contains(" more of this call, in `_meta`\n"), "{shown}");
        assert_eq!(result.meta.unwrap()["haft/warnings"].as_array().unwrap().len(), 20);
    }

    #[test]
    fn nothing_printed_is_said() {
        let result = Answers::default().of(recorded(Ok(ToolOutput::text(""))), None, false, CAP);
        assert_eq!(result.content[0].as_text().unwrap().text, "[no output]");
    }

    #[test]
    fn what_is_known_of_a_client_decides_what_it_gets() {
        assert!(cap_of_client("codex-mcp-client") < 12_000);
        assert_eq!(cap_of_client("claude-code"), 25_000);
    }

    #[test]
    fn images_are_blocks_and_other_media_are_named() {
        let media = |mime: &str| Media::new(mime, b"abc".as_slice());
        let output = ToolOutput { media: vec![media("image/png"), media("video/mp4")], ..ToolOutput::text("two") };
        check(
            &Answers::default().of(recorded(Ok(output)), None, false, CAP),
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
