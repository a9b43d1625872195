//! Filters standard input as the output of a command: `filter COMMAND EXIT_CODE < OUTPUT`.

use std::io::{self, BufWriter, Read, Write};

use tools_filter::{Exit, FilterEvent, FilterPipeline};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let exit = arguments.next().and_then(|code| code.parse().ok()).map_or(Exit::Unknown, Exit::Code);
    let mut stream = FilterPipeline::builtin().start(&command, exit);
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut begun, mut result) = (false, Ok(()));
    let mut sink = |event: FilterEvent<'_>| {
        if let FilterEvent::Kept(line) | FilterEvent::Written(line) = event
            && result.is_ok()
        {
            // A line is ended when another comes: the last one ends as it did.
            let end = if std::mem::replace(&mut begun, true) { "\n" } else { "" };
            result = write!(out, "{end}{line}");
        }
    };
    let mut chunk = vec![0; 64 << 10];
    let mut input = io::stdin().lock();
    loop {
        let read = input.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        stream.push(&chunk[..read], &mut sink);
    }
    let report = stream.finish(&mut sink);
    result?;
    if begun && report.ends_with_line_feed {
        writeln!(out)?;
    }
    out.flush()
}
