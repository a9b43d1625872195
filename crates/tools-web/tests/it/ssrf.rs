//! Attacks on the guard, with scripted answers of a resolver: each class of URL, name and address
//! by which others were led to internal services. What may pass is in the table too.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use tools_web::guard::{Answer, Guard, HostResolver, LookupError, Refusal, UrlRules, VettedHost};

/// Answers by name; a name with several answers gives them in turn.
#[derive(Default)]
struct Scripted {
    answers: BTreeMap<String, Vec<Answer>>,
    asked: AtomicUsize,
}

#[async_trait]
impl HostResolver for Scripted {
    async fn lookup(&self, name: &str) -> Result<Answer, LookupError> {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(self.answers.get(name).map(|list| list[turn % list.len()].clone()).unwrap_or_default())
    }
}

fn answer(addresses: &[&str]) -> Answer {
    Answer::from(addresses.iter().map(|text| text.parse().unwrap()).collect::<Vec<IpAddr>>())
}

/// The way of a fetch with its redirects, up to the connections that it would open.
async fn walk(url: &str, redirects: &[&str], resolver: &Arc<Scripted>) -> Result<Vec<VettedHost>, Refusal> {
    let (rules, guard) = (UrlRules::default(), Guard::new(resolver.clone()));
    let mut here = rules.admit(url)?;
    let mut reached = vec![guard.vet(here.host(), here.port()).await?];
    for location in redirects {
        here = rules.follow(&here, location)?;
        reached.push(guard.vet(here.host(), here.port()).await?);
    }
    Ok(reached)
}

async fn check(url: &str, redirects: &[&str], answers: &[(&str, &[&[&str]])], expected: Result<(), &str>) {
    let answers = answers.iter().map(|(name, list)| ((*name).to_owned(), list.iter().map(|one| answer(one)).collect()));
    let resolver = Arc::new(Scripted { answers: answers.collect(), asked: AtomicUsize::new(0) });
    let found = walk(url, redirects, &resolver).await.map(|_| ()).map_err(|refusal| refusal.code());
    assert_eq!(found, expected, "{url} {redirects:?}");
}

const PUBLIC: &[&str] = &["93.184.215.14"];

#[tokio::test]
async fn every_spelling_of_an_internal_address_is_refused() {
    for url in [
        "https://127.0.0.1/",
        "https://127.1/",
        "https://0/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://017700000001/",
        "https://0177.0.0.1/",
        "https://0x7f.0.0x0.1/",
        "https://127.0.0.1./",
        "https://127.0.1/",
        "https://１２７．０．０．１/",
        "https://①②⑦.⓪.⓪.①/",
        "https://127。0。0。1/",
        "https://%31%32%37.0.0.1/",
        "https://127\u{ad}.0.0.1/",
        "https://10.1.2.3/",
        "https://172.31.255.255/",
        "https://192.168.1.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://100.64.0.1/",
        "https://198.19.255.255/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://192.0.0.9/",
        "https://168.63.129.16/",
        "https://[::1]/",
        "https://[::]/",
        "https://[0:0:0:0:0:0:0:1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[::127.0.0.1]/",
        "https://[::ffff:0:10.0.0.1]/",
        "https://[64:ff9b::10.0.0.1]/",
        "https://[64:ff9b:1::808:808]/",
        "https://[2002:7f00:1::]/",
        "https://[2001::1]/",
        "https://[fc00::1]/",
        "https://[fe80::1]/",
        "https://[fec0::1]/",
        "https://[ff02::1]/",
        "https://[2001:db8::1]/",
        "https://[100::1]/",
        "https://[3fff::1]/",
        "https://[5f00::1]/",
        "https://[2a00:1450::5efe:7f00:1]/",
        "https://[fd00:ec2::254]/",
    ] {
        check(url, &[], &[], Err("address_not_public")).await;
    }
    for url in [
        "https://256.256.256.256/",
        "https://127..0.1/",
        "https://[fe80::1%25eth0]/",
        "https://[127.0.0.1]/",
        "https://::1/",
    ] {
        check(url, &[], &[], Err("invalid_url")).await;
    }
}

#[tokio::test]
async fn names_of_internal_services_are_refused_whatever_they_resolve_to() {
    for url in [
        "https://localhost/",
        "https://LOCALHOST./",
        "https://ｌｏｃａｌｈｏｓｔ/",
        "https://a.b.localhost/",
        "https://router/",
        "https://db.internal/",
        "https://nas.local./",
        "https://metadata.google.internal/",
        "https://metadata.goog/",
        "https://kubernetes.default.svc/",
        "https://host.docker.internal/",
        "https://x.home.arpa/",
        "https://wiki.intranet/",
    ] {
        let host = url.trim_start_matches("https://").trim_matches(['/', '.']).to_lowercase();
        check(url, &[], &[(&host, &[PUBLIC])], Err("name_not_public")).await;
    }
}

#[tokio::test]
async fn one_internal_answer_refuses_a_name() {
    let name = "x.attacker-dns.com";
    for addresses in [
        &["127.0.0.1"][..],
        &["93.184.215.14", "127.0.0.1"],
        &["10.0.0.1", "93.184.215.14"],
        &["::ffff:10.0.0.1"],
        &["::7f00:1"],
        &["93.184.215.14", "2606:4700::1", "fd00::1"],
        &["64:ff9b::7f00:1"],
        &["169.254.169.254"],
        &["0.0.0.0"],
    ] {
        check(&format!("https://{name}/"), &[], &[(name, &[addresses])], Err("address_not_public")).await;
    }
    check(&format!("https://{name}/"), &[], &[(name, &[&[]])], Err("no_address")).await;
    let many: Vec<String> = (0..200).map(|last| format!("93.184.215.{last}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    check(&format!("https://{name}/"), &[], &[(name, &[&many])], Err("too_many_addresses")).await;
    check("https://v6.example.org/", &[], &[("v6.example.org", &[&["64:ff9b::5db8:d70e"]])], Ok(())).await;
}

#[tokio::test]
async fn an_alias_of_an_internal_name_is_refused() {
    for alias in ["localhost", "metadata.google.internal.", "db.prod.svc.cluster.local"] {
        let answers =
            [("cdn.example.org".to_owned(), vec![Answer { aliases: vec![alias.to_owned()], ..answer(PUBLIC) }])];
        let resolver = Arc::new(Scripted { answers: answers.into(), asked: AtomicUsize::new(0) });
        let found = walk("https://cdn.example.org/", &[], &resolver).await;
        assert!(matches!(found, Err(Refusal::Name(_))), "{alias}: {found:?}");
    }
}

#[tokio::test]
async fn a_redirect_passes_the_same_checks() {
    let answers: &[(&str, &[&[&str]])] =
        &[("a.example.org", &[PUBLIC]), ("b.example.org", &[PUBLIC]), ("bad.example.org", &[&["10.0.0.1"]])];
    let start = "https://a.example.org/x";
    for (location, expected) in [
        ("/next", Ok(())),
        ("next?a=b", Ok(())),
        ("#there", Ok(())),
        ("https:/127.0.0.1/", Ok(())), // relative to the host it came from
        ("HTTPS://B.EXAMPLE.ORG/", Ok(())),
        ("//b.example.org/", Ok(())),
        ("https://10.0.0.1/", Err("address_not_public")),
        ("//127.1/", Err("address_not_public")),
        ("https://localhost/", Err("name_not_public")),
        ("https://bad.example.org/", Err("address_not_public")),
        ("http://b.example.org/", Err("scheme_not_allowed")),
        ("file:///etc/passwd", Err("scheme_not_allowed")),
        ("https://u:p@b.example.org/", Err("credentials_in_url")),
        ("https://b.example.org:6379/", Err("port_not_allowed")),
        ("https://", Err("invalid_url")),
        ("https://exa mple.com/", Err("invalid_url")),
        ("/a\r\nSet-Cookie: b", Err("invalid_url")),
        ("/\\evil.com", Err("invalid_url")),
    ] {
        check(start, &[location], answers, expected).await;
    }
    check(start, &["https://b.example.org/", "/c", "https://[::1]/"], answers, Err("address_not_public")).await;
}

#[tokio::test]
async fn names_that_only_look_like_addresses_pass() {
    for url in [
        "https://internal-tools.com/?q=127.0.0.1",
        "https://docs.rs/r?u=https%3A%2F%2Flocalhost%2F",
        "https://1.1.1.1/",
        "https://[2606:4700::1111]/",
        "https://www.rust-lang.org./learn",
        "https://www.rust-lang.org:8443/",
        "https://россия.рф/",
        "https://172.32.0.1/",
        "https://100.63.255.254/",
        "https://192.31.196.1/",
    ] {
        let names = ["internal-tools.com", "docs.rs", "www.rust-lang.org", "xn--h1alffa9f.xn--p1ai"];
        let answers: Vec<(&str, &[&[&str]])> = names.iter().map(|name| (*name, &[PUBLIC][..])).collect();
        check(url, &[], &answers, Ok(())).await;
    }
}

#[tokio::test]
async fn rebinding_between_two_looks_reaches_nothing_internal() {
    let answers =
        [("r.example.org".to_owned(), vec![answer(PUBLIC), answer(&["10.0.0.1"]), answer(&["93.184.215.14", "::1"])])];
    let resolver = Arc::new(Scripted { answers: answers.into(), asked: AtomicUsize::new(0) });
    let mut reached = 0;
    for _ in 0..100_000 {
        if let Ok(list) = walk("https://r.example.org/", &[], &resolver).await {
            let only_public = list
                .iter()
                .flat_map(VettedHost::addresses)
                .all(|one| one.socket().ip() == PUBLIC[0].parse::<IpAddr>().unwrap());
            assert!(only_public);
            reached += 1;
        }
    }
    assert_eq!(reached, 33_334, "a look-up for each request");
    assert_eq!(resolver.asked.load(Ordering::Relaxed), 100_000);
}
