//! Logins: what a person gets, and what authorization servers may do wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::SignedDuration;
use serde_json::{Value, json};
use tools_mcp_client::{LoginError, LoginRequest, StartedLogin};

use crate::hostile::{Asked, Step, answer, json_answer};
use crate::issuer::{OF_ISSUER, OF_RESOURCE, SECRET, World, back, base, fields, get, issuer, resource};

const SOON: Duration = Duration::from_secs(20);

async fn plain() -> World {
    World::new(json!({}), |_| None).await
}

#[tokio::test]
async fn a_login_gives_tokens_that_are_renewed_until_they_are_taken_back() {
    let world = plain().await;
    let error = world.call().await.unwrap_err();
    assert!(error.message().contains("needs a login") && error.message().contains("`haft mcp login far`"), "{error}");
    assert_eq!((error.code(), world.login().is_logged_in()), ("mcp_auth_failure", false));

    let made = world.logged_in().await.unwrap();
    assert_eq!((made.scopes.to_string().as_str(), made.is_renewable), ("offline_access read", true));
    assert_eq!(world.call().await.unwrap(), "done");
    assert!(world.login().is_logged_in());
    // Refused before its time: renewed, and the call is made.
    world.expire();
    assert_eq!((world.call().await.unwrap().as_str(), world.refreshes()), ("done", 1));
    // Its time is over: renewed beforehand.
    world.clock.advance(SignedDuration::from_secs(3595));
    assert_eq!((world.call().await.unwrap().as_str(), world.refreshes()), ("done", 2));
    assert_eq!(world.hostile.count(|asked| asked.path == "/register"), 1);
    // What the browser was told is what the token was asked with.
    let asked = world.hostile.asked();
    let code = asked.iter().find(|asked| asked.path == "/token").unwrap();
    let form = fields(&code.text);
    assert!(form["redirect_uri"].starts_with("http://127.0.0.1:") && form["client_id"] == "c-1", "{form:?}");
    // Tokens go to the server alone, codes and refresh tokens to the authorization server alone.
    for asked in &asked {
        let is_server = asked.path == "/mcp";
        assert!(is_server || asked.header("authorization").is_none(), "{asked:?}");
        assert!(!is_server || !asked.text.contains("refresh-"), "{asked:?}");
    }

    world.issued.lock().unwrap().refresh = None;
    world.expire();
    let error = world.call().await.unwrap_err();
    assert!(error.message().contains("invalid_grant") && error.message().contains("`haft mcp login far`"), "{error}");
    assert!(!error.to_string().contains(SECRET), "{error}");
    let before = world.refreshes();
    world.call().await.unwrap_err();
    assert_eq!(world.refreshes(), before, "what is over is not tried again");
    assert!(!world.stored().contains("access-") && !world.stored().contains("refresh-"));

    world.logged_in().await.unwrap();
    assert_eq!(world.call().await.unwrap(), "done");
    assert!(world.login().logout().await.unwrap());
    assert_eq!(world.hostile.count(|asked| asked.path == "/revoke"), 1);
    assert!(world.stored().is_empty() && !world.login().logout().await.unwrap());
    assert!(world.call().await.unwrap_err().message().contains("`haft mcp login far`"));
}

#[tokio::test]
async fn no_rotated_token_is_lost_whoever_renews_at_once() {
    let world = plain().await;
    world.logged_in().await.unwrap();
    for round in 1..=12 {
        if round % 3 == 0 {
            world.clock.advance(SignedDuration::from_secs(4000));
        }
        world.expire();
        let calls = (0..6).map(|session| world.call_as(session));
        for done in futures_all(calls).await {
            assert_eq!(done.unwrap(), "done", "round {round}");
        }
        assert!(!world.issued.lock().unwrap().was_reused, "round {round}");
        assert_eq!(world.refreshes(), round, "one renews for all");
    }
}

#[tokio::test]
async fn a_renewal_goes_on_when_its_call_is_given_up() {
    let world = World::new(json!({}), |asked| {
        let is_renewal = asked.path == "/token" && asked.text.contains("refresh_token");
        is_renewal.then(|| {
            let token = json!({"access_token": "later-0123456789", "refresh_token": "later-r-0123456789", "token_type": "Bearer"});
            let mut steps = vec![Step::Wait(Duration::from_millis(400))];
            steps.extend(json_answer(&token.to_string()));
            steps
        })
    })
    .await;
    world.logged_in().await.unwrap();
    world.expire();
    let given_up = tokio::time::timeout(Duration::from_millis(200), world.call()).await;
    assert!(given_up.is_err());
    for _ in 0..200 {
        if world.stored().contains("later-r-0123456789") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the rotated token was not kept");
}

#[tokio::test]
async fn only_the_answer_of_the_asked_authorization_server_counts() {
    let world = World::new(json!({}), |asked| {
        (asked.path == OF_ISSUER)
            .then(|| issuer(asked, &json!({"authorization_response_iss_parameter_supported": true})))
    })
    .await;
    let pending = world.begin().await.unwrap();
    let url = pending.url().to_owned();
    assert!(url.contains("/authorize?tenant=1&response_type=code&client_id=c-1"), "{url}");
    let other = back(&url, &[("code", "c"), ("iss", "https%3A%2F%2Fevil.example")]);
    let (finished, _) = tokio::join!(pending.finish(SOON), get(&other));
    assert_eq!(finished.unwrap_err(), LoginError::IssuerMismatch);
    let pending = world.begin().await.unwrap();
    let unnamed = back(pending.url(), &[("code", "c")]);
    let (finished, _) = tokio::join!(pending.finish(SOON), get(&unnamed));
    assert_eq!(finished.unwrap_err(), LoginError::IssuerMismatch);
    assert_eq!(world.hostile.count(|asked| asked.path == "/token"), 0, "no code was told to anybody");

    // A guess is answered and does not end the login.
    let pending = world.begin().await.unwrap();
    world.visited(&pending);
    let base = world.hostile.url.trim_end_matches("/mcp").to_owned();
    let right = back(pending.url(), &[("code", "c"), ("iss", &base)]);
    let guess = format!("{}?code=evil&state=guess", right.split_once('?').unwrap().0);
    let (finished, _) = tokio::join!(pending.finish(SOON), async {
        assert!(get(&guess).await.unwrap().starts_with("HTTP/1.1 400"));
        get(&right).await
    });
    finished.unwrap();
    let denied = world.begin().await.unwrap();
    let answer = back(denied.url(), &[("error", "access_denied"), ("error_description", SECRET), ("iss", &base)]);
    let (finished, _) = tokio::join!(denied.finish(SOON), get(&answer));
    let error = finished.unwrap_err().to_string();
    assert!(error.contains("access_denied") && !error.contains(SECRET), "{error}");
}

#[tokio::test]
async fn a_server_that_asks_for_more_is_given_it_once() {
    let wants = Arc::new(AtomicBool::new(true));
    let wanting = Arc::clone(&wants);
    let world = World::new(json!({}), move |asked| {
        let is_call = asked.rpc() == "tools/call" && wanting.load(Ordering::SeqCst);
        is_call.then(|| {
            let challenge = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"admin\"";
            answer("403 Forbidden", &[challenge], "")
        })
    })
    .await;
    world.logged_in().await.unwrap();
    let error = world.call().await.unwrap_err();
    assert!(error.message().contains("`admin`") && error.message().contains("`haft mcp login far`"), "{error}");
    let made = world.logged_in().await.unwrap();
    assert_eq!(made.scopes.to_string(), "admin offline_access read", "and loses nothing");
    let error = world.call().await.unwrap_err();
    assert!(!error.message().contains("haft mcp login") && error.message().contains("403"), "{error}");
    wants.store(false, Ordering::SeqCst);
    assert_eq!(world.call().await.unwrap(), "done");
}

#[tokio::test]
async fn another_authorization_server_is_accepted_by_a_person_alone() {
    let moved = Arc::new(AtomicBool::new(false));
    let moving = Arc::clone(&moved);
    let world = World::new(json!({}), move |asked| {
        let tenant = format!("{}/new", base(asked));
        match asked.path.as_str() {
            OF_RESOURCE if moving.load(Ordering::SeqCst) => {
                Some(resource(asked, &json!({"authorization_servers": [tenant]})))
            }
            "/.well-known/oauth-authorization-server/new" => Some(issuer(asked, &json!({"issuer": tenant}))),
            _ => None,
        }
    })
    .await;
    world.logged_in().await.unwrap();
    moved.store(true, Ordering::SeqCst);
    world.expire();
    assert_eq!(world.call().await.unwrap(), "done", "renewed where it was issued");
    let error = world.begin().await.unwrap_err();
    assert!(matches!(&error, LoginError::IssuerChanged { now, .. } if now.ends_with("/new")), "{error}");
    let registered = world.hostile.count(|asked| asked.path == "/register");
    let now = format!("{}/new", world.hostile.url.trim_end_matches("/mcp"));
    let request = LoginRequest { accept_issuer: Some(now.clone()), ..LoginRequest::default() };
    let StartedLogin::Open(pending) = world.login().begin(&request).await.unwrap() else { panic!("a person is asked") };
    assert_eq!(pending.issuer(), now);
    assert_eq!(world.hostile.count(|asked| asked.path == "/register"), registered + 1, "clients are of one issuer");
}

#[tokio::test]
async fn a_client_logs_in_by_itself_and_sends_its_secret_to_its_issuer_alone() {
    let section = |issuer: &str| {
        json!({"oauth": {
            "grant": "client_credentials", "client_id": "c-2", "client_secret_env": "UNUSED", "issuer": issuer, "scopes": ["own"],
        }})
    };
    let world = World::new(section("https://auth.example.com"), |_| None).await;
    let error = world.call().await.unwrap_err();
    assert!(error.message().contains("`oauth.issuer` is `https://auth.example.com`"), "{error}");
    let told = |world: &World| {
        world.hostile.asked().iter().any(|asked| asked.header("authorization").is_some() || asked.text.contains(SECRET))
    };
    assert!(!told(&world));

    let world = World::new(section("http://127.0.0.1:1"), |asked| {
        let named = json!({"authorization_servers": ["http://127.0.0.1:1"]});
        (asked.path == OF_RESOURCE).then(|| resource(asked, &named))
    })
    .await;
    assert!(world.call().await.unwrap_err().message().contains("`https`") && !told(&world));

    let world = World::new(section("BASE"), |_| None).await;
    assert_eq!(world.call().await.unwrap(), "done");
    world.expire();
    assert_eq!(world.call().await.unwrap(), "done");
    let asked = world.hostile.asked();
    let tokens: Vec<_> = asked.iter().filter(|asked| asked.path == "/token").collect();
    assert_eq!(tokens.len(), 2);
    assert!(tokens.iter().all(|asked| asked.header("authorization").unwrap().starts_with("Basic ")), "{tokens:?}");
    assert_eq!(fields(&tokens[0].text)["scope"], "own read");
    assert!(!world.stored().contains(SECRET), "the secret of the operator is stored nowhere");
}

/// Each does one thing wrong; none gets as far as a code.
#[tokio::test]
async fn what_an_authorization_server_does_wrong_ends_the_login() {
    let at = |path: &'static str, twist: Answer| move |asked: &Asked| (asked.path == path).then(|| twist(asked));
    let of_resource = |twist| at(OF_RESOURCE, twist);
    let of_issuer = |twist| at(OF_ISSUER, twist);
    let huge = |_: &Asked| {
        answer("200 OK", &["Content-Type: application/json"], &format!("{{\"a\": \"{}\"}}", "x".repeat(300 << 10)))
    };
    let endless = |_: &Asked| {
        vec![Step::Write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec()), Step::Forever(vec![b' '; 4096])]
    };
    let moved = |asked: &Asked| answer("302 Found", &[&format!("Location: {}/elsewhere", base(asked))], "");
    check(
        "expected `https`",
        of_resource(|asked| resource(asked, &json!({"authorization_servers": ["http://127.0.0.1:1/"]}))),
    )
    .await;
    check("refused", of_resource(|asked| resource(asked, &json!({"authorization_servers": ["https://10.0.0.1/"]}))))
        .await;
    check(
        "refused",
        of_resource(|asked| resource(asked, &json!({"authorization_servers": ["https://169.254.169.254/"]}))),
    )
    .await;
    check("refused", of_resource(|asked| resource(asked, &json!({"authorization_servers": ["https://localhost/"]}))))
        .await;
    check("refused", of_resource(|asked| resource(asked, &json!({"authorization_servers": ["https://[::1]/"]})))).await;
    check(
        "expected `https`",
        of_resource(|asked| resource(asked, &json!({"authorization_servers": ["file:///etc/passwd"]}))),
    )
    .await;
    check("no authorization server", of_resource(|asked| resource(asked, &json!({"authorization_servers": []})))).await;
    check("not the server", of_resource(|asked| resource(asked, &json!({"resource": "https://evil.example/mcp"}))))
        .await;
    check("have not the form", of_resource(|asked| resource(asked, &json!({"resource": null})))).await;
    check("more than 256 KiB", of_resource(huge)).await;
    check("more than 256 KiB", of_resource(endless)).await;
    check("HTTP status 503", of_resource(|_| answer("503 Service Unavailable", &[], SECRET))).await;
    check(
        "they are of `https://evil.example`",
        of_issuer(|asked| issuer(asked, &json!({"issuer": "https://evil.example"}))),
    )
    .await;
    check("more than 256 KiB", of_issuer(huge)).await;
    check("more than 256 KiB", of_issuer(endless)).await;
    check("none at any of their places", of_issuer(moved)).await;
    check("PKCE", of_issuer(|asked| issuer(asked, &json!({"code_challenge_methods_supported": ["plain"]})))).await;
    check("PKCE", of_issuer(|asked| issuer(asked, &json!({"code_challenge_methods_supported": null})))).await;
    for wrong in
        ["http://127.0.0.1:1/x", "https://10.0.0.1/x", "javascript:alert(1)", "file:///x", "https://localhost/x"]
    {
        let endpoint = |name: &'static str| {
            move |asked: &Asked| (asked.path == OF_ISSUER).then(|| issuer(asked, &json!({name: wrong})))
        };
        check("is refused", endpoint("authorization_endpoint")).await;
        check("is refused", endpoint("registration_endpoint")).await;
        let world = World::new(json!({}), endpoint("token_endpoint")).await;
        let error = world.logged_in().await.unwrap_err().to_string();
        assert!(error.contains("the address of the token is refused"), "{wrong}: {error}");
    }
    let registration = |text: &'static str| move |asked: &Asked| (asked.path == "/register").then(|| json_answer(text));
    check("`client_id`", registration("{}")).await;
    check(
        "a proof that was not asked for",
        registration(r#"{"client_id": "a", "token_endpoint_auth_method": "tls_client_auth"}"#),
    )
    .await;
    check("registers no clients", of_issuer(|asked| issuer(asked, &json!({"registration_endpoint": null})))).await;
    check("the registration: HTTP status 302", at("/register", moved)).await;
}

async fn check(part: &str, twist: impl Fn(&Asked) -> Option<Vec<Step>> + Send + Sync + 'static) {
    let world = World::new(json!({}), twist).await;
    let error = world.begin().await.expect_err(part).to_string();
    assert!(error.contains(part) && !error.contains(SECRET), "{part}: {error}");
    let strayed = world.hostile.count(|asked| asked.path.contains("elsewhere") || asked.path == "/token");
    assert_eq!(strayed, 0, "{part}");
}

type Answer = fn(&Asked) -> Vec<Step>;

#[tokio::test]
async fn a_token_endpoint_that_misbehaves_gives_no_login() {
    let wrong: [(&str, Answer); 6] = [
        ("HTTP status 307", |asked| {
            answer("307 Temporary Redirect", &[&format!("Location: {}/elsewhere", base(asked))], "")
        }),
        ("invalid_grant", |_| {
            answer("400 Bad Request", &[], &json!({"error": "invalid_grant", "error_description": SECRET}).to_string())
        }),
        ("not one of the protocol's", |_| answer("400 Bad Request", &[], &json!({"error": SECRET}).to_string())),
        ("not a bearer token", |_| json_answer(&json!({"access_token": SECRET, "token_type": "mac"}).to_string())),
        ("none that can be sent", |_| {
            json_answer(&json!({"access_token": format!("{SECRET}\r\nX: y"), "token_type": "Bearer"}).to_string())
        }),
        ("more than 256 KiB", |_| json_answer(&format!("\"{}\"", "x".repeat(300 << 10)))),
    ];
    for (part, twist) in wrong {
        let world = World::new(json!({}), move |asked| (asked.path == "/token").then(|| twist(asked))).await;
        let error = world.logged_in().await.unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains(SECRET), "{part}: {error}");
        assert_eq!(world.hostile.count(|asked| asked.path.contains("elsewhere")), 0);
        assert!(!world.login().is_logged_in() && !world.stored().contains(SECRET), "{part}");
    }
}

#[tokio::test]
async fn a_server_without_metadata_of_its_own_issues_its_own_tokens() {
    let none = |asked: &Asked| asked.path.contains("protected-resource").then(|| answer("404 Not Found", &[], ""));
    let world = World::new(json!({}), none).await;
    world.logged_in().await.unwrap();
    assert_eq!(world.call().await.unwrap(), "done");
    // Nobody asks for a login: there is none.
    let open = World::new(json!({}), |asked| match asked.path.as_str() {
        "/mcp" => Some(json_answer(&json!({"jsonrpc": "2.0", "id": 1, "result": Value::Null}).to_string())),
        _ => Some(answer("404 Not Found", &[], "")),
    })
    .await;
    assert_eq!(open.begin().await.unwrap_err(), LoginError::NotAsked);
    assert!(!open.login().is_asked_for().await.unwrap() && world.login().is_asked_for().await.unwrap());
}

async fn futures_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut pending: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|cx| {
        let mut is_done = true;
        for (future, output) in &mut pending {
            if output.is_none() {
                match future.as_mut().poll(cx) {
                    std::task::Poll::Ready(ready) => *output = Some(ready),
                    std::task::Poll::Pending => is_done = false,
                }
            }
        }
        if is_done { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    pending.into_iter().filter_map(|(_, output)| output).collect()
}
