//! Over a connection, to a scripted server on loopback.

use std::sync::Arc;

use tools_providers::{
    Key, LlmConfig, Message, NoSink, Protocol, Provider as _, ProviderConfig, ProviderError, ProviderFault,
    ProviderKind, Reply, Request,
    scripted::{Script, ScriptedServer},
};

use crate::{history, rules};

const KINDS: [ProviderKind; 5] = [
    ProviderKind::Anthropic,
    ProviderKind::OpenAi,
    ProviderKind::OpenAiChat,
    ProviderKind::OpenAiCompatible,
    ProviderKind::Ollama,
];
const KEY: &str = "sk-very-secret-0123456789";

async fn server(script: &str) -> ScriptedServer {
    ScriptedServer::start(Script::parse(script).unwrap()).await.unwrap()
}

fn config(kind: ProviderKind, server: &ScriptedServer) -> ProviderConfig {
    let config = ProviderConfig { name: "p".to_owned(), kind, model: "m".to_owned(), ..ProviderConfig::default() };
    ProviderConfig { base_url: server.base_url(config.protocol()), stall_secs: 1, ..config }
}

async fn ask(config: &ProviderConfig) -> Result<Reply, ProviderError> {
    let (tools, messages) = (history::tools(), [Message::user("Why?")]);
    config.open(None).unwrap().complete(&Request::new("Be good.", &tools, &messages, "s"), &NoSink).await
}

#[tokio::test]
async fn every_kind_is_spoken_in_pieces_of_one_byte() {
    for kind in KINDS {
        let server = server(
            "[[turns]]\ntext = 'Because Д.'\ncalls = [{ tool = 'read', params = { path = 'a' } }]\npieces = 1\n",
        )
        .await;
        let config = config(kind, &server);
        let reply = ask(&config).await.unwrap();
        assert_eq!((reply.message.text().as_str(), reply.message.calls().count()), ("Because Д.", 1), "{kind:?}");
        let received = server.received();
        assert!(rules::broken(config.protocol(), &received[0].body).is_empty());
        assert!(received[0].headers.iter().all(|(name, _)| name != "authorization" && name != "x-api-key"));
    }
}

#[tokio::test]
async fn failures_have_their_kinds_and_pauses() {
    let check = async |script: &str, fault: ProviderFault, retryable: bool| {
        for kind in KINDS {
            let error = ask(&config(kind, &server(script).await)).await.unwrap_err();
            assert_eq!((error.fault, error.is_retryable()), (fault, retryable), "{kind:?} {script}: {error}");
        }
    };
    check("[[turns]]\nfault = 'status'\nstatus = 429\nretry_after = '2'", ProviderFault::RateLimited, true).await;
    check("[[turns]]\nfault = 'status'\nstatus = 500", ProviderFault::Overloaded, true).await;
    check("[[turns]]\nfault = 'status'\nstatus = 401", ProviderFault::Auth, false).await;
    check("[[turns]]\nfault = 'status'\nstatus = 400", ProviderFault::InvalidRequest, false).await;
    check("[[turns]]\ntext = 'long enough'\nfault = 'truncated'", ProviderFault::Truncated, true).await;
    check("[[turns]]\ntext = 'long enough'\nfault = 'stalled'", ProviderFault::Stalled, true).await;
    check("[[turns]]\ntext = 'long enough'\nfault = 'invalid_utf8'", ProviderFault::Protocol, true).await;
    let limited = server("[[turns]]\nfault = 'status'\nstatus = 429\nretry_after = '2'").await;
    let error = ask(&config(ProviderKind::Anthropic, &limited)).await.unwrap_err();
    assert_eq!((error.status, error.retry_after.map(|pause| pause.as_secs())), (Some(429), Some(2)));
}

#[tokio::test]
async fn nobody_listening_is_a_failure_of_the_network() {
    let mut config = config(ProviderKind::Ollama, &server("").await);
    // The port that everything is refused at.
    config.base_url = "http://127.0.0.1:1".to_owned();
    assert_eq!(ask(&config).await.unwrap_err().fault, ProviderFault::Network);
}

#[tokio::test]
async fn a_key_goes_into_its_header_and_nowhere_else() {
    for (kind, header) in [
        (ProviderKind::Anthropic, "x-api-key"),
        (ProviderKind::OpenAi, "authorization"),
        (ProviderKind::Ollama, "authorization"),
    ] {
        // The server repeats the key in its error.
        let server = server(&format!("[[turns]]\nexpect = '{KEY}'\ntext = 'x'\n[[turns]]\ntext = 'fine'")).await;
        let read = Arc::new(|| Box::pin(async { Ok(Key::new(KEY).unwrap()) }) as _);
        let config = ProviderConfig { key_command: vec!["print-key".to_owned()], ..config(kind, &server) };
        let provider = config.open(Some(read)).unwrap();
        let (tools, messages) = (history::tools(), [Message::user("Why?")]);
        let request = Request::new("", &tools, &messages, "s");
        let error = provider.complete(&request, &NoSink).await.unwrap_err();
        provider.complete(&request, &NoSink).await.unwrap();
        for shown in [format!("{provider:?}"), format!("{error:?} {error}"), format!("{:?}", Key::new(KEY))] {
            assert!(!shown.contains(KEY), "{shown}");
        }
        let received = server.received();
        let value =
            received[0].headers.iter().find(|(name, _)| name == header).map(|(_, value)| value.as_str()).unwrap();
        assert!(value.ends_with(KEY) && !String::from_utf8_lossy(&received[0].body).contains(KEY), "{kind:?}");
    }
}

#[tokio::test]
async fn a_key_that_is_missing_is_told_before_anything_is_sent() {
    let server = server("").await;
    let config =
        ProviderConfig { key_env: "HAFT_TEST_NO_SUCH_KEY".to_owned(), ..config(ProviderKind::OpenAi, &server) };
    let error = ask(&config).await.unwrap_err();
    assert!(
        error.fault == ProviderFault::Auth && error.message.contains("`HAFT_TEST_NO_SUCH_KEY` is not set"),
        "{error}"
    );
    assert!(server.received().is_empty());
}

#[test]
fn what_cannot_be_configured() {
    let usual = || ProviderConfig { name: "p".to_owned(), model: "m".to_owned(), ..ProviderConfig::default() };
    let check = |config: ProviderConfig, expected: Option<&str>| {
        let llm = LlmConfig { providers: vec![config], ..LlmConfig::default() };
        let found = llm.check().err().map(|fault| fault.key);
        assert_eq!(found.as_deref(), expected.map(|key| format!("providers[0].{key}")).as_deref());
    };
    check(usual(), None);
    check(ProviderConfig { name: String::new(), ..usual() }, Some("name"));
    check(ProviderConfig { model: " ".to_owned(), ..usual() }, Some("model"));
    check(ProviderConfig { base_url: "http://models.test".to_owned(), ..usual() }, Some("base_url"));
    check(ProviderConfig { base_url: "http://models.test".to_owned(), allow_http: true, ..usual() }, None);
    check(ProviderConfig { kind: ProviderKind::OpenAiCompatible, ..usual() }, Some("base_url"));
    check(
        ProviderConfig { key_env: "A".to_owned(), key_command: vec!["b".to_owned()], ..usual() },
        Some("key_command"),
    );
    check(ProviderConfig { stall_secs: 0, ..usual() }, Some("stall_secs"));
    check(ProviderConfig { max_output_tokens: 0, ..usual() }, Some("max_output_tokens"));
    let twice = LlmConfig { providers: vec![usual(), usual()], ..LlmConfig::default() };
    assert_eq!(twice.check().unwrap_err().key, "providers[1].name");
    let unknown = LlmConfig { provider: "q".to_owned(), providers: vec![usual()] };
    assert_eq!(unknown.check().unwrap_err().problem, "there is no provider `q` in `[[llm.providers]]`, only `p`");
    assert_eq!(usual().key_variable(), Some("ANTHROPIC_API_KEY"));
    assert_eq!(ProviderConfig { base_url: "https://models.test".to_owned(), ..usual() }.key_variable(), None);
    assert_eq!(ProviderConfig { kind: ProviderKind::Ollama, ..usual() }.protocol(), Protocol::Ollama);
}
