//! Conversations that are saved in a folder, and go on.

use std::sync::Arc;

use tools_agent::Agent;
use tools_agent::sessions::{SavedSession, Sessions, SessionsError};
use tools_core::{CallContext, SessionId};

use crate::doubles::{Host, Model, text, tools};

/// An agent whose model says these texts.
fn builder(says: &[&str]) -> tools_agent::AgentBuilder {
    let model = Model::saying(says.iter().map(|said| text(said)).collect::<Vec<_>>());
    Agent::builder(Arc::new(model), Arc::new(Host::new(tools())))
}

#[tokio::test]
async fn a_saved_conversation_goes_on_with_all_that_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::in_folder(folder.path().join("sessions"));
    let cx = CallContext::new("/").in_session(SessionId::generate());
    let mut agent = builder(&["first"]).build();
    agent.run("one").await;
    let mut held = sessions.hold(cx.session()).await.unwrap();
    held.keep(&SavedSession::of(&cx, &agent, &SavedSession::title_of("one\ntwo"))).await.unwrap();

    let listed = sessions.list().await.unwrap();
    assert_eq!((listed.len(), listed[0].title.as_str(), listed[0].turns), (1, "one", 1));
    let kept = sessions.latest(cx.workdir()).await.unwrap().unwrap();
    assert_eq!(kept.session, *cx.session());
    let mut resumed = kept.resumed(builder(&["second"])).unwrap().build();
    resumed.run("more").await;
    assert_eq!((resumed.turns(), resumed.history().messages().len()), (2, 4));

    held.release().await;
    assert!(sessions.remove(cx.session()).await.unwrap());
    assert!(sessions.find(cx.session()).await.unwrap().is_none());
}

#[tokio::test]
async fn a_conversation_has_one_writer_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::in_folder(folder.path().to_owned());
    let session = SessionId::generate();
    let held = sessions.hold(&session).await.unwrap();
    assert!(matches!(sessions.hold(&session).await, Err(SessionsError::InUse(_))));
    assert!(matches!(sessions.remove(&session).await, Err(SessionsError::InUse(_))));
    drop(held);
    assert!(sessions.hold(&session).await.is_ok());
}
