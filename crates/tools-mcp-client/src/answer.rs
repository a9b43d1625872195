//! Converts a server's answer to the output of a tool: visible text and media of limited size. The
//! server is not trusted.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use tools_core::{
    ClaimSource, Media, SummaryKind, ToolError, ToolErrorCategory, ToolOutput, VisibleText, visible_lines, with_texts,
};

use crate::error::shown;

/// Maximum number of bytes of all images of one answer.
const MAX_MEDIA: usize = 8 << 20;
/// Estimated number of bytes per token.
const BYTES_OF_TOKEN: usize = 4;

/// The output of a call, or the error of a tool that failed.
pub(crate) fn output(result: CallToolResult, server: &str, max_tokens: usize) -> Result<ToolOutput, ToolError> {
    let (mut texts, mut media) = (Vec::new(), Vec::new());
    let mut room = MAX_MEDIA;
    let mut decoded = |data: &str| {
        let data = STANDARD.decode(data.as_bytes()).ok().filter(|data| data.len() <= room)?;
        room -= data.len();
        Some(data)
    };
    for block in result.content {
        match block {
            ContentBlock::Text(text) => texts.push(visible_lines(&text.text).into_owned()),
            ContentBlock::Image(image) => {
                let is_image = image.mime_type.starts_with("image/");
                match is_image.then(|| decoded(&image.data)).flatten() {
                    Some(data) => media.push(Media::new(shown(&image.mime_type), data)),
                    None => texts.push(format!("[an image that cannot be shown: {}]", shown(&image.mime_type))),
                }
            }
            ContentBlock::Audio(audio) => texts.push(format!("[audio, {}: not shown]", shown(&audio.mime_type))),
            ContentBlock::Resource(embedded) => texts.push(match embedded.resource {
                ResourceContents::TextResourceContents { text, .. } => visible_lines(&text).into_owned(),
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    let uri = VisibleText::of(&uri).shortened(300).to_string();
                    match decoded(&blob) {
                        Some(data) => {
                            let said = format!("[binary content of `{uri}`: {} bytes]", data.len());
                            let mime = mime_type.as_deref().unwrap_or("application/octet-stream");
                            media.push(Media::new(shown(mime), data).at(uri));
                            said
                        }
                        None => format!("[binary content of `{uri}`: not shown]"),
                    }
                }
                _ => "[content of an unknown kind: not shown]".to_owned(),
            }),
            ContentBlock::ResourceLink(link) => texts.push(format!(
                "[link to a resource of the server: `{}`, {}]",
                VisibleText::of(&link.name).shortened(200),
                VisibleText::of(&link.uri).shortened(300)
            )),
            _ => texts.push("[content of an unknown kind: not shown]".to_owned()),
        }
    }
    let structured = result.structured_content.filter(serde_json::Value::is_object);
    let structured = structured.map(|structured| with_texts(&structured, &visible_lines));
    if texts.iter().all(String::is_empty)
        && let Some(structured) = &structured
    {
        texts = vec![structured.to_string()];
    }
    let text = texts.join("\n");
    let output = ToolOutput { summary: text, media, source: ClaimSource::Mcp, ..ToolOutput::default() };
    let output = shortened(output, max_tokens.saturating_mul(BYTES_OF_TOKEN));
    if result.is_error != Some(true) {
        return Ok(ToolOutput { raw_response: structured, ..output });
    }
    let said = VisibleText::of(&output.summary).shortened(2_000);
    let said = if output.summary.trim().is_empty() { "it gave no reason".to_owned() } else { said.to_string() };
    let message = format!("the MCP server `{server}` says: {said}");
    Err(ToolError::new(ToolErrorCategory::PermanentFailure, "mcp_tool_failed", message).with_output(output))
}

/// Shortens the text to its two ends if it is longer than `most` bytes; the full text stays
/// available for storage.
fn shortened(output: ToolOutput, most: usize) -> ToolOutput {
    if output.summary.len() <= most {
        return output;
    }
    let text = &output.summary;
    let head = text.floor_char_boundary(most / 3 * 2);
    let tail = text.ceil_char_boundary(text.len() - most / 3);
    let ends = format!("{}\n[… {} bytes left out …]\n{}", &text[..head], tail - head, &text[tail..]);
    ToolOutput { truncated: true, ..output.showing(ends, SummaryKind::Ends) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answered(result: serde_json::Value, max_tokens: usize) -> Result<ToolOutput, ToolError> {
        output(serde_json::from_value(result).unwrap(), "s", max_tokens)
    }

    #[test]
    fn content_becomes_text_that_shows() {
        let result = json!({"content": [
            {"type": "text", "text": "a\u{1b}[2J\nb"},
            {"type": "resource_link", "uri": "file:///x", "name": "x\u{202e}"},
            {"type": "resource", "resource": {"uri": "u", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "r\u{202e}", "mimeType": "application/pdf", "blob": "AAAA"}},
            {"type": "resource", "resource": {"uri": "r", "blob": "!"}},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "image", "data": "!", "mimeType": "image/png"},
        ]});
        let output = answered(result, 200).unwrap();
        assert_eq!(
            output.summary,
            "a\\u{1b}[2J\nb\n[link to a resource of the server: `x\\u{202e}`, file:///x]\ninside\n[binary content of `r\\u{202e}`: 3 bytes]\n[binary content of `r`: not shown]\n[an image that cannot be shown: image/png]"
        );
        let uris: Vec<_> = output.media.iter().map(|media| media.uri.as_deref()).collect();
        assert_eq!((uris, output.source), (vec![Some("r\\u{202e}"), None], ClaimSource::Mcp));
    }

    #[test]
    fn structure_stands_for_text_where_there_is_none_and_errors_are_errors() {
        let output = answered(json!({"content": [], "structuredContent": {"a": 1}}), 100).unwrap();
        assert_eq!((output.summary.as_str(), output.raw_response), ("{\"a\":1}", Some(json!({"a": 1}))));
        let hidden = json!({"content": [], "structuredContent": {"a\u{202e}": ["b\u{1b}[2J\nc"]}});
        let output = answered(hidden, 100).unwrap();
        assert_eq!(output.raw_response, Some(json!({"a\\u{202e}": ["b\\u{1b}[2J\nc"]})));
        assert_eq!(output.summary, r#"{"a\\u{202e}":["b\\u{1b}[2J\nc"]}"#);
        let error = answered(json!({"content": [{"type": "text", "text": "no"}], "isError": true}), 100).unwrap_err();
        assert_eq!((error.code(), error.message()), ("mcp_tool_failed", "the MCP server `s` says: no"));
    }

    #[test]
    fn long_text_is_shown_in_part_and_kept_whole() {
        let text = "é".repeat(1_000);
        let output = answered(json!({"content": [{"type": "text", "text": text}]}), 25).unwrap();
        assert!(output.summary.len() < 160 && output.truncated, "{}", output.summary.len());
        assert_eq!(output.whole(), text);
    }
}
