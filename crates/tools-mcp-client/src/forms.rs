//! Forms that a server shows to the person behind a call, if its configuration permits. They go to
//! the client of that call, which shows which tool asks.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest as Wire, InputRequests, InputResponses,
};
use serde_json::{Map, Value};
use tools_core::{InputAnswer, InputError, InputKind, InputRequest, InputSource, Locked as _};

/// Maximum number of forms in one call.
const MAX_FORMS: usize = 16;

/// Running calls of one connection whose clients can be asked.
#[derive(Clone, Default)]
pub(crate) struct OpenCalls(Arc<Mutex<Vec<Arc<AskingCall>>>>);

impl fmt::Debug for OpenCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenCalls").field(&self.all().len()).finish()
    }
}

impl OpenCalls {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<AskingCall>>> {
        self.0.locked()
    }

    /// Registers a running call until the value is dropped.
    pub(crate) fn begin(&self, client: Arc<dyn InputSource>) -> OpenCall {
        let call = Arc::new(AskingCall { client, shown: tokio::sync::Mutex::default(), waits: Mutex::default() });
        self.all().push(Arc::clone(&call));
        OpenCall { all: self.clone(), call }
    }

    /// Answers a form that the server sends during a call. A server does not say which call; the
    /// latest one is used, since all calls of a connection have the same person behind them. If no
    /// call is waiting, or nobody can be asked, the form counts as dismissed.
    pub(crate) async fn answer(&self, params: ElicitRequestParams) -> ElicitResult {
        let dismissed = || ElicitResult::new(ElicitationAction::Cancel);
        let Some(call) = self.all().last().cloned() else { return dismissed() };
        match call.fill([(FORM.to_owned(), params)].into()).await {
            Ok(mut results) => results.remove(FORM).unwrap_or_else(dismissed),
            Err(error) => {
                tracing::warn!(%error, "nobody saw the form of an MCP server");
                dismissed()
            }
        }
    }
}

/// Key of a form that a server sends during a call.
const FORM: &str = "form";

struct AskingCall {
    client: Arc<dyn InputSource>,
    /// Number of forms so far. Locked while one is shown, so that the next waits for its answer.
    shown: tokio::sync::Mutex<usize>,
    waits: Mutex<WaitTime>,
}

/// Time for which a person was asked in one call.
#[derive(Debug, Default)]
struct WaitTime {
    over: Duration,
    since: Option<Instant>,
}

impl AskingCall {
    /// Shows forms and returns the person's answers. Fields that were left out get the form's
    /// default values.
    async fn fill(
        &self,
        asked: BTreeMap<String, ElicitRequestParams>,
    ) -> Result<BTreeMap<String, ElicitResult>, InputError> {
        let (mut forms, mut proposals) = (BTreeMap::new(), BTreeMap::new());
        for (key, params) in asked {
            let (message, schema) = form(params).ok_or_else(no_form)?;
            proposals.insert(key.clone(), proposed(&schema));
            forms.insert(key, InputRequest::Form { message, schema });
        }
        let answers = self.ask(forms).await?;
        let result = |(key, answer)| {
            let result = result(answer, proposals.remove(&key).unwrap_or_default());
            (key, result)
        };
        Ok(answers.into_iter().map(result).collect())
    }

    async fn ask(&self, requests: BTreeMap<String, InputRequest>) -> Result<BTreeMap<String, InputAnswer>, InputError> {
        if !self.client.offers(InputKind::Form) {
            return Err(InputError::NotOffered(InputKind::Form));
        }
        let mut shown = self.shown.lock().await;
        *shown += requests.len();
        if *shown > MAX_FORMS {
            return Err(InputError::Invalid(format!("it is more than the {MAX_FORMS} forms of a call")));
        }
        self.waits().since = Some(Instant::now());
        let _waiting = WaitGuard(self);
        self.client.input(requests).await
    }

    fn waits(&self) -> MutexGuard<'_, WaitTime> {
        self.waits.locked()
    }
}

/// Guard while a person is asked. When it is dropped, also because the server withdrew the form,
/// the call's time limit runs again.
struct WaitGuard<'a>(&'a AskingCall);

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        let mut waits = self.0.waits();
        let last = waits.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        waits.over += last;
    }
}

/// A running call.
pub(crate) struct OpenCall {
    all: OpenCalls,
    call: Arc<AskingCall>,
}

impl OpenCall {
    /// Time for which the person was asked so far, which is not the server's time.
    pub(crate) fn waited(&self) -> Duration {
        let waits = self.call.waits();
        waits.over + waits.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Answers the requests of a server that continues afterwards (since 2026-07-28). Only forms
    /// are shown.
    ///
    /// # Errors
    /// Those of the client, and [`InputError::Invalid`] for anything but forms.
    pub(crate) async fn answers(&self, requests: InputRequests) -> Result<InputResponses, InputError> {
        let form = |(key, request)| match request {
            Wire::Elicitation(request) => Ok((key, request.params)),
            _ => Err(no_form()),
        };
        let forms = requests.into_iter().map(form).collect::<Result<_, _>>()?;
        let results = self.call.fill(forms).await?;
        let written = results.into_iter().filter_map(|(key, result)| Some((key, serde_json::to_value(result).ok()?)));
        Ok(written.collect())
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.all.all().retain(|call| !Arc::ptr_eq(call, &self.call));
    }
}

/// Message and schema of a form; `None` for anything else, such as an address to visit.
fn form(params: ElicitRequestParams) -> Option<(String, Value)> {
    match params {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            Some((message, serde_json::to_value(requested_schema).ok()?))
        }
        _ => None,
    }
}

fn no_form() -> InputError {
    InputError::Invalid("it asks for something else than a form".to_owned())
}

/// Converts the person's answer to MCP, with default values for fields that were left out.
fn result(answer: InputAnswer, proposed: Map<String, Value>) -> ElicitResult {
    match answer {
        InputAnswer::Filled(mut fields) => {
            for (name, value) in proposed {
                fields.entry(name).or_insert(value);
            }
            ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(fields))
        }
        InputAnswer::Declined => ElicitResult::new(ElicitationAction::Decline),
        _ => ElicitResult::new(ElicitationAction::Cancel),
    }
}

/// The defaults of a form's fields.
fn proposed(schema: &Value) -> Map<String, Value> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields.filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use serde_json::json;

    use super::*;

    /// Answers every form with these fields; `None` means no form support.
    struct Person(Option<Map<String, Value>>);

    #[async_trait]
    impl InputSource for Person {
        fn offers(&self, _: InputKind) -> bool {
            self.0.is_some()
        }

        async fn input(
            &self,
            requests: BTreeMap<String, InputRequest>,
        ) -> Result<BTreeMap<String, InputAnswer>, InputError> {
            let fields = self.0.clone().unwrap_or_default();
            Ok(requests.into_keys().map(|key| (key, InputAnswer::Filled(fields.clone()))).collect())
        }
    }

    fn person(fields: &Value) -> Arc<dyn InputSource> {
        Arc::new(Person(fields.as_object().cloned()))
    }

    fn asked() -> ElicitRequestParams {
        let form = json!({"mode": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": {
            "name": {"type": "string", "default": "x"}, "age": {"type": "integer", "default": 30}}}});
        serde_json::from_value(form).unwrap()
    }

    #[tokio::test]
    async fn a_form_is_answered_by_the_person_behind_the_call_that_is_on_its_way() {
        let calls = OpenCalls::default();
        assert_eq!(calls.answer(asked()).await.action, ElicitationAction::Cancel);
        let call = calls.begin(person(&json!({"name": "A"})));
        let answer = calls.answer(asked()).await;
        assert_eq!((answer.action, answer.content), (ElicitationAction::Accept, Some(json!({"name": "A", "age": 30}))));
        drop(call);
        assert_eq!(calls.answer(asked()).await.action, ElicitationAction::Cancel);
        let _call = calls.begin(person(&Value::Null));
        assert_eq!(calls.answer(asked()).await.action, ElicitationAction::Cancel);
    }

    #[tokio::test]
    async fn a_call_leads_to_a_bounded_number_of_forms() {
        let calls = OpenCalls::default();
        let _call = calls.begin(person(&json!({})));
        for _ in 0..MAX_FORMS {
            assert_eq!(calls.answer(asked()).await.action, ElicitationAction::Accept);
        }
        assert_eq!(calls.answer(asked()).await.action, ElicitationAction::Cancel);
    }

    /// A client whose user never answers.
    struct Away;

    #[async_trait]
    impl InputSource for Away {
        fn offers(&self, _: InputKind) -> bool {
            true
        }

        async fn input(&self, _: BTreeMap<String, InputRequest>) -> Result<BTreeMap<String, InputAnswer>, InputError> {
            std::future::pending().await
        }
    }

    #[tokio::test]
    async fn a_form_that_is_taken_back_stops_no_clock() {
        let calls = OpenCalls::default();
        let call = calls.begin(Arc::new(Away));
        let shown = tokio::time::timeout(Duration::from_millis(20), calls.answer(asked())).await;
        assert!(shown.is_err() && call.call.waits().since.is_none());
        assert!(call.waited() > Duration::ZERO);
    }

    #[tokio::test]
    async fn only_forms_are_shown() {
        let call = OpenCalls::default().begin(person(&json!({})));
        let requests = |value: Value| serde_json::from_value::<InputRequests>(value).unwrap();
        let completion = json!({"a": {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}});
        assert!(matches!(call.answers(requests(completion)).await, Err(InputError::Invalid(_))));
        let url = json!({"a": {"method": "elicitation/create", "params": {
            "mode": "url", "message": "m", "url": "https://x.example", "elicitationId": "1"}}});
        assert!(matches!(call.answers(requests(url)).await, Err(InputError::Invalid(_))));
        let form = json!({"a": {"method": "elicitation/create", "params": {
            "message": "m", "requestedSchema": {"type": "object", "properties": {}}}}});
        let answers = call.answers(requests(form)).await.unwrap();
        assert_eq!(answers["a"], json!({"action": "accept", "content": {}}));
    }
}
