//! Inserts arguments into the body of an invoked skill.

use serde_json::Value;

/// The placeholder for all arguments.
const ALL: &str = "$ARGUMENTS";

/// Replaces `$ARGUMENTS` by all arguments and `${name}` by a named one. Arguments without a
/// placeholder are appended. Inserted text is not scanned again.
pub(crate) fn substituted(body: &str, args: Option<&Value>) -> String {
    let Some(args) = args else { return body.replace(ALL, "") };
    let all = shown(args);
    let mut text = String::with_capacity(body.len() + all.len());
    let mut rest = body;
    let mut used = false;
    while let Some(at) = rest.find('$') {
        let (before, here) = rest.split_at(at);
        text.push_str(before);
        if let Some(behind) = here.strip_prefix(ALL) {
            text.push_str(&all);
            used = true;
            rest = behind;
        } else if let Some((value, behind)) = named(here, args) {
            text.push_str(&shown(value));
            used = true;
            rest = behind;
        } else {
            text.push('$');
            rest = &here[1..];
        }
    }
    text.push_str(rest);
    if !used && !all.is_empty() {
        text.push_str("\n\nARGUMENTS: ");
        text.push_str(&all);
    }
    text
}

fn named<'a, 'b>(text: &'a str, args: &'b Value) -> Option<(&'b Value, &'a str)> {
    let (name, behind) = text.strip_prefix("${")?.split_once('}')?;
    Some((args.as_object()?.get(name)?, behind))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_stand_where_the_body_wants_them() {
        let check =
            |body: &str, args: Value, expected: &str| assert_eq!(substituted(body, Some(&args)), expected, "{body}");
        check("fix $ARGUMENTS now", json!("#12"), "fix #12 now");
        check("fix ${id} in ${where}, $5", json!({"id": 12, "where": "a b"}), "fix 12 in a b, $5");
        check("fix it", json!("#12"), "fix it\n\nARGUMENTS: #12");
        // Inserted text contains no placeholders.
        check("say $ARGUMENTS", json!("$ARGUMENTS ${x}"), "say $ARGUMENTS ${x}");
        check("${missing}", json!({"id": 1}), "${missing}\n\nARGUMENTS: {\"id\":1}");
        assert_eq!(substituted("fix $ARGUMENTS.", None), "fix .");
    }
}
