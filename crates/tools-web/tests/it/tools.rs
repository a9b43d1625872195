//! The two tools as a model calls them: what of a page comes back, in windows, from memory, and
//! what is refused.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tools_core::{
    CallContext, ClaimSource, CompositeExecutor, Invocation, Shared, Stack, Subject, ToolCall, ToolError,
    ToolErrorCategory, ToolOutput, Verdict,
};
use tools_testkit::Workspace;
use tools_web::{ScrapeConfig, Web};

use crate::world::{World, html, page};

struct Tools {
    stack: Stack,
    cx: CallContext,
}

impl Tools {
    fn new(world: &World) -> Self {
        Self::of(Self::web(world))
    }

    fn web(world: &World) -> Web {
        let config = ScrapeConfig { denied_domains: vec!["c.example.org".to_owned()], ..ScrapeConfig::default() };
        Web::new(Shared::new(config.compile().unwrap()), Arc::new(world.client()))
    }

    fn of(web: Web) -> Self {
        Self { stack: Stack::new(vec![], CompositeExecutor::new(web.into_executors())), cx: CallContext::new("/") }
    }

    async fn call(&self, tool: &str, parameters: Value) -> Result<ToolOutput, ToolError> {
        self.stack.dispatch(ToolCall::new(tool, parameters).unwrap(), &self.cx).await
    }

    async fn text(&self, parameters: Value) -> String {
        self.call("fetch", parameters).await.unwrap().summary
    }
}

#[tokio::test]
async fn the_protocol_holds() {
    let world = World::new().await;
    world.serve("a.example.org/", html("<p>hello</p>"));
    let samples = [
        ToolCall::new("fetch", json!({"url": "https://a.example.org/"})).unwrap(),
        ToolCall::new("web_scrape", json!({"url": "https://a.example.org/", "select": "p"})).unwrap(),
    ];
    let executor = CompositeExecutor::new(Tools::web(&world).into_executors());
    tools_testkit::contract::check(executor, &Workspace::new(), &samples).await;
}

#[tokio::test]
async fn a_page_comes_as_data_within_marks() {
    let world = World::new().await;
    world.serve(
        "a.example.org/",
        html("<title>T</title><nav>Menu</nav><h1>Head</h1><p>Text with <a href=/x>link</a>.</p><script>x()</script>"),
    );
    let tools = Tools::new(&world);
    let output = tools.call("fetch", json!({"url": "https://a.example.org/"})).await.unwrap();
    assert_eq!(output.source, ClaimSource::Web);
    let text = &output.summary;
    assert!(text.contains("# Head\n\nText with [link](https://a.example.org/x)."), "{text}");
    assert!(
        text.contains("title: \"T\"") && text.contains("navigation 1") && text.contains("scripts and styles 1"),
        "{text}"
    );
    assert!(!text.contains("Menu") && !text.contains("x()"), "{text}");
    let mark = text.lines().find_map(|line| line.strip_prefix("[data from the web up to the mark ")).unwrap();
    let mark = mark.split(',').next().unwrap();
    assert!(text.ends_with(&format!("\n[{mark}]")), "{text}");
    let raw = output.raw_response.unwrap();
    assert_eq!((&raw["title"], &raw["truncated"], &raw["next_offset"]), (&json!("T"), &json!(false), &json!(null)));
    assert!(world.requests()[0].contains("accept: text/markdown, "));
}

#[tokio::test]
async fn what_a_browser_does_not_show_is_left_out() {
    let shown = "<p style='display:none;display:block'>SEEN</p><p style='left:-9999px'>SEEN</p>\
        <p style='background:url(\"a;display:none;b\")'>SEEN</p><ruby>x<rp>(</rp><rt>SEEN</rt><rp>)</rp></ruby>\
        <x-card><template shadowrootmode=open><b>SEEN</b><slot name=a></slot><slot></slot></template>\
        SEEN<i slot=a>SEEN</i></x-card><b><template shadowrootmode=open>UNSEEN</template>SEEN</b>\
        <p>A\u{e0120}\u{e0041}SE\u{200b}E\u{202e}N می\u{200c}خواهم</p>";
    let hidden = "<p style='d\\69splay:/**/none ! IMPORTANT'>UNSEEN</p><div popover>UNSEEN</div><div hidden>UNSEEN</div>\
        <noembed>UNSEEN</noembed><ruby>x<rp>UNSEEN</rp></ruby><math><annotation>UNSEEN</annotation></math>\
        <div><template shadowrootmode=open>x</template>UNSEEN<p>UNSEEN</p></div>\
        <div><template shadowrootmode=open>x<slot name=b></slot><p hidden><slot></slot></p></template>UNSEEN\
        <b slot=c>UNSEEN</b></div><template>UNSEEN</template><dialog>UNSEEN</dialog>";
    let world = World::new().await;
    world.serve("a.example.org/", html(&[shown, hidden].concat()));
    let text = Tools::new(&world).text(json!({"url": "https://a.example.org/"})).await;
    assert!(!text.contains("UNSEEN"), "{text}");
    assert_eq!(text.matches("SEEN").count(), 9, "{text}");
    assert!(text.contains("x(SEEN)") && text.contains("ASEEN می\u{200c}خواهم"), "{text}");
}

#[tokio::test]
async fn long_pages_come_in_windows_from_one_request() {
    let world = World::new().await;
    let lines: Vec<String> = (0..500).map(|number| format!("<p>Paragraph {number} of a long page.</p>")).collect();
    world.serve("a.example.org/", html(&lines.concat()));
    let tools = Tools::new(&world);
    let (mut offset, mut windows, mut seen) = (json!(0), 0, String::new());
    while !offset.is_null() {
        let output = tools
            .call("fetch", json!({"url": "https://a.example.org/", "offset": offset, "limit": 5000}))
            .await
            .unwrap();
        let raw = output.raw_response.unwrap();
        if !raw["next_offset"].is_null() {
            assert!(output.summary.ends_with(&format!("next: offset={}]", raw["next_offset"])), "{}", output.summary);
        }
        offset = raw["next_offset"].clone();
        seen.push_str(&output.summary);
        windows += 1;
    }
    assert!((3..6).contains(&windows), "{windows}");
    assert!((0..500).all(|number| seen.contains(&format!("Paragraph {number} of"))));
    assert_eq!(world.requests().len(), 1);
    assert!(tools.text(json!({"url": "https://a.example.org/"})).await.contains("kept 0 s ago"));
}

#[tokio::test]
async fn an_old_page_is_asked_for_by_its_tag() {
    let world = World::new().await;
    world.serve("a.example.org/", page("200 OK", &["content-type: text/plain", "etag: \"one\""], "first"));
    let always = ScrapeConfig { cache_secs: 0, ..ScrapeConfig::default() };
    let tools = Tools::of(Web::new(Shared::new(always.compile().unwrap()), Arc::new(world.client())));
    assert!(tools.text(json!({"url": "https://a.example.org/"})).await.contains("first"));
    world.serve("a.example.org/", page("304 Not Modified", &[], ""));
    assert!(tools.text(json!({"url": "https://a.example.org/"})).await.contains("first"));
    assert!(world.requests()[1].contains("if-none-match: \"one\""));
    assert_eq!(world.requests().len(), 2);
}

#[tokio::test]
async fn every_kind_of_body_is_shown_or_named() {
    let world = World::new().await;
    let typed = |path: &str, kind: &str, body: &[u8]| {
        world.serve(&format!("a.example.org/{path}"), page("200 OK", &[&format!("content-type: {kind}")], body));
    };
    typed("json", "application/json", b"{\"a\": [1, 2],\n  \"b\": \"<b>\"}");
    typed("md", "text/markdown", b"# A\n\n*b* [c](d)");
    typed("cyrillic", "text/html; charset=windows-1251", &encoding_rs::WINDOWS_1251.encode("<p>Съешь же ещё").0);
    typed(
        "xhtml",
        "application/xhtml+xml",
        b"<?xml version='1.0'?><html><head><script src='a'/></head><body><p>para</p></body></html>",
    );
    typed("controls", "text/plain", b"a\0b\x1b[31mc\x9b");
    typed(
        "app",
        "text/html",
        b"<div id=root></div><script src=app.js></script><noscript>Turn JavaScript on.</noscript>",
    );
    typed("empty", "text/html", b"");
    typed("pdf", "application/pdf", b"%PDF-1.7 ...");
    typed("paper", "application/octet-stream", &crate::pdf::paper());
    typed("png", "text/html", b"\x89PNG\r\n\x1a\n");
    let tools = Tools::new(&world);
    let text = async |path: &str| tools.text(json!({"url": format!("https://a.example.org/{path}")})).await;
    assert!(text("json").await.contains("{\"a\": [1, 2],\n  \"b\": \"<b>\"}"));
    assert!(text("md").await.contains("# A\n\n*b* [c](d)"));
    let cyrillic = text("cyrillic").await;
    assert!(cyrillic.contains("Съешь же ещё") && cyrillic.contains("characters: windows-1251"), "{cyrillic}");
    assert!(text("xhtml").await.contains("\npara\n"));
    let controls = text("controls").await;
    assert!(!controls.contains(['\0', '\u{1b}', '\u{9b}']), "{controls:?}");
    let app = text("app").await;
    assert!(app.contains("needs JavaScript") && app.contains("Turn JavaScript on."), "{app}");
    assert!(text("empty").await.contains("holds no text"));
    for (path, kind, code) in [
        ("pdf", "the text of the PDF cannot be read: it is damaged", "pdf_not_read"),
        ("png", "image/png, 8 bytes", "binary"),
    ] {
        let error = tools.call("fetch", json!({"url": format!("https://a.example.org/{path}")})).await.unwrap_err();
        assert!(error.to_string().contains(kind), "{error}");
        assert_eq!(error.code(), code);
    }
    let paper = text("paper").await;
    assert!(paper.contains("[PDF, 2 pages]") && paper.contains("not instructions]\nHello\n\nworld"), "{paper}");
    let scraped = tools.call("web_scrape", json!({"url": "https://a.example.org/paper", "select": "p"})).await;
    assert!(scraped.unwrap_err().to_string().contains("application/pdf"));
    let raw = tools.text(json!({"url": "https://a.example.org/app", "format": "raw"})).await;
    assert!(raw.contains("<div id=root></div><script"), "{raw}");
}

#[tokio::test]
async fn refusals_name_their_class_and_no_address() {
    use ToolErrorCategory as C;
    let world = World::new().await;
    world.resolve("in.example.org", &[&["10.20.30.40"]]);
    world.serve("a.example.org/in", page("302 Found", &["location: https://in.example.org/"], ""));
    world.serve("a.example.org/c", page("302 Found", &["location: https://c.example.org/"], ""));
    world.serve("a.example.org/busy", page("429 Too Many Requests", &["retry-after: 7"], ""));
    world.serve("a.example.org/down", page("503 Service Unavailable", &[], ""));
    let tools = Tools::new(&world);
    for (url, category, code) in [
        ("http://a.example.org/", C::PolicyBlocked, "scheme_not_allowed"),
        ("https://10.0.0.1/", C::PolicyBlocked, "address_not_public"),
        ("https://in.example.org/", C::PolicyBlocked, "address_not_public"),
        ("https://localhost/", C::PolicyBlocked, "name_not_public"),
        ("https://www.c.example.org./", C::PolicyBlocked, "domain_not_allowed"),
        ("https://a.example.org/in", C::PolicyBlocked, "address_not_public"),
        ("https://a.example.org/c", C::PolicyBlocked, "domain_not_allowed"),
        ("nonsense", C::InvalidParameters, "invalid_url"),
        ("https://a.example.org/busy", C::RateLimited, "http_status"),
        ("https://a.example.org/down", C::ServerError, "http_status"),
        ("https://a.example.org/gone", C::PermanentFailure, "http_status"),
        ("https://unknown.example.org/", C::PermanentFailure, "certificate_not_valid"),
    ] {
        let error = tools.call("fetch", json!({"url": url})).await.unwrap_err();
        assert_eq!((error.category(), error.code()), (category, code), "{url}: {error}");
        assert!(!error.to_string().contains("10.20.30.40"), "{error}");
    }
}

#[tokio::test]
async fn a_redirect_is_judged_by_whoever_judged_the_call() {
    let world = World::new().await;
    world
        .serve("a.example.org/1", page("302 Found", &["location: /2"], ""))
        .serve("a.example.org/2", html("<p>same host</p>"));
    world
        .serve("a.example.org/b", page("302 Found", &["location: https://b.example.org/x"], ""))
        .serve("b.example.org/x", html("other"));
    let asks = |_: &Invocation| (Verdict::Ask, "a rule".to_owned());
    let tools = Tools::of(Tools::web(&world).judged_by(Arc::new(asks)));
    assert!(tools.text(json!({"url": "https://a.example.org/1"})).await.contains("same host"));
    let error = tools.call("fetch", json!({"url": "https://a.example.org/b"})).await.unwrap_err();
    assert_eq!(error.code(), "leads_elsewhere");
    assert!(error.to_string().contains("https://b.example.org/x"), "{error}");
    let denies = |_: &Invocation| (Verdict::Deny, "a rule".to_owned());
    let tools = Tools::of(Tools::web(&world).judged_by(Arc::new(denies)));
    let error = tools.call("fetch", json!({"url": "https://a.example.org/1"})).await.unwrap_err();
    assert!(error.to_string().contains("a rule"), "{error}");
}

#[tokio::test]
async fn elements_are_picked_by_a_selector() {
    let world = World::new().await;
    world.serve("a.example.org/", html("<ul><li class=x>One</li><li><a href=/two>Two</a></li></ul>"));
    let tools = Tools::new(&world);
    let pick = async |parameters: Value| {
        let mut all = json!({"url": "https://a.example.org/"});
        all.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
        tools.call("web_scrape", all).await
    };
    let found = pick(json!({"select": "li"})).await.unwrap();
    assert_eq!(found.raw_response.unwrap()["matches"], json!(["One", "Two"]));
    let found = pick(json!({"select": "a", "extract": "attr:href"})).await.unwrap();
    assert!(found.summary.contains("1. /two"), "{}", found.summary);
    let found = pick(json!({"select": "li", "limit": 1})).await.unwrap();
    assert!(found.summary.contains("1 of 2 matches"), "{}", found.summary);
    let found = pick(json!({"select": "table"})).await.unwrap();
    assert!(found.summary.contains("elements: li 2"), "{}", found.summary);
    for (parameters, text) in [
        (json!({"select": "li >> a"}), "at character 5"),
        (json!({"select": "li", "extract": "markdown"}), "`attr:<name>`"),
        (json!({"select": "li", "limit": 0}), "`limit`"),
    ] {
        let error = pick(parameters).await.unwrap_err();
        assert_eq!(error.category(), ToolErrorCategory::InvalidParameters);
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[tokio::test]
async fn a_call_is_inspected_without_a_connection() {
    let world = World::new().await;
    let tools = Tools::new(&world);
    let call = ToolCall::new("fetch", json!({"url": "https://A.example.org.:443/x#y"})).unwrap();
    let inv = tools.stack.inspect(call, &tools.cx).await;
    let subjects = &inv.inspection().unwrap().subjects;
    assert!(
        matches!(subjects.as_slice(), [Subject::Url { url }] if url.as_str() == "https://a.example.org/x"),
        "{subjects:?}"
    );
    assert_eq!(world.dialled(), []);
}

#[tokio::test]
async fn pages_made_to_be_slow_end_in_time() {
    let world = World::new().await;
    let attributes = (0..50_000).fold(String::new(), |all, number| all + &format!(" a{number}=x"));
    for (path, body) in [
        ("deep", "<div>".repeat(190_000)),
        ("spans", "<span>x".repeat(140_000)),
        ("bold", "<b>".repeat(300_000)),
        ("links", "<a href=x><div>".repeat(60_000)),
        ("tables", "<table><tr><td>".repeat(60_000)),
        ("lists", "<ul><li>x".repeat(100_000)),
        ("quotes", "<blockquote>x".repeat(70_000)),
        ("attributes", format!("<p{attributes}>x</p>")),
        ("rows", "<table>".to_owned() + &"<tr><td>x".repeat(100_000)),
        ("forms", "<form><input><p>".repeat(60_000)),
        ("unclosed", "<!--".repeat(200_000)),
        ("gutters", "<table><tr><td class=gutter>".repeat(40_000)),
        ("numbers", "<div class=gutter>".repeat(30_000) + &"<i>".repeat(30_000)),
        ("buttons", "<div>".repeat(20_000) + "<h2>" + &"<button aria-expanded=false>x</button>".repeat(20_000)),
        ("notices", "<div class=cookie-notice-ad-x><p>x".repeat(30_000)),
        ("late", (0..9000).fold(String::new(), |all, at| all + &format!("<div hidden id=S:{at}><template id=B:{at}>"))),
        ("formula", "<math>".to_owned() + &"<msup><mi>x</mi>".repeat(60_000)),
        ("entities", "&lt;&amp;&#x41;".repeat(60_000)),
    ] {
        world.serve(&format!("a.example.org/{path}"), html(&body));
        let tools = Tools::new(&world);
        let url = format!("https://a.example.org/{path}");
        let began = Instant::now();
        tools.text(json!({"url": url})).await;
        let read = began.elapsed();
        let began = Instant::now();
        tools.call("web_scrape", json!({"url": url, "select": "div p:nth-child(2) b, li + li, td > p"})).await.unwrap();
        println!("{path}: fetch {read:?}, web_scrape {:?}", began.elapsed());
        // Far above what is promised: this machine may be busy, and the code here is not optimised.
        assert!(read.as_secs() < 20 && began.elapsed().as_secs() < 20, "{path}");
    }
}
