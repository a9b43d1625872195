//! Credentials in streams, in sessions, and around a tool: what holds for every text and every
//! surface. Values that look real are put together here, so that none stands in the source.

use std::sync::Arc;

use proptest::prelude::*;
use schemars::Schema;
use serde_json::{Value, json};
use tools_core::{
    Announce, Approval, CallContext, CallerId, ClaimSource, EventKind, EventSink, FileDiff, Media, OutputStream,
    RecordedResult, Redactor as _, SessionId, Stack, SystemClock, ToolCall, ToolDef, ToolError, ToolErrorCategory,
    ToolKind, ToolName, ToolOutput, ToolTraits,
};
use tools_secrets::{Piece, SecretRedactor, SecretStream, SecretsLayer, SecretsMode, scan};
use tools_testkit::{Behaviour, ScriptedExecutor};

const RANDOM: &str = "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx";

fn github() -> String {
    ["gh", "p_", RANDOM].concat()
}

fn session() -> SecretRedactor {
    SecretRedactor::default().of_session(&SessionId::generate())
}

/// The text with placeholders, given on in chunks.
fn streamed(redactor: &SecretRedactor, live: bool, chunks: &[&[u8]]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut sink = |piece: Piece<'_>| match piece {
        Piece::Clean(bytes) => text.extend_from_slice(bytes),
        Piece::Secret(finding, bytes) => {
            text.extend(redactor.replaced(&String::from_utf8_lossy(bytes), finding.kind).into_bytes());
        }
    };
    let mut stream = if live { SecretStream::live(redactor.clone()) } else { SecretStream::new(redactor.clone()) };
    for chunk in chunks {
        stream.push(chunk, &mut sink);
    }
    stream.finish(&mut sink);
    text
}

/// Lines as they stand around credentials.
fn lines() -> impl Strategy<Value = String> {
    let key = ["-----BEGIN ", "PRIVATE KEY-----"].concat();
    let end = key.replace("BEGIN", "END");
    let armour = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7".to_owned();
    let line = prop_oneof![
        Just(format!("GITHUB_TOKEN={}", github())),
        Just(format!("password: \"{RANDOM}\"")),
        Just(format!("see {}.", github())),
        Just("postgres://app:Zx81pQ7mLw2k@db/x".to_owned()),
        Just(format!("Cookie: a=b; sessionid={RANDOM}")),
        Just(format!("{key}\n{armour}\n{armour}\n{end}")),
        Just(format!("{key}\n{armour}\nand so on")),
        Just("user,password,since\nann,Zx81pQ7mLw2k,2026\nbob,\"Qm3-vT8sNb1x\",2026".to_owned()),
        Just("ann,Zx81pQ7mLw2k,2026".to_owned()),
        Just("+---+\n| id | api_key |\n|----|-----|\n| 1  | Zx81pQ7mLw2kQm3vT8s |".to_owned()),
        Just("data:\n  user: YWRtaW4tdXNlcg==\n  pin: NDgyNjE5MzQ=\nkind: Secret".to_owned()),
        Just("  more: Zm9yIHRoZSBiYWNrdXAgam9i".to_owned()),
        Just("   Compiling serde v1.0.219".to_owned()),
        Just("é ünïcödé \u{1f512} – key: value".to_owned()),
        Just(String::new()),
        "[ -~]{0,40}",
    ];
    prop::collection::vec(line, 0..24).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn redacting_twice_is_redacting_once(text in lines()) {
        let redactor = session();
        let once = redactor.redact(&text).into_owned();
        prop_assert_eq!(redactor.redact(&once), once.as_str());
    }

    #[test]
    fn every_line_stays_and_comes_back(text in lines()) {
        let redactor = session();
        let redacted = redactor.redact(&text).into_owned();
        prop_assert_eq!(redacted.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(redactor.restore(&redacted).unwrap(), text);
    }

    #[test]
    fn no_credential_reaches_over_a_line_but_a_key(text in lines()) {
        for finding in scan(&text) {
            prop_assert!(finding.kind == "private-key" || !text[finding.start..finding.end].contains('\n'), "{:?}", finding);
        }
    }

    #[test]
    fn chunks_make_no_difference(text in lines(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        let chunks: Vec<&[u8]> = places.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]).collect();
        // Without memory: a session's knows more with each piece.
        let redactor = SecretRedactor::default().numbering();
        let whole = redactor.redact(&text).into_owned();
        for live in [false, true] {
            let text = String::from_utf8(streamed(&redactor, live, &chunks)).unwrap();
            prop_assert_eq!(text, whole.as_str());
        }
    }

    /// What a terminal does not show may lie anywhere in a credential, and in pieces of any size.
    #[test]
    fn controls_between_its_characters_hide_no_credential(
        controls in prop::collection::vec(prop::sample::select(vec!["", "", "\0", "\u{1b}[1m", "\u{1b}[0m", "\u{1b}[31;1m", "\u{1b}(B", "x\u{8}", "\u{7f}", "\u{9b}0m"]), 60),
        size in 1_usize..50,
        live in any::<bool>(),
    ) {
        let plain = format!("GITHUB_TOKEN={}", github());
        let text: String = plain.chars().zip(controls.iter().chain(std::iter::repeat(&""))).flat_map(|(c, control)| {
            [c.to_string(), (*control).to_owned()]
        }).collect::<String>() + "\n";
        let redactor = session();
        let whole = redactor.redact(&text).into_owned();
        prop_assert!(whole.contains("«secret:github#1"), "{whole:?}");
        let left = whole.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
        prop_assert!(RANDOM.as_bytes().windows(6).all(|part| !left.contains(std::str::from_utf8(part).unwrap())), "{whole:?}");
        let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        let pieces = String::from_utf8_lossy(&streamed(&session(), live, &chunks)).into_owned();
        prop_assert!(pieces.contains("«secret:github#1"), "{pieces:?}");
        // It comes back as it was, and is known without the controls by now.
        prop_assert_eq!(redactor.restore(&whole).unwrap(), text.as_str());
        let again = format!("see {}", github());
        prop_assert!(!redactor.redact(&again).contains(RANDOM));
    }

    #[test]
    fn any_bytes_pass_where_nothing_is_found(bytes in prop::collection::vec(any::<u8>(), 0..600), size in 1_usize..70) {
        let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
        if std::str::from_utf8(&bytes).is_err() && scan(&String::from_utf8_lossy(&bytes)).is_empty() {
            prop_assert_eq!(streamed(&session(), false, &chunks), bytes);
        }
    }
}

#[test]
fn a_line_without_end_is_taken_apart_and_its_credentials_with_it() {
    let filler = "x1 ".repeat(40_000);
    let text = format!("{filler}token={} {filler}api_key={RANDOM} {filler}", github());
    for size in [1_000, 65_536, 1 << 20] {
        let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        for live in [false, true] {
            let redacted = String::from_utf8(streamed(&session(), live, &chunks)).unwrap();
            assert!(!redacted.contains(RANDOM), "{size} {live}");
            assert_eq!(
                redacted.len(),
                text.len() - github().len() - RANDOM.len() + 2 * "«secret:key#1·abcdef»".len() + 3,
                "{size} {live}"
            );
        }
    }
}

#[test]
fn what_is_not_utf_8_is_searched_and_kept() {
    let text = [b"caf\xe9\xff password=".as_slice(), RANDOM.as_bytes(), b"\n\x00\xfe"].concat();
    let redacted = streamed(&SecretRedactor::default().numbering(), false, &[&text]);
    assert_eq!(
        redacted,
        [b"caf\xe9\xff password=".as_slice(), "«secret:password#1»".as_bytes(), b"\n\x00\xfe"].concat()
    );
}

#[test]
fn sessions_share_no_placeholders() {
    let base = SecretRedactor::default();
    let (one, two) = (SessionId::generate(), SessionId::generate());
    let redacted = base.of_session(&one).redact(&github()).into_owned();
    assert_eq!(unmarked(&redacted), "«secret:github#1»");
    assert_eq!(base.of_session(&one).restore(&redacted).unwrap(), github());
    assert!(base.of_session(&two).restore(&redacted).is_err());
    assert_eq!(base.of_session(&one).redact(&format!("TOKEN={}", github())), format!("TOKEN={redacted}"));
}

/// The text without the marks of its session.
fn unmarked(text: &str) -> String {
    let mut parts = text.split('·');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + &part[6..])
}

fn stack(mode: SecretsMode, behaviour: Behaviour) -> (Stack, ScriptedExecutor) {
    let name = ToolName::parse("put").expect("it is a name");
    let definition = ToolDef::new(name, "Puts.", Schema::default(), ToolKind::Edit, ToolTraits::EDIT);
    let executor = ScriptedExecutor::new().defined(definition.with_content(&["content", "edits"]), behaviour);
    let redactor = SecretRedactor::default();
    let announce = Announce::default().redacting(Arc::new(redactor.clone()));
    (Stack::new(vec![Arc::new(announce), Arc::new(SecretsLayer::new(redactor, mode))], executor.clone()), executor)
}

async fn call(stack: &Stack, cx: &CallContext, params: Value) -> RecordedResult {
    let call = ToolCall::new("put", params).expect("a name and an object");
    stack.run(call, None, cx).await
}

fn leaky() -> ToolOutput {
    let text = format!("one\nTOKEN={}\n", github());
    ToolOutput {
        summary: text.clone(),
        raw_response: Some(json!({"stdout": text, "password": RANDOM, "nested": [{"x": github()}]})),
        media: vec![Media::new("text/plain", text.clone().into_bytes())],
        diff: Some(FileDiff {
            path: "/w/x".into(),
            unified: format!("+{text}"),
            added: 1,
            removed: 0,
            before: Some(text.as_str().into()),
            after: Some(text.as_str().into()),
        }),
        source: ClaimSource::Workspace,
        ..ToolOutput::default()
    }
}

#[tokio::test]
async fn no_surface_of_a_result_has_the_value() {
    let (stack, _) = stack(SecretsMode::Redact, Behaviour::Reply(Box::new(leaky())));
    let (sink, mut events) = EventSink::channel(64);
    let recorded = call(&stack, &CallContext::new("/").with_events(sink), json!({})).await;
    let output = recorded.outcome.unwrap();
    let media = output.media.iter().map(|media| String::from_utf8_lossy(&media.data).into_owned()).collect::<String>();
    let mut seen = format!("{output:?}{media}{:?}{:?}", recorded.journal.warnings(), recorded.journal.values());
    while let Ok(event) = events.try_recv() {
        seen.extend([format!("{event:?}")]);
    }
    assert!(!seen.contains(RANDOM), "{seen}");
    assert_eq!(unmarked(&output.summary), "one\nTOKEN=«secret:github#1»\n");
    assert_eq!(recorded.journal.warnings(), ["1 credential in the result, replaced by placeholders: 1 github"]);
}

#[tokio::test]
async fn errors_and_what_was_produced_until_then_are_redacted() {
    let error = ToolError::new(ToolErrorCategory::PermanentFailure, "x", format!("no `{}`", github()))
        .with_suggestion(format!("not {}", github()))
        .with_output(leaky());
    let (stack, _) = stack(SecretsMode::Redact, Behaviour::Fail(error));
    let error = call(&stack, &CallContext::new("/"), json!({})).await.outcome.unwrap_err();
    assert_eq!(unmarked(error.message()), "no `«secret:github#1»`");
    assert_eq!(unmarked(error.suggestion()), "not «secret:github#1»");
    assert_eq!(unmarked(&error.output().unwrap().summary), "one\nTOKEN=«secret:github#1»\n");
}

/// What a first call of the session shows.
async fn shown(stack: &Stack, cx: &CallContext) -> String {
    let output = call(stack, cx, json!({})).await.outcome.expect("it runs");
    let text = output.summary.split_once("TOKEN=").map_or("", |(_, rest)| rest.trim_end());
    text.to_owned()
}

#[tokio::test]
async fn placeholders_become_what_they_stand_for_on_the_way_to_the_tool() {
    let (stack, executor) = stack(SecretsMode::Redact, Behaviour::Reply(Box::new(leaky())));
    let cx = CallContext::new("/");
    let hidden = shown(&stack, &cx).await;
    let params = json!({"path": hidden, "content": format!("A={hidden}"), "edits": [{"new": hidden}]});
    let put = ToolCall::new("put", params).expect("a name and an object");
    let asked = stack.run(put.clone(), None, &cx).await.outcome.unwrap_err();
    assert_eq!((asked.category(), asked.code()), (ToolErrorCategory::ConfirmationRequired, "credential_moves"));
    let prompt = asked.prompt().expect("a person is asked");
    let asks: Vec<String> = prompt.asking().map(|part| part.subject.text().clone()).collect();
    assert_eq!(asks, ["puts a github credential that an earlier result showed into what `put` writes"]);
    assert_eq!(executor.calls().len(), 1);

    let approval = Approval::grant(&put, CallerId::person(), &SystemClock);
    stack.run(put, Some(approval), &cx).await.outcome.expect("somebody agreed");
    let given = Value::Object(executor.calls().last().unwrap().params.clone());
    assert_eq!(given, json!({"path": hidden, "content": format!("A={}", github()), "edits": [{"new": github()}]}));
}

#[tokio::test]
async fn a_placeholder_that_stands_for_nothing_is_refused() {
    let (stack, executor) = stack(SecretsMode::Redact, Behaviour::Reply(Box::new(leaky())));
    let (one, other) = (CallContext::new("/"), CallContext::new("/"));
    let hidden = shown(&stack, &one).await;
    let guessed = "«secret:github#1»".to_owned();
    for (cx, content) in [(&one, hidden.replace("#1", "#2")), (&one, guessed), (&other, hidden)] {
        let error = call(&stack, cx, json!({"content": content})).await.outcome.unwrap_err();
        assert_eq!((error.category(), error.code()), (ToolErrorCategory::InvalidParameters, "unknown_placeholder"));
    }
    assert_eq!(executor.calls().len(), 1);
}

#[tokio::test]
async fn what_a_file_holds_literally_is_shown_as_such_and_can_be_written_back() {
    let text = "assert «secret:github#1» «literal:secret:key#2»";
    let output = ToolOutput::text(text).from_source(ClaimSource::Workspace);
    let (stack, executor) = stack(SecretsMode::Redact, Behaviour::Reply(Box::new(output)));
    let cx = CallContext::new("/");
    let shown = call(&stack, &cx, json!({})).await.outcome.unwrap().summary;
    assert_eq!(shown, "assert «literal:secret:github#1» «literal:literal:secret:key#2»");
    call(&stack, &cx, json!({"content": shown})).await.outcome.unwrap();
    assert_eq!(executor.calls().last().unwrap().params["content"], text);
}

#[tokio::test]
async fn a_value_that_has_a_placeholder_is_hidden_wherever_it_shows_again() {
    let base = SecretRedactor::default();
    let session = base.of_session(&SessionId::generate());
    let password = ["Tr0ub", "4dor&x-y"].concat();
    let shown = session.redact(&format!("DB_PASSWORD='{password}'")).into_owned();
    assert!(!shown.contains(&password), "{shown}");
    let hidden = shown.trim_start_matches("DB_PASSWORD='").trim_end_matches('\'');
    for text in ["note: @", "a@b", "| x | @ |", "{\"n\": \"@\"}"] {
        assert_eq!(session.redact(&text.replace('@', &password)), text.replace('@', hidden));
    }
    for encoded in
        ["Tr0ub4dor%26x-y", "547230756234646f7226782d79", "VHIwdWI0ZG9yJngt", "Tr0ub4dor&amp;x-y", "Tr0ub4dor\\&x-y"]
    {
        let redacted = session.redact(encoded).into_owned();
        assert!(!redacted.contains(encoded) && redacted.starts_with("«secret:password#"), "{encoded}: {redacted}");
    }
    // Another session knows nothing of it, and neither does a text without one.
    for other in [base.of_session(&SessionId::generate()), base.clone()] {
        assert_eq!(other.redact(&format!("note: {password}")), format!("note: {password}"));
    }
    // What is short or a word stands in other texts, too.
    session.redact("postgres://app:hunter@db/x");
    assert_eq!(session.redact("the hunter waits"), "the hunter waits");
}

#[tokio::test]
async fn modes() {
    for (mode, warnings) in [
        (SecretsMode::Warn, vec!["1 credential in the result, shown as they are: 1 github".to_owned()]),
        (SecretsMode::Off, vec![]),
    ] {
        let (stack, _) = stack(mode, Behaviour::Reply(Box::new(leaky())));
        let recorded = call(&stack, &CallContext::new("/"), json!({"content": "«secret:x#9»"})).await;
        assert_eq!(recorded.journal.warnings(), warnings);
        assert_eq!(recorded.outcome.unwrap(), leaky());
    }
}

#[tokio::test]
async fn no_credential_is_split_over_two_events() {
    let secret = github();
    let chunks = [format!("a\nTOKEN={}", &secret[..9]), format!("{}\nb", &secret[9..]), "c".to_owned()];
    let printing = Behaviour::Print(chunks.iter().map(|chunk| (OutputStream::Stdout, chunk.clone())).collect());
    let (stack, _) = stack(SecretsMode::Redact, printing);
    let (sink, mut events) = EventSink::channel(64);
    call(&stack, &CallContext::new("/").with_events(sink), json!({})).await.outcome.unwrap();
    let mut told = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let EventKind::Output { text, .. } = event.kind {
            told.push(text);
        }
    }
    let told: Vec<String> = told.iter().map(|text| unmarked(text)).collect();
    assert_eq!(told, ["a\n", "TOKEN=«secret:github#1»\n", "bc"]);
}
