//! Runs the acts of the demo in order.

use std::path::Path;

use super::{acts, agent, stage::Stage};
use crate::{args::CommonArgs, exit::Exit};

/// Runs the session and prints what happened.
pub(crate) async fn run(common: &CommonArgs, dir: &Path) -> Result<Exit, String> {
    let mut stage = Stage::set(common, dir)?;
    acts::machine(&mut stage);
    acts::looking_around(&mut stage).await?;
    acts::commands(&mut stage).await?;
    acts::long_output(&mut stage).await?;
    acts::edits(&mut stage).await?;
    acts::undo(&mut stage).await?;
    acts::mistakes(&mut stage).await?;
    acts::nothing_survives(&mut stage).await?;
    acts::kernel_holds(&mut stage).await?;
    agent::repairs(&mut stage).await?;
    acts::record(&mut stage)?;
    Ok(stage.close())
}
