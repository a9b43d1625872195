//! A page of one megabyte to text, against the bare parse of the same page, round by round.

use std::fmt::Write as _;
use std::hint::black_box;

use tools_bench::{Times, ratio, timed};
use tools_web::page::{Document, Format, Kind, PATIENCE, readable};

const SIZE: usize = 1 << 20;
const ROUNDS: usize = 60;

fn main() {
    for (name, page) in [("prose", prose()), ("dense markup", dense())] {
        let [mut parsing, mut reading]: [Times; 2] = Default::default();
        for _ in 0..ROUNDS {
            parsing.push(timed(|| black_box(Document::parse(&page, &Kind::Html, PATIENCE))).0);
            let read = || {
                let document = Document::parse(&page, &Kind::Html, PATIENCE);
                let text = readable(&document, None, Format::Text, PATIENCE).text;
                black_box((document, text))
            };
            reading.push(timed(read).0);
        }
        let (parsing, reading) = (parsing.median(), reading.median());
        #[expect(clippy::cast_precision_loss, reason = "a size far below 2^52")]
        let rate = SIZE as f64 / 1e6 / reading.as_secs_f64();
        let ratio = ratio(reading, parsing);
        println!("{name}: parse {parsing:?}, to text {reading:?}, {rate:.0} MB/s, {ratio:.2} x the bare parse");
    }
}

fn prose() -> String {
    let mut page = "<!doctype html><title>Prose</title><main><h1>Prose</h1>".to_owned();
    while page.len() < SIZE {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            page,
            "<p>Paragraph {} says at some length, in words of several syllables, what could have been said in fewer; it \
             goes on for a while, since pages of prose do, and holds <a href=\"/{}\">one link</a> that leads elsewhere.</p>",
            page.len(),
            page.len()
        );
    }
    page
}

fn dense() -> String {
    let mut page = "<!doctype html><title>Dense</title><body><table>".to_owned();
    while page.len() < SIZE {
        let _ = write!(
            page,
            "<tr class=\"row odd\"><td><b>{}</b></td><td><a href=\"/a\">x</a></td><td><span class=\"n\">1</span></td><td><i>y</i></td></tr>",
            page.len()
        );
    }
    page
}
