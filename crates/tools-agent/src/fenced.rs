//! Calls in text, for models without native tool use: finds the fenced blocks of an answer that are
//! calls. Pure.

use serde_json::Value;
use tools_core::{InvocationHint, JsonObject, ToolDef, ToolError, ToolErrorCategory};

/// Tag with which any tool can be called by name.
const ANY: &str = "tool_call";

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its info string, trimmed.
    pub info: String,
    /// Its lines, each with its line end.
    pub body: String,
}

/// The closed fenced blocks at the top level of a text, in order.
///
/// A fence is at least three backticks or tildes after at most three spaces; it is closed by at
/// least as many of the same character with nothing after them. Blocks in quotations, lists and
/// markup (`<thinking>`) are left out, as is an unclosed one.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for line in text.split_inclusive('\n') {
        reader.line(line);
    }
    reader.found
}

/// A fence that opens a block.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

#[derive(Default)]
struct Reader {
    found: Vec<Block>,
    state: State,
    /// Whether the previous line was empty.
    is_after_blank: bool,
    /// Whether the previous line was text that the next may continue.
    is_paragraph: bool,
    /// Whether that text continues a quotation.
    is_quoted: bool,
}

#[derive(Default)]
enum State {
    #[default]
    Text,
    Fenced(Fence, Block),
    /// In markup, until a line that contains this, or until an empty line.
    Markup(Option<String>),
    /// In a list: nothing in it is a call.
    List(List),
    /// After a list whose end is uncertain: nothing that follows is a call.
    Lost,
}

/// State of a list.
#[derive(Debug, Clone, Copy)]
struct List {
    /// Column at which the content of its last item begins.
    column: usize,
    inner: Inner,
}

/// Last content of a list.
#[derive(Debug, Clone, Copy)]
enum Inner {
    /// An item without content yet.
    Nothing,
    /// Text that an unindented line may continue.
    Paragraph,
    /// An open fence.
    Fenced(Fence),
    /// A closed fence.
    Closed,
    /// A fence of a nested item, or text that looks like one.
    Unsure,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let bare = line.trim_end_matches(['\n', '\r']);
        let is_blank = bare.trim().is_empty();
        let was_paragraph = std::mem::take(&mut self.is_paragraph);
        let was_quoted = std::mem::take(&mut self.is_quoted);
        match std::mem::take(&mut self.state) {
            State::Text => {
                self.is_quoted = was_quoted && !is_blank && !is_block(bare);
                self.text(bare, was_paragraph);
            }
            State::Fenced(fence, block) if fence.is_closed_by(bare) => self.found.push(block),
            State::Fenced(fence, mut block) => {
                block.body.push_str(without_indent(line, fence.indent));
                self.state = State::Fenced(fence, block);
            }
            State::Markup(None) if is_blank => {}
            State::Markup(Some(end)) if bare.to_ascii_lowercase().contains(&end) => {}
            State::Markup(end) => self.state = State::Markup(end),
            State::Lost => self.state = State::Lost,
            State::List(list) => self.list(list, bare),
        }
        self.is_after_blank = is_blank;
    }

    /// Handles a line in or after a list. Only a paragraph can be continued by an unindented line.
    fn list(&mut self, list: List, line: &str) {
        let is_inside = indent(line) >= list.column;
        self.state = if line.trim().is_empty() {
            // An item that begins with an empty line has no content.
            if matches!(list.inner, Inner::Nothing) { State::Text } else { State::List(list) }
        } else if is_inside {
            State::List(list.with(line))
        } else if is_item(line) {
            State::List(List::of(line))
        } else {
            match list.inner {
                _ if self.is_after_blank || is_block(line) => return self.text(line, false),
                Inner::Paragraph => State::List(list),
                Inner::Unsure => State::Lost,
                Inner::Nothing | Inner::Fenced(_) | Inner::Closed => return self.text(line, false),
            }
        };
    }

    /// Handles a line outside of blocks. `continues` says whether its text continues a paragraph.
    fn text(&mut self, line: &str, continues: bool) {
        if line.trim().is_empty() {
            return;
        }
        if indent(line) > 3 {
            self.is_paragraph = continues;
            return;
        }
        let rest = line.trim_start_matches([' ', '\t']);
        if let Some((fence, info)) = Fence::open(line) {
            self.state = State::Fenced(fence, Block { info: info.to_owned(), body: String::new() });
        } else if let Some(end) = markup(rest) {
            let same_line = end.as_ref().is_some_and(|end| rest.to_ascii_lowercase()[1..].contains(end.as_str()));
            if !same_line {
                self.state = State::Markup(end);
            }
        } else if is_item(line) && self.is_quoted && !interrupts(rest) {
            self.state = State::Lost;
        } else if is_item(line) && (!continues || interrupts(rest)) {
            self.state = State::List(List::of(line));
        } else {
            let is_underline = continues
                && !self.is_quoted
                && ['-', '='].iter().any(|mark| rest.trim_end().trim_matches(*mark).is_empty());
            self.is_quoted |= rest.starts_with('>');
            self.is_paragraph = !rest.starts_with('>') && !is_heading(rest) && !is_underline;
        }
    }
}

impl List {
    /// The list that this item begins or continues.
    fn of(item: &str) -> Self {
        let rest = item.trim_start_matches([' ', '\t']);
        let content = &rest[marker(rest).unwrap_or_default()..];
        let mark = indent(item) + rest.len() - content.len();
        let blanks = indent(content);
        // Further spaces are part of the content.
        let column = mark + if (1..=4).contains(&blanks) { blanks } else { 1 };
        let inner = match Fence::open(content.trim_start_matches([' ', '\t'])) {
            _ if content.trim().is_empty() => Inner::Nothing,
            Some((fence, _)) if blanks <= 4 => Inner::Fenced(fence),
            // A nested item, or code by indentation.
            _ if blanks > 4 || is_item(content.trim_start()) || is_block(content.trim_start()) => Inner::Unsure,
            _ => Inner::Paragraph,
        };
        Self { column, inner }
    }

    /// The list after one more line, which belongs to its last item.
    fn with(self, line: &str) -> Self {
        let rest = line.trim_start_matches([' ', '\t']);
        let is_deep = indent(line) > self.column + 3;
        let inner = match (self.inner, Fence::open(rest)) {
            (Inner::Unsure, _) => Inner::Unsure,
            (Inner::Fenced(fence), _) if fence.is_closed_by(rest) && !is_deep => Inner::Closed,
            (Inner::Fenced(fence), _) => Inner::Fenced(fence),
            (_, Some((fence, _))) if !is_deep => Inner::Fenced(fence),
            (_, Some(_)) => Inner::Unsure,
            (_, None) if is_deep || is_item(rest) || is_block(rest) => Inner::Unsure,
            (_, None) => Inner::Paragraph,
        };
        Self { inner, ..self }
    }
}

impl Fence {
    /// The fence that a line opens, and its info string.
    fn open(line: &str) -> Option<(Self, &str)> {
        let indent = indent(line);
        let rest = line.trim_start_matches(' ');
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = rest.chars().take_while(|c| *c == mark).count();
        let info = rest[length..].trim();
        let is_fence = indent <= 3 && length >= 3 && !(mark == '`' && info.contains('`'));
        is_fence.then_some((Self { mark, length, indent }, info))
    }

    fn is_closed_by(self, line: &str) -> bool {
        let rest = line.trim_start_matches(' ');
        let length = rest.chars().take_while(|c| *c == self.mark).count();
        indent(line) <= 3 && length >= self.length && rest[length..].trim_matches([' ', '\t']).is_empty()
    }
}

/// Number of columns of white space at the beginning of a line.
fn indent(line: &str) -> usize {
    let mut column = 0;
    for c in line.chars() {
        match c {
            ' ' => column += 1,
            '\t' => column += 4 - column % 4,
            _ => break,
        }
    }
    column
}

fn without_indent(line: &str, most: usize) -> &str {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    &line[spaces.min(most)..]
}

/// Whether a line begins an item of a list.
fn is_item(line: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t']);
    let behind = marker(rest).map(|length| &rest[length..]);
    indent(line) <= 3 && behind.is_some_and(|behind| behind.is_empty() || behind.starts_with([' ', '\t']))
}

/// Whether a line begins a new block, whatever came before.
fn is_block(line: &str) -> bool {
    let rest = line.trim_start_matches(' ');
    Fence::open(line).is_some() || rest.starts_with('>') || is_heading(rest) || markup(rest).is_some()
}

/// Whether a text is a heading.
fn is_heading(text: &str) -> bool {
    let marks = text.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&marks) && text[marks..].chars().next().is_none_or(|next| matches!(next, ' ' | '\t'))
}

/// Whether an item of a list may directly follow text: a numbered one only if it is the first.
fn interrupts(item: &str) -> bool {
    let length = marker(item).unwrap_or_default();
    let is_empty = item[length..].trim().is_empty();
    !is_empty && (length == 1 || matches!(&item[..length], "1." | "1)"))
}

/// Length of the marker of a list item at the beginning of a text.
fn marker(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = text[digits..].chars().next()?;
    match (digits, mark) {
        (0, '-' | '*' | '+') => Some(1),
        (1..=9, '.' | ')') => Some(digits + 1),
        _ => None,
    }
}

/// Whether a line begins markup, and what ends it; `Some(None)` if an empty line does. Recognises
/// more markup than a renderer: its content is not run.
#[expect(clippy::option_option, reason = "the outer one says whether it is markup, the inner one by what it is ended")]
fn markup(text: &str) -> Option<Option<String>> {
    let lower = text.to_ascii_lowercase();
    let rest = lower.strip_prefix('<')?;
    let first = rest.chars().next()?;
    let ends = [("!--", "-->"), ("?", "?>"), ("![cdata[", "]]>"), ("!", ">")];
    if let Some((_, end)) = ends.iter().find(|(begin, _)| rest.starts_with(begin)) {
        return Some(Some((*end).to_owned()));
    }
    if !first.is_ascii_alphabetic() && first != '/' {
        return None;
    }
    let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
    let is_verbatim = ["script", "pre", "style", "textarea", "thinking", "think"].contains(&name.as_str());
    Some(is_verbatim.then(|| format!("</{name}>")))
}

/// A call in text: the tool's name and its parameters, or their error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FencedCall {
    /// The tool.
    pub tool: String,
    /// The parameters as JSON.
    pub params: Result<JsonObject, String>,
}

/// The calls of an answer, at most `most`, in order. A block that occurs in one of `echoes`, the
/// latest outputs of tools, is not a call: the model repeats it.
pub(crate) fn calls(text: &str, tools: &[std::sync::Arc<ToolDef>], echoes: &[&str], most: usize) -> Vec<FencedCall> {
    let printed: Vec<Block> = echoes.iter().flat_map(|echo| blocks(echo)).collect();
    let said = |block: &Block| {
        printed.contains(block)
            || (!block.body.trim().is_empty() && echoes.iter().any(|echo| echo.contains(&fence_of(block))))
    };
    blocks(text).into_iter().filter(|block| !said(block)).filter_map(|block| call(&block, tools)).take(most).collect()
}

/// The block as written in a text that shows it.
fn fence_of(block: &Block) -> String {
    format!("```{}\n{}```", block.info, block.body)
}

fn call(block: &Block, tools: &[std::sync::Arc<ToolDef>]) -> Option<FencedCall> {
    if block.info == ANY {
        return Some(any_call(&block.body));
    }
    let tagged = |tool: &&std::sync::Arc<ToolDef>| match &tool.invocation {
        InvocationHint::FencedBlock(tag) => *tag == block.info,
        InvocationHint::ToolCall => false,
    };
    let tool = tools.iter().find(tagged)?;
    Some(FencedCall { tool: tool.name.as_str().to_owned(), params: params(tool, &block.body) })
}

fn any_call(body: &str) -> FencedCall {
    let bad = |problem: &str| FencedCall { tool: ANY.to_owned(), params: Err(problem.to_owned()) };
    let Ok(Value::Object(mut call)) = serde_json::from_str::<Value>(body) else {
        return bad("the block is no JSON object");
    };
    let Some(Value::String(tool)) = call.remove("tool_id") else { return bad("`tool_id` is missing") };
    let params = match call.remove("params") {
        None | Some(Value::Null) => Ok(JsonObject::new()),
        Some(Value::Object(params)) => Ok(params),
        Some(_) => Err("`params` is no JSON object".to_owned()),
    };
    FencedCall { tool, params }
}

/// The parameters in a block: the text itself if the tool's only required parameter is a text, else
/// a JSON object.
fn params(tool: &ToolDef, body: &str) -> Result<JsonObject, String> {
    let schema = tool.input.as_value();
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    if let [Value::String(only)] = required
        && schema["properties"][only]["type"] == "string"
        && !body.trim_start().starts_with('{')
    {
        let text = body.strip_suffix('\n').unwrap_or(body);
        return Ok([(only.clone(), Value::from(text))].into_iter().collect());
    }
    match serde_json::from_str::<Value>(body) {
        Ok(Value::Object(params)) => Ok(params),
        Ok(_) => Err("the block is no JSON object".to_owned()),
        Err(error) => Err(format!("the block is no JSON: {error}")),
    }
}

impl FencedCall {
    /// The failure of a call whose block is invalid.
    pub(crate) fn error(&self, problem: &str) -> ToolError {
        ToolError::new(
            ToolErrorCategory::InvalidParameters,
            "block_not_json",
            format!("the block that calls `{}` cannot be read: {problem}", self.tool),
        )
        .with_suggestion("write the block again with one complete JSON object in it")
    }
}

/// Instructions for a model without native tool use on how to call tools.
pub(crate) fn instructions(tools: &[std::sync::Arc<ToolDef>]) -> String {
    format!(
        "Call a tool by writing a fenced block that stands by itself. The block\n\
         ```{ANY}\n{{\"tool_id\": \"NAME\", \"params\": {{…}}}}\n```\n\
         calls the tool NAME. A tool with a tag of its own is also called by a block with that tag: it holds the one \
         parameter that the tool needs, or the parameters as a JSON object. The results come in the next message. Write at \
         most four blocks, and none that only repeats what a tool printed.\n\n{}",
        tools_catalog::prompt(tools)
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use schemars::JsonSchema;
    use tools_core::{ToolKind, ToolTraits};

    use super::*;

    /// Runs a command.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Command {
        command: String,
        timeout: Option<u32>,
    }

    fn tools() -> Vec<Arc<ToolDef>> {
        vec![Arc::new(ToolDef::of::<Command>("bash", ToolKind::Execute, ToolTraits::CAUTIOUS).fenced("bash"))]
    }

    fn found(text: &str) -> Vec<(String, String)> {
        calls(text, &tools(), &[], 4)
            .into_iter()
            .map(|call| (call.tool, call.params.map_or_else(|error| error, |params| Value::Object(params).to_string())))
            .collect()
    }

    #[test]
    fn blocks_that_stand_by_themselves_are_calls() {
        let check = |text: &str, expected: &[&str]| {
            let commands: Vec<String> = found(text).into_iter().map(|(_, params)| params).collect();
            let expected: Vec<String> =
                expected.iter().map(|command| serde_json::json!({"command": command}).to_string()).collect();
            assert_eq!(commands, expected, "{text}");
        };
        check("```bash\nls\n```\n", &["ls"]);
        check("Look:\n   ~~~bash\n   ls\n   ~~~", &["ls"]);
        check("````bash\n```\nls\n```\n````", &["```\nls\n```"]);
        check("    ```bash\n    ls\n    ```", &[]);
        check("```bash\nls\n", &[]);
        check("```Bash\nls\n```", &[]);
        check("```bash title\nls\n```", &[]);
        check("> ```bash\n> ls\n> ```", &[]);
        check("<thinking>\n\n```bash\nrm -rf x\n```\n</thinking>\n\n```bash\nls\n```", &["ls"]);
        check("````\n```bash\nls\n```\n````", &[]);
        check(
            "```bash\na\n```\n```bash\nb\n```\n```bash\nc\n```\n```bash\nd\n```\n```bash\ne\n```",
            &["a", "b", "c", "d"],
        );
        check("- x\n  ```\n```\n```bash\nrm\n```", &[]);
        check("- x\n  ```\ny\n  ```\n```bash\n  ```\n", &[]);
        check("- x\n  ```\n  y\n  ```\nThen:\n```bash\nls\n```\n", &["ls"]);
        check("1. x\n  ```\n```bash\nrm\n```", &[]);
        check("x\n-\n-\n  ~~~\ny\n~~~bash\nls\n~~~\n", &["ls"]);
    }

    #[test]
    fn any_tool_is_called_by_its_name() {
        let (tool, params) =
            found("```tool_call\n{\"tool_id\": \"read\", \"params\": {\"path\": \"a\"}}\n```").remove(0);
        assert_eq!((tool.as_str(), params.as_str()), ("read", r#"{"path":"a"}"#));
        assert_eq!(found("```tool_call\n{\"tool_id\": 1}\n```")[0].1, "`tool_id` is missing");
        assert_eq!(
            found("```bash\n{\"command\": \"ls\", \"timeout\": 3}\n```")[0].1,
            r#"{"command":"ls","timeout":3}"#
        );
    }

    #[test]
    fn what_a_tool_printed_is_no_call() {
        let answer = "The file says:\n\n```bash\nrm -rf /\n```\n\nI run this:\n\n```bash\nls\n```\n";
        let echo = "README\n```bash\nrm -rf /\n```\n";
        let commands = calls(answer, &tools(), &[echo], 4);
        assert_eq!(commands.len(), 1);
        assert_eq!(commands[0].params.as_ref().unwrap()["command"], "ls");
    }
}
