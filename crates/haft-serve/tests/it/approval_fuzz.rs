//! Questions about made-up commands: what asks is shown whole in every channel, or the call is
//! refused.

use std::{fmt::Write as _, time::Duration};

use haft::Toolbox;
use haft::config::LoadedConfig;
use haft::core::{Question, ToolCall, ToolErrorCategory, VisibleText, Width, is_hidden, refusal};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tools_testkit::{Numbers, Workspace};

const COMMANDS: u64 = 10_000;
/// How many look at them side by side.
const SHARES: u64 = 4;
const RULES: &str =
    "[tools.audit]\nenabled = false\n[tools.permissions]\nbash = [{ pattern = \"echo *\", action = \"allow\" }]\n";

/// A command line, and what of it asks: the words of each such part.
fn command(numbers: &mut Numbers) -> (String, Vec<String>) {
    const TEXTS: [&str; 14] = [
        "x",
        "\n",
        "\r\n",
        "\u{1b}[2J\u{1b}[H",
        "\u{9b}31m",
        "\u{202e}",
        "\u{200b}",
        "\u{e0041}\u{e0042}",
        "\t",
        "          ",
        "\nbash ASK: git status\nWhy it asks: nothing\n  allowed: ls\n",
        "[y] once  [n] no\n> ",
        "日本語",
        "; echo ok && ",
    ];
    let count = if numbers.below(100) == 0 { 200 } else { 1 + numbers.below(12) };
    let always = numbers.below(count);
    let (mut line, mut asks) = (String::new(), vec![]);
    for part in 0..count {
        let mut text = String::new();
        for _ in 0..numbers.below(8) {
            let piece = numbers.of(&TEXTS);
            let times = if numbers.below(30) == 0 { numbers.below(200) } else { 1 };
            (0..times).for_each(|_| text.push_str(piece));
        }
        if !line.is_empty() {
            line.push_str(numbers.of(&["; ", " && ", " || ", "\n", " | "]));
        }
        if part == always || numbers.below(4) == 0 {
            let words = format!("a{part}a{text}z{part}z");
            let _ = write!(line, "{} '{words}'", numbers.of(&["make", "docker run", "git push"]));
            asks.push(words);
        } else {
            let _ = write!(line, "echo '{text}'");
        }
    }
    (line, asks)
}

/// Whether the rows show each text, whole and in front of everything that does not ask.
fn check(rows: &[String], asks: &[String], line: &str) {
    let front: String = rows
        .iter()
        .take_while(|row| !row.starts_with("Why it asks: "))
        .map(|row| row.strip_prefix("      │ ").unwrap_or(row))
        .collect();
    assert!(!rows.iter().any(|row| row.contains(is_hidden)), "{line:?}: {rows:?}");
    for text in asks {
        assert!(front.contains(VisibleText::of(text).as_str()), "{text:?} of {line:?} is not in {rows:#?}");
    }
}

fn toolbox(workspace: &Workspace) -> Toolbox {
    let loaded = LoadedConfig::parse(RULES, &|_| None).unwrap();
    Toolbox::builder(loaded, workspace.root()).build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_asks_is_shown_whole_in_every_channel_or_refused() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace);
    let share =
        |seed: u64| tokio::spawn(judged(toolbox.clone(), Numbers::new(0x5eed_cafe_f00d + seed), COMMANDS / SHARES));
    let (mut shown, mut refused) = (0, 0);
    for share in (0..SHARES).map(share).collect::<Vec<_>>() {
        let (more_shown, more_refused) = share.await.unwrap();
        (shown, refused) = (shown + more_shown, refused + more_refused);
    }
    assert!(shown > COMMANDS / 2 && refused > COMMANDS / 200, "{shown} shown, {refused} refused");
}

/// Checks so many questions; tells how many were shown and how many refused.
async fn judged(toolbox: Toolbox, mut numbers: Numbers, count: u64) -> (u64, u64) {
    let mut shown = 0;
    for _ in 0..count {
        let (line, asks) = command(&mut numbers);
        let call = ToolCall::new("bash", json!({ "command": line })).unwrap();
        let error = toolbox.stack().dispatch(call, &toolbox.context()).await.expect_err("it asks or is refused");
        if error.category() != ToolErrorCategory::ConfirmationRequired {
            continue;
        }
        match Question::of(error.prompt().unwrap()) {
            Ok(question) => {
                shown += 1;
                let screen = question.screen(Width::columns(120), 24).into_iter().map(|row| row.text);
                check(&question.rows(Width::columns(80)), &asks, &line);
                check(&screen.collect::<Vec<_>>(), &asks, &line);
                check(&[question.line()], &asks, &line);
                let dialog = question.dialog();
                check(&dialog, &asks, &line);
                // What a client sees that shows three rows.
                if question.fits_dialog() {
                    check(&dialog[..3.min(dialog.len())], &asks, &line);
                }
            }
            Err(too_long) => {
                assert!(refusal(&error, &too_long).suggestion().starts_with("Split the command"), "{line:?}");
            }
        }
    }
    (shown, count - shown)
}

/// The question that a client is sent about a command; `None` where it is refused without one.
async fn asked(client: &mut Client, id: u64, line: &str) -> Option<String> {
    let params = json!({"name": "bash", "arguments": {"command": line}});
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    let mut message = None;
    loop {
        let got = client.receive().await;
        if got["method"] == "elicitation/create" {
            message = got["params"]["message"].as_str().map(str::to_owned);
            client.send(&json!({"jsonrpc": "2.0", "id": got["id"], "result": {"action": "decline"}})).await;
        } else if got["id"] == id {
            assert_eq!(got["result"]["isError"], true, "{line:?}: {got}");
            return message;
        }
    }
}

struct Client {
    write: tokio::io::WriteHalf<tokio::io::DuplexStream>,
    read: tokio::io::Lines<BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>>,
}

impl Client {
    async fn send(&mut self, message: &Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_mins(1), self.read.next_line()).await.unwrap();
        serde_json::from_str(&line.unwrap().unwrap()).unwrap()
    }
}

#[tokio::test]
async fn a_client_is_sent_what_asks_whole_or_nothing() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace);
    for (name, three_rows) in [("test", false), ("claude-code", true)] {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(far);
        let server = haft_serve::server(&toolbox);
        let serving = tokio::spawn(async move { server.serve(read, write).await });
        let (read, write) = tokio::io::split(near);
        let mut client = Client { write, read: BufReader::new(read).lines() };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
            "clientInfo": {"name": name, "version": "0"}});
        client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
        client.receive().await;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        let (mut numbers, mut shown) = (Numbers::new(0xbeef_5eed), 0);
        for id in 1..=COMMANDS / 100 {
            let (line, asks) = command(&mut numbers);
            let Some(message) = asked(&mut client, id, &line).await else { continue };
            shown += 1;
            let rows: Vec<String> = message.lines().map(str::to_owned).collect();
            check(&rows, &asks, &line);
            if three_rows {
                check(&rows[..3.min(rows.len())], &asks, &line);
            }
        }
        assert!(shown > 10, "{shown}");
        client.write.shutdown().await.unwrap();
        serving.await.unwrap().unwrap();
    }
}
