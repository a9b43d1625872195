//! What a client reads beside the tools, over standard streams and over HTTP alike: stored output
//! and the record of its session, links to them, completions, and messages for its log.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client;
use crate::http_client::Server;
use crate::support::{Haft, json_lines};

const ALL: &str = "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n[tools.filters]\nenabled = false\n";

type Request<'a> = &'a mut dyn FnMut(&str, Value) -> Value;

/// Runs a check over standard streams and over HTTP, with two sessions of one server or client.
fn over_both(config: &str, check: impl Fn(Request<'_>, Request<'_>)) {
    let haft = Haft::configured(config);
    let (mut mine, mut other) = (client::Client::connect(&haft), client::Client::connect(&haft));
    check(&mut |method, params| mine.request(5, method, &params), &mut |method, params| {
        other.request(5, method, &params)
    });

    let haft = Haft::configured(config);
    let server = Server::start(&haft, &[]);
    let (mine, other) = (server.client(&server.token).greeted(), server.client(&server.token).greeted());
    check(&mut |method, params| mine.request(method, &params), &mut |method, params| other.request(method, &params));
}

fn uris(listed: &Value) -> Vec<String> {
    let resources = listed["result"]["resources"].as_array().unwrap_or_else(|| panic!("{listed}"));
    resources.iter().map(|resource| resource["uri"].as_str().expect("it has one").to_owned()).collect()
}

/// The pages of a resource from this URI on.
fn pages(request: Request<'_>, uri: &str) -> Vec<String> {
    let (mut pages, mut next) = (vec![], Some(uri.to_owned()));
    while let Some(uri) = next {
        let read = request("resources/read", json!({"uri": uri}));
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["uri"], uri, "{read}");
        pages.push(contents["text"].as_str().unwrap_or_else(|| panic!("{read}")).to_owned());
        assert!(pages.len() < 100, "it has an end");
        next = contents["_meta"]["haft/next"].as_str().map(str::to_owned);
    }
    pages
}

#[test]
fn stored_output_is_listed_linked_and_read_by_its_session_alone() {
    over_both(ALL, |mine, other| {
        let call =
            |command: &str, meta: Value| json!({"name": "bash", "arguments": {"command": command}, "_meta": meta});
        let plain = mine("tools/call", call("seq 1 9000", json!({})));
        assert_eq!(
            plain["result"]["content"].as_array().unwrap().len(),
            1,
            "a link only where the client asks for one: {plain}"
        );
        let linked = mine("tools/call", call("seq 1 20000", json!({"haft/resource_link": true})));
        let link = linked["result"]["content"][1].clone();
        assert_eq!((&link["type"], &link["mimeType"]), (&json!("resource_link"), &json!("text/plain")), "{linked}");
        let uri = link["uri"].as_str().unwrap().to_owned();
        let short = mine("tools/call", call("echo short", json!({"haft/resource_link": true})));
        assert_eq!(short["result"]["content"].as_array().unwrap().len(), 1, "nothing is stored of it: {short}");

        let listed = uris(&mine("resources/list", json!({})));
        assert_eq!((listed.len(), listed[0].as_str(), &listed[1]), (3, "audit:session", &uri), "newest first");
        assert_eq!(uris(&other("resources/list", json!({}))), ["audit:session"]);

        // All lines come once, in order; the line about what follows is in brackets.
        let pages = pages(mine, &uri);
        assert!(pages.len() > 3, "{}", pages.len());
        let lines = pages.iter().flat_map(|page| page.lines()).filter(|line| !line.starts_with('['));
        assert!(lines.eq((1..=20_000).map(|n| n.to_string()).collect::<Vec<_>>()), "{uri}");
        let part = mine("resources/read", json!({"uri": format!("{uri}?offset=777&limit=2")}));
        assert!(part["result"]["contents"][0]["text"].as_str().unwrap().starts_with("777\n778\n["), "{part}");

        let code = |answer: Value| answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"));
        let never = "overflow:123e4567-e89b-42d3-a456-426614174000";
        let [foreign, missing] = [uri.as_str(), never].map(|asked| {
            let mut answer = other("resources/read", json!({"uri": asked}));
            assert_eq!(answer["error"]["data"].take(), json!({"uri": asked}));
            answer
        });
        assert_eq!(foreign["error"], missing["error"], "as if it never was");
        assert_eq!(code(foreign), -32002);
        for wrong in
            ["file:///etc/passwd", "overflow:", "overflow:../x", &uri.to_uppercase().replace("OVERFLOW", "overflow")]
        {
            assert_eq!(code(mine("resources/read", json!({"uri": wrong}))), -32002, "{wrong}");
        }
        assert_eq!(code(mine("resources/read", json!({"uri": format!("{uri}?offset=x")}))), -32602);
        assert_eq!(code(mine("resources/read", json!({"uri": format!("{uri}?offset=999999")}))), -32602);
        assert_eq!(code(mine("resources/list", json!({"cursor": "made-up"}))), -32602);

        let templates = mine("resources/templates/list", json!({}));
        let template = templates["result"]["resourceTemplates"][1]["uriTemplate"]
            .as_str()
            .unwrap_or_else(|| panic!("{templates}"))
            .to_owned();
        let id = uri.strip_prefix("overflow:").unwrap().to_owned();
        let ask = |template: &str, value: &str| json!({"ref": {"type": "ref/resource", "uri": template}, "argument": {"name": "id", "value": value}});
        let completed = |answer: Value| answer["result"]["completion"]["values"].clone();
        assert_eq!(completed(mine("completion/complete", ask(&template, &id[..9]))), json!([id]));
        assert_eq!(completed(mine("completion/complete", ask(&template, "zz"))), json!([]));
        assert_eq!(completed(other("completion/complete", ask(&template, &id[..9]))), json!([]));
        assert_eq!(code(mine("completion/complete", ask("other:{id}", ""))), -32602);
    });
}

#[test]
fn the_record_of_a_session_is_read_in_pages_and_shows_no_other() {
    over_both(ALL, |mine, other| {
        let echo = |word: &str| json!({"name": "bash", "arguments": {"command": format!("echo {word}")}});
        for word in ["one", "two", "three"] {
            mine("tools/call", echo(word));
        }
        other("tools/call", echo("foreign"));
        let all = json_lines(&pages(mine, "audit:session").concat());
        let about: Vec<&str> = all.iter().map(|row| row["about"].as_str().unwrap_or_default()).collect();
        assert_eq!(about, ["echo one", "echo two", "echo three"]);
        assert_eq!((&all[0]["tool"], &all[0]["outcome"]), (&json!("bash"), &json!("ok")));
        let keys: BTreeSet<&str> = all[0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            BTreeSet::from(["about", "decision", "duration_ms", "outcome", "seq", "tool", "ts"]),
            "no rules, no sessions"
        );

        let paged = pages(mine, "audit:session?limit=2");
        assert_eq!(json_lines(&paged.concat()), all);
        let after = format!("audit:session?after={}", all[1]["seq"]);
        assert_eq!(json_lines(&pages(mine, &after).concat()), all[2..]);
        let foreign = pages(other, "audit:session").concat();
        assert!(foreign.contains("echo foreign") && !foreign.contains("echo one"), "{foreign}");
    });
}

#[test]
fn reading_stored_output_is_judged_and_recorded_like_the_tool() {
    let deny = format!("{ALL}[[tools.permissions.read_overflow]]\npattern = \"*\"\naction = \"deny\"\n");
    over_both(&deny, |mine, _| {
        let call = json!({"name": "bash", "arguments": {"command": "seq 1 20000"}});
        mine("tools/call", call);
        let listed = uris(&mine("resources/list", json!({})));
        let read = mine("resources/read", json!({"uri": listed[1]}));
        assert_eq!(read["error"]["code"], -32600, "{read}");
        let record = pages(mine, "audit:session").concat();
        assert!(record.contains("\"tool\":\"read_overflow\""), "{record}");
    });
}

#[test]
fn a_client_that_declares_links_gets_them_with_every_call() {
    let haft = Haft::configured(ALL);
    let mut client = client::Client::connect_declaring(&haft, &json!({"experimental": {"haft/resource_link": {}}}));
    let call = |meta: Value| json!({"name": "bash", "arguments": {"command": "seq 1 20000"}, "_meta": meta});
    let blocks = |answer: Value| answer["result"]["content"].as_array().map_or(0, Vec::len);
    assert_eq!(blocks(client.request(3, "tools/call", &call(json!({})))), 2);
    assert_eq!(blocks(client.request(4, "tools/call", &call(json!({"haft/resource_link": false})))), 1);
}

/// The messages for the log among these lines.
fn logged(lines: impl Iterator<Item = Value>) -> Vec<(String, Value)> {
    let messages = lines.filter(|line| line["method"] == "notifications/message");
    messages
        .map(|line| (line["params"]["level"].as_str().unwrap_or_default().to_owned(), line["params"]["data"].clone()))
        .collect()
}

#[test]
fn a_client_hears_of_its_calls_from_the_level_that_it_set() {
    let Some(haft) = Haft::confined(
        "[[tools.permissions.bash]]\npattern = \"echo *\"\naction = \"allow\"\n[[tools.permissions.bash]]\npattern = \"rm *\"\naction = \"deny\"\n",
    ) else {
        return;
    };
    let steps = |send: &mut dyn FnMut(u64, &str, Value)| {
        let call = |command: &str| json!({"name": "bash", "arguments": {"command": command}});
        send(11, "tools/call", call("echo silent"));
        send(12, "logging/setLevel", json!({"level": "info"}));
        send(13, "tools/call", call("echo heard"));
        send(14, "logging/setLevel", json!({"level": "notice"}));
        send(15, "tools/call", call("echo unheard"));
        send(16, "tools/call", call("rm -r /"));
        send(17, "logging/setLevel", json!({"level": "error"}));
        send(18, "tools/call", call("rm -r /"));
    };
    let expected = |all: Vec<(String, Value)>| {
        let levels: Vec<(&str, &Value)> = all.iter().map(|(level, data)| (level.as_str(), &data["outcome"])).collect();
        assert_eq!(levels.len(), 2, "{all:?}");
        assert_eq!(levels[0], ("info", &json!("ok")));
        assert_eq!(levels[1].0, "notice", "{all:?}");
    };

    let mut client = client::Client::connect(&haft);
    let mut lines = vec![];
    steps(&mut |id, method, params| {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            client.output.read_line(&mut line).expect("the server answers");
            let message: Value = serde_json::from_str(&line).expect("it is JSON");
            let answered = message["id"] == id;
            lines.push(message);
            if answered {
                break;
            }
        }
    });
    expected(logged(lines.into_iter()));
    let wrong = client.request(20, "logging/setLevel", &json!({"level": "loud"}));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");

    let server = Server::start(&haft, &[]);
    let client = server.client(&server.token).greeted();
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it is a time");
    let session = client.session.clone().expect("it has one");
    let get = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nMcp-Session-Id: {session}\r\nAccept: text/event-stream\r\n\r\n",
        server.address, client.bearer
    );
    stream.write_all(get.as_bytes()).expect("it is sent");
    let mut events = BufReader::new(stream).lines();
    assert!(events.next().expect("it answers").expect("it is text").contains(" 200 "));
    let mut answers = vec![];
    steps(&mut |_, method, params| {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        answers.push(client.post(&body).0);
    });
    // What belongs to a call may come with its answer or on the stream of the session.
    let json = |line: &str| serde_json::from_str::<Value>(line.strip_prefix("data:").unwrap_or(line).trim()).ok();
    let mut all = logged(answers.iter().flat_map(|answer| answer.lines()).filter_map(json));
    while all.len() < 2 {
        let line = events.next().expect("the stream stays open").expect("the messages come");
        all.extend(logged(json(&line).into_iter()));
    }
    expected(all);
}

#[test]
fn a_client_that_subscribed_to_the_record_hears_of_each_call() {
    let haft = Haft::configured(ALL);
    let mut client = client::Client::connect(&haft);
    let subscribed = client.request(5, "resources/subscribe", &json!({"uri": "audit:session"}));
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    let stored = client.call("bash", &json!({"command": "seq 1 20000"}));
    let listed = client.request(5, "resources/list", &json!({}));
    let output = uris(&listed)[1].clone();
    // Stored output never changes: a subscription to it is taken and tells nothing.
    let subscribed = client.request(5, "resources/subscribe", &json!({"uri": output}));
    assert_eq!(subscribed["result"], json!({}), "{stored}");
    let foreign =
        client.request(5, "resources/subscribe", &json!({"uri": "overflow:123e4567-e89b-42d3-a456-426614174000"}));
    assert_eq!(foreign["error"]["code"], -32002, "{foreign}");
    client.send(&json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
        "params": {"name": "bash", "arguments": {"command": "echo hi"}}}));
    let mut told = vec![];
    loop {
        let mut line = String::new();
        client.output.read_line(&mut line).expect("the server answers");
        let message: Value = serde_json::from_str(&line).expect("it is JSON");
        if message["method"] == "notifications/resources/updated" {
            told.push(message["params"]["uri"].clone());
        } else if message["id"] == 9 {
            break;
        }
    }
    assert_eq!(told, ["audit:session"]);
    let read = client.request(5, "resources/read", &json!({"uri": "audit:session"}));
    assert!(read.to_string().contains("echo hi"), "the call is on record when it is told of: {read}");
}
