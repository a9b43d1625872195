//! How `xargs` and its kin put arguments from elsewhere into the command that they run.

use super::command::{PLACEHOLDER, Value};
use super::options::Options;

/// What the own options of `xargs` say about the arguments that come from elsewhere.
pub(super) struct Own {
    /// What is replaced in the words of its command.
    pub(super) placeholder: Option<String>,
    /// Whether arguments are put behind the command's own.
    pub(super) appends: bool,
}

impl Own {
    pub(super) fn read(options: &Options, args: &[Value]) -> Self {
        let mut placeholder = None;
        let mut is_counted = false;
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if let Some(long) = arg.text.strip_prefix("--") {
                let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                match name {
                    "replace" => placeholder = Some(value.unwrap_or(PLACEHOLDER).to_owned()),
                    "max-args" | "max-lines" => is_counted = true,
                    _ => {}
                }
                if value.is_none() && options.long_valued.contains(&name) {
                    args.next();
                }
                continue;
            }
            let Some(letters) = arg.text.strip_prefix('-') else { continue };
            let takes = |c: char| options.valued.contains(c) || options.optional.contains(c);
            let Some((at, letter)) = letters.char_indices().find(|(_, c)| takes(*c)) else { continue };
            let attached = letters.get(at + letter.len_utf8()..).filter(|rest| !rest.is_empty()).map(str::to_owned);
            let value = match attached {
                None if options.valued.contains(letter) => args.next().map(|next| next.text.clone()),
                attached => attached,
            };
            match letter {
                'I' => placeholder = value,
                'i' => placeholder = Some(value.unwrap_or_else(|| PLACEHOLDER.to_owned())),
                'n' | 'L' | 'l' => is_counted = true,
                _ => {}
            }
        }
        // Which of the two counts depends on the version.
        let appends = placeholder.is_none() || is_counted;
        Self { placeholder, appends }
    }
}
