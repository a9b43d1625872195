//! A command line, a newline, and any bytes as its output: the result does not depend on the
//! chunks.

use std::sync::LazyLock;

use tools_filter::{Exit, FilterEvent, FilterPipeline};

static PIPELINE: LazyLock<FilterPipeline> = LazyLock::new(FilterPipeline::builtin);

pub(crate) fn check(bytes: &[u8]) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let (line, output) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 1..]);
    for exit in [Exit::Code(0), Exit::Code(1)] {
        let whole = shown(&line, exit, &[output]);
        let (left, right) = output.split_at(output.len() / 2);
        assert_eq!(shown(&line, exit, &[left, right]), whole, "in two chunks");
        let single: Vec<&[u8]> = output.chunks(1).collect();
        assert_eq!(shown(&line, exit, &single), whole, "byte by byte");
    }
}

fn shown(line: &str, exit: Exit, chunks: &[&[u8]]) -> String {
    let mut text = String::new();
    let mut sink = |event: FilterEvent<'_>| match event {
        FilterEvent::Kept(piece) | FilterEvent::Written(piece) => text.push_str(piece),
        FilterEvent::Dropped(_) => {}
    };
    let mut stream = PIPELINE.start(line, exit);
    for chunk in chunks {
        stream.push(chunk, &mut sink);
    }
    stream.finish(&mut sink);
    text
}
