//! Authorization servers whose answers do not end: one that drips, and one that sends a gigabyte.
//! Each step of a login ends by a limit of its own, with an error that says which.

use std::time::Duration;

use serde_json::json;
use tools_mcp_client::LoginError;

use crate::hostile::{Asked, Step};
use crate::issuer::{OF_ISSUER, OF_RESOURCE, World};

/// Every request of a login to what servers name.
const STEPS: [&str; 4] = [OF_RESOURCE, OF_ISSUER, "/register", "/token"];
const GIGABYTE: usize = 1 << 30;
/// What the socket buffers of both ends may take of an answer beyond what is read.
const MAX_BUFFERED: u64 = 64 << 20;

fn head(length: usize) -> Step {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
    Step::Write(head.into_bytes())
}

/// The error of a login in which the answer of one step is this one.
async fn failed(step: &'static str, answer: impl Fn() -> Vec<Step> + Send + Sync + 'static) -> (LoginError, World) {
    let world = World::new(json!({}), move |asked: &Asked| (asked.path == step).then(&answer)).await;
    let error = match world.begin().await {
        Err(error) => error,
        Ok(pending) => {
            drop(pending);
            world.logged_in().await.unwrap_err()
        }
    };
    assert!(world.stored().is_empty(), "{step}: nothing is stored");
    (error, world)
}

#[tokio::test]
async fn an_answer_that_drips_ends_at_its_time() {
    for step in STEPS {
        let drips = || {
            // From here on time goes as fast as it is waited for.
            tokio::time::pause();
            let bytes = (0..3600).flat_map(|_| [Step::Wait(Duration::from_secs(1)), Step::Write(b" ".to_vec())]);
            std::iter::once(head(3600)).chain(bytes).collect()
        };
        let (error, _) = failed(step, drips).await;
        tokio::time::resume();
        let is_typed =
            matches!(&error, LoginError::Answer { problem, .. } if problem.contains("no answer within 30 s"));
        assert!(is_typed, "{step}: {error:?}");
    }
}

#[tokio::test]
async fn an_answer_of_a_gigabyte_is_not_read() {
    for step in STEPS {
        let (error, world) = failed(step, || vec![head(GIGABYTE), Step::Forever(vec![b' '; 1 << 16])]).await;
        let is_typed = matches!(&error, LoginError::Answer { problem, .. } if problem.contains("more than 256 KiB"));
        assert!(is_typed, "{step}: {error:?}");
        assert!(world.hostile.written() < MAX_BUFFERED, "{step}: {} bytes were taken", world.hostile.written());
    }
}
