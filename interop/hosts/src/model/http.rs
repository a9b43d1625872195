//! As much of HTTP/1.1 as the hosts speak: one thread per connection, bodies by length or in
//! chunks.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
};

use serde_json::Value;

use super::{Reply, Script, Wire};

/// A model that listens. It ends with the process.
pub struct Model {
    pub port: u16,
}

impl Model {
    /// Starts to listen. `log` takes each request, one line each, for whoever looks for the reason
    /// of a failure.
    pub fn start(wire: Arc<dyn Wire>, script: Script, log: Option<std::fs::File>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let (script, log) = (Arc::new(script), Arc::new(log));
        std::thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let (wire, script, log) = (wire.clone(), script.clone(), log.clone());
                std::thread::spawn(move || serve(stream, wire.as_ref(), &script, log.as_ref().as_ref()));
            }
        });
        Ok(Self { port })
    }
}

fn serve(stream: TcpStream, wire: &dyn Wire, script: &Script, mut log: Option<&std::fs::File>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).ok()? == 0 {
            return None;
        }
        let mut words = first.split_whitespace();
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':')?;
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().ok()?,
                "transfer-encoding" => is_chunked = value.contains("chunked"),
                "expect" => writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?,
                _ => {}
            }
        }
        let body = if is_chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
        let parsed: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        if let Some(log) = &mut log {
            let _ = writeln!(log, "{method} {path} {parsed}");
        }
        let reply = if method == "POST" {
            script.answer(wire, &path, &parsed)
        } else {
            Reply::json(&Value::Object(Default::default()))
        };
        let Reply { kind, body } = reply;
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
        writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(body.as_bytes())).ok()?;
    }
}

fn exactly(reader: &mut impl Read, length: usize) -> Option<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(body)
}

fn chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let size = usize::from_str_radix(line.trim().split(';').next()?, 16).ok()?;
        body.extend(exactly(reader, size)?);
        let mut end = String::new();
        reader.read_line(&mut end).ok()?;
        if size == 0 {
            return Some(body);
        }
    }
}
