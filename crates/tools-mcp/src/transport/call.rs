//! Parses `tools/call`, the most frequent message, directly into its type.
//!
//! rmcp tries one message type after the other on a buffered copy, which costs several times as
//! much for this one. Anything that is not exactly a `tools/call` is left to rmcp.

use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, GetMeta,
    InputResponses, JsonObject, JsonRpcVersion2_0, RequestId, RequestMetaObject,
};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(rename = "method")]
    _method: CallToolRequestMethod,
    params: Parameters,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    #[serde(rename = "_meta", default)]
    meta: Option<RequestMetaObject>,
    name: String,
    arguments: Option<JsonObject>,
    input_responses: Option<InputResponses>,
    request_state: Option<String>,
}

/// The message of `line` if it is a well-formed `tools/call`.
pub(super) fn read(line: &[u8]) -> Option<ClientJsonRpcMessage> {
    let message: Message = serde_json::from_slice(line).ok()?;
    let given = message.params;
    let mut parameters = CallToolRequestParams::new(given.name);
    parameters.arguments = given.arguments;
    parameters.input_responses = given.input_responses;
    parameters.request_state = given.request_state;
    let mut request = ClientRequest::CallToolRequest(CallToolRequest::new(parameters));
    if let Some(meta) = given.meta {
        *request.get_meta_mut() = meta;
    }
    Some(ClientJsonRpcMessage::request(request, message.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with rmcp, and checks whether the fast path parses the line.
    fn check(line: &str, short: bool) {
        let long = serde_json::from_str::<ClientJsonRpcMessage>(line).unwrap();
        let read = read(line.as_bytes());
        assert_eq!(read.is_some(), short, "{line}");
        if let Some(read) = read {
            assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::to_value(&long).unwrap(), "{line}");
            assert_eq!(format!("{read:?}"), format!("{long:?}"), "{line}");
        }
    }

    #[test]
    fn the_short_way_reads_what_rmcp_reads() {
        check(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}"#, true);
        check(
            r#"{"params":{"arguments":{"a":[1,"\u00e4"]},"name":"read","requestState":"s","inputResponses":{"q":{}},"_meta":{"progressToken":7,"x":{}}},"method":"tools/call","id":"a","jsonrpc":"2.0"}"#,
            true,
        );
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":null,"x":1}}"#,
            true,
        );
        check(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#, false);
        check(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, false);
        check(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"},"more":1}"#, false);
        check(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"}}"#, false);
    }
}
