//! Converts the parts of a client's prompt to one text.

use crate::rpc::RpcError;
use crate::wire::{ContentBlock, Resource};

/// The text of a prompt. Attached files are framed by marks, with their origin.
///
/// # Errors
/// For pictures and sounds, which are not supported, and for an empty prompt.
pub(crate) fn text_of(blocks: Vec<ContentBlock>) -> Result<String, RpcError> {
    let mut text = String::new();
    for block in blocks {
        let part = match block {
            ContentBlock::Text { text } => text,
            ContentBlock::ResourceLink { uri, name } => format!("[{name}]({uri})"),
            ContentBlock::Resource { resource } => attached(resource)?,
            ContentBlock::Image {} => {
                return Err(RpcError::invalid_params("pictures are not read: see `promptCapabilities`"));
            }
            ContentBlock::Audio {} => {
                return Err(RpcError::invalid_params("sounds are not read: see `promptCapabilities`"));
            }
        };
        text.push_str(&part);
    }
    if text.trim().is_empty() {
        return Err(RpcError::invalid_params("the prompt says nothing"));
    }
    Ok(text)
}

fn attached(resource: Resource) -> Result<String, RpcError> {
    let Resource { uri, text } = resource;
    let text = text.ok_or_else(|| RpcError::invalid_params(format!("`{uri}` holds no text")))?;
    let end = if text.ends_with('\n') { "" } else { "\n" };
    Ok(format!("\n[attached: {uri}]\n{text}{end}[end of {uri}]\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_prompt_is_one_text() {
        let check = |blocks: Value, expected: Result<&str, i32>| {
            let blocks = serde_json::from_value(blocks).expect("they are blocks");
            assert_eq!(text_of(blocks).as_deref().map_err(|error| error.code), expected);
        };
        check(json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), Ok("ab"));
        check(
            json!([{"type": "text", "text": "see "}, {"type": "resource_link", "uri": "file:///x", "name": "x", "size": 3}]),
            Ok("see [x](file:///x)"),
        );
        check(
            json!([{"type": "resource", "resource": {"uri": "file:///x", "text": "1", "mimeType": "text/plain"}}]),
            Ok("\n[attached: file:///x]\n1\n[end of file:///x]\n"),
        );
        check(json!([{"type": "resource", "resource": {"uri": "file:///x", "blob": "AA=="}}]), Err(-32602));
        check(json!([{"type": "image", "data": "AA==", "mimeType": "image/png"}]), Err(-32602));
        check(json!([{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]), Err(-32602));
        check(json!([]), Err(-32602));
        check(json!([{"type": "text", "text": " "}]), Err(-32602));
    }
}
