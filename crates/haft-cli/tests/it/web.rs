//! The web tools of the binary, as far as they go without a network: what is refused, what is
//! judged, what is listed.

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{Haft, rule};

#[test]
fn what_is_not_public_is_refused_before_anything_is_asked() {
    let haft = Haft::configured(&rule("fetch", "*", "allow"));
    let check = |url: &str, code: i32, text: &str| {
        for command in ["call", "explain"] {
            let ran = haft.run(&[command, "fetch", &format!("url={url}")]);
            assert!(ran.out.contains(text) || ran.err.contains(text), "{command} {url}: {ran:?}");
            if command == "call" {
                assert_eq!(ran.code, code, "{url}: {ran:?}");
            }
        }
    };
    check("http://example.org/", 4, "only `https` is");
    check("https://127.0.0.1/", 4, "the address is not public: loopback");
    check("https://2852039166/latest/meta-data/", 4, "metadata service");
    check("https://[::ffff:10.0.0.1]/", 4, "the address is not public: private");
    check("https://localhost:8443/", 4, "the machine itself");
    check("https://example.org:22/", 4, "port 22 is not allowed");
    check("https://u:p@example.org/", 4, "user name or password");
    check("https://", 2, "the URL cannot be used");
}

#[test]
fn rules_on_addresses_are_judged_without_a_connection() {
    let haft = Haft::configured(
        r#"
        [tools.scrape]
        denied_domains = ["tracker.example.com"]
        [tools.permissions]
        fetch = [
            { pattern = "docs.rs/private", action = "deny" },
            { pattern = "*.evil.com", action = "deny" },
            { pattern = "https://docs.rs/*", action = "allow" },
        ]
        "#,
    );
    let verdict = |url: &str| -> Value {
        haft.run(&["explain", "--json", "fetch", &format!("url={url}")]).json()["verdict"].clone()
    };
    for (url, expected) in [
        ("https://docs.rs/serde", "allow"),
        ("https://DOCS.rs./serde", "allow"),
        ("https://docs.rs:443/serde#x", "allow"),
        ("https://docs.rs:8443/serde", "ask"),
        ("https://docs.rs.evil.com/", "deny"),
        ("https://evil.com/docs.rs/", "deny"),
        ("https://example.org/https://docs.rs/x", "ask"),
        ("https://docs.rs/%70rivate/x", "deny"),
        ("https://docs.rs/a/../private", "deny"),
        ("https://a.tracker.example.com/", "deny"),
    ] {
        assert_eq!(verdict(url), expected, "{url}");
    }
}

#[test]
fn without_a_rule_a_page_needs_a_person() {
    let haft = Haft::new();
    let ran = haft.run(&["call", "fetch", "url=https://example.org/a/b"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.err.contains("[[tools.permissions.fetch]]") && ran.err.contains("https://example.org/*"), "{ran:?}");
}

#[test]
fn arguments_that_make_no_sense_are_told_before_anything_is_fetched() {
    let haft = Haft::configured(&rule("web_scrape", "*", "allow"));
    let check = |arguments: &[&str], text: &str| {
        let ran = haft.run(&[&["call", "web_scrape", "url=https://example.org/"], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
        assert!(ran.out.contains(text) || ran.err.contains(text), "{arguments:?}: {ran:?}");
    };
    check(&["select=li >> a"], "at character 5");
    check(&["select=li", "extract=nonsense"], "attr:<name>");
    check(&["select=li", "limit=0"], "`limit` is 1 to 1000");
    check(&["selector=li"], "did you mean `select`?");
}

#[test]
fn a_section_that_cannot_be_used_is_told_by_its_key() {
    let haft = Haft::configured("[tools.scrape]\nports = []\n");
    let ran = haft.run(&["config", "check"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("tools.scrape.ports") || ran.out.contains("tools.scrape.ports"), "{ran:?}");
}

#[test]
fn over_mcp_the_same_is_refused_and_a_person_is_asked_by_host() {
    let haft = Haft::configured(
        "[tools.scrape]\ndenied_domains = [\"tracker.example.com\"]\n\
         [[tools.permissions.fetch]]\npattern = \"*.evil.com\"\naction = \"deny\"\n",
    );
    let mut client = Client::connect_answering(&haft, Some("no"));
    for tool in ["fetch", "web_scrape"] {
        for (url, text) in [
            ("http://example.org/", "only `https` is"),
            ("https://127.0.0.1/", "the address is not public: loopback"),
            ("https://2852039166/latest/meta-data/", "metadata service"),
            ("https://[::ffff:10.0.0.1]/", "the address is not public: private"),
            ("https://a.tracker.example.com/", "tracker.example.com"),
        ] {
            let params = match tool {
                "fetch" => json!({ "url": url }),
                _ => json!({ "url": url, "select": "p" }),
            };
            let answer = client.call(tool, &params);
            assert!(answer["isError"] == true && answer.to_string().contains(text), "{tool} {url}: {answer}");
        }
    }
    let denied = client.call("fetch", &json!({ "url": "https://a.evil.com/" }));
    assert!(denied["isError"] == true && denied.to_string().contains("policy_blocked"), "{denied}");
    assert!(client.asked.is_empty(), "{:?}", client.asked);
    let refused = client.call("fetch", &json!({ "url": "https://docs.example.org/page?x=1" }));
    assert!(refused["isError"] == true, "{refused}");
    assert!(client.asked.len() == 1 && client.asked[0].contains("docs.example.org"), "{:?}", client.asked);
}
