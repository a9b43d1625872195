//! Removes credentials from what tools ask the client of their call.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use tools_core::{InputAnswer, InputError, InputKind, InputRequest, InputSource, Redactor as _};

use crate::{SecretRedactor, Tally};

/// A client behind a redactor.
pub(crate) struct RedactedInput {
    client: Arc<dyn InputSource>,
    redactor: SecretRedactor,
}

impl RedactedInput {
    /// The same client, which sees placeholders.
    pub(crate) fn around(client: Arc<dyn InputSource>, redactor: SecretRedactor) -> Arc<dyn InputSource> {
        Arc::new(Self { client, redactor })
    }

    fn redacted(&self, request: InputRequest) -> InputRequest {
        let hidden = |text: String| self.redactor.redact(&text).into_owned();
        match request {
            InputRequest::Form { message, schema } => InputRequest::Form {
                message: hidden(message),
                schema: self.redactor.redact_json_counting(&schema, &mut Tally::default()),
            },
            InputRequest::Completion { prompt, max_tokens } => {
                InputRequest::Completion { prompt: hidden(prompt), max_tokens }
            }
            other => other,
        }
    }
}

#[async_trait]
impl InputSource for RedactedInput {
    fn offers(&self, kind: InputKind) -> bool {
        self.client.offers(kind)
    }

    async fn input(
        &self,
        requests: BTreeMap<String, InputRequest>,
    ) -> Result<BTreeMap<String, InputAnswer>, InputError> {
        let requests = requests.into_iter().map(|(key, request)| (key, self.redacted(request)));
        self.client.input(requests.collect()).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::json;

    use super::*;

    /// Keeps what it is asked.
    #[derive(Default)]
    struct Screen(Mutex<String>);

    #[async_trait]
    impl InputSource for Screen {
        fn offers(&self, _: InputKind) -> bool {
            true
        }

        async fn input(
            &self,
            requests: BTreeMap<String, InputRequest>,
        ) -> Result<BTreeMap<String, InputAnswer>, InputError> {
            *self.0.lock().unwrap() = format!("{requests:?}");
            Ok(requests.into_keys().map(|key| (key, InputAnswer::Declined)).collect())
        }
    }

    #[tokio::test]
    async fn a_client_is_shown_placeholders() {
        let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let screen = Arc::new(Screen::default());
        let client = RedactedInput::around(Arc::clone(&screen) as Arc<dyn InputSource>, SecretRedactor::default());
        let schema = json!({"type": "object", "properties": {"a": {"type": "string", "default": secret}}});
        let form = InputRequest::Form { message: format!("Use {secret}?"), schema };
        let completion = InputRequest::Completion { prompt: format!("Explain {secret}."), max_tokens: 1 };
        let answers = client.input([("f".to_owned(), form), ("c".to_owned(), completion)].into()).await.unwrap();
        assert_eq!(answers.len(), 2);
        let shown = screen.0.lock().unwrap().clone();
        assert!(!shown.contains(&secret) && shown.matches("«secret:").count() == 3, "{shown}");
    }
}
