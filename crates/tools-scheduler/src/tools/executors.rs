//! Each tool as an executor.

use tools_core::{DynExecutor, Typed};

use super::{
    cancel_task::CancelTask, schedule_deferred::ScheduleDeferred, schedule_periodic::SchedulePeriodic,
    shared::SchedulerTools,
};

impl SchedulerTools {
    /// Each as an executor.
    pub fn into_executors(self) -> Vec<DynExecutor> {
        vec![
            DynExecutor::new(Typed::new(SchedulePeriodic(self.clone()))),
            DynExecutor::new(Typed::new(ScheduleDeferred(self.clone()))),
            DynExecutor::new(Typed::new(CancelTask(self))),
        ]
    }
}
