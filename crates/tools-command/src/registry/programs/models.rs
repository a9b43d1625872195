//! Hubs of models and data sets, services that run them, and agents: what is handed to them, and
//! what they run.

use crate::registry::{
    ArgumentCondition::{self, First, FirstIsNot, Lacks, Operand},
    At, Consequence, Does, Expect, Program, Syntax, always, when,
};

const ANY: Syntax = Syntax { flags: "-h|--help -v|--version -V -*", ..Syntax::EXACT };
const ASKS: ArgumentCondition = Lacks("-h --help -v --version -V");
const PUBLISHES: Does = Does::Is(Consequence::Publishes);
const REMOVES: Does = Does::Says(Consequence::DeletesForOthers, "removes what others may use");
const LOGIN: Does = Does::Is(Consequence::ChangesIdentity);
const RUNS: &str = "a service that runs code of the workspace elsewhere";
const AGENT: &str = "another agent, which runs what its model says";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &[
            "huggingface-cli", "hf", "kaggle", "wandb", "dvc", "comet", "neptune", "clearml-data", "roboflow",
            "replicate", "cog",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -V|--version --dry-run -*",
            valued: "--repo-type --revision --token --local-dir --cache-dir -p|--path -m|--message -c|--competition -d|--dataset -k|--kernel -f|--file \
                     -r|--remote -j|--jobs -e|--entity --project --cd -t",
            ..Syntax::EXACT
        },
        rules: &[
            when(
                &[
                    Operand(
                        "upload upload-large-folder push submit publish sync create version tag job launch agent share import",
                    ),
                    Lacks("-h --help"),
                ],
                PUBLISHES,
            ),
            when(&[Operand("delete rm remove delete-cache prune gc destroy cancel stop"), Lacks("-h --help")], REMOVES),
            when(&[Operand("login logout auth verify")], LOGIN),
            when(&[First("run jobs endpoints"), ASKS], Does::Hides(RUNS)),
            always(Does::NeedsNetwork),
            always(Does::Writes(At::Value("--local-dir --path"))),
        ],
        examples: &[
            ("hf upload o/x .", Expect::Asks("publishes")),
            ("huggingface-cli upload o/x model.bin", Expect::Asks("publishes")),
            ("hf repo delete o/x", Expect::Asks("others may use")),
            ("huggingface-cli login", Expect::Asks("accounts or credentials")),
            ("kaggle kernels push -p x", Expect::Asks("publishes")),
            ("dvc push", Expect::Asks("publishes")),
            ("dvc --cd x push", Expect::Asks("publishes")),
            ("wandb sync x", Expect::Asks("publishes")),
            ("dvc gc -w", Expect::Asks("others may use")),
            ("hf download o/x", Expect::Plain),
            ("dvc pull", Expect::Plain),
            ("dvc repro", Expect::Plain),
            ("kaggle competitions list", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "modal", "sky", "runpodctl", "mlflow", "bentoml", "beam", "lightning", "vastai", "cerebrium", "ray",
            "metaflow", "zenml", "prefect", "dagster", "airflow",
        ],
        is_family: true,
        syntax: ANY,
        rules: &[
            when(
                &[
                    Operand("deploy push publish launch up create submit apply register build-and-push containerize"),
                    ASKS,
                ],
                PUBLISHES,
            ),
            when(
                &[Operand("delete destroy rm remove down stop terminate kill cancel purge clear reset"), ASKS],
                REMOVES,
            ),
            when(&[Operand("login logout token setup auth secret secrets connections users"), ASKS], LOGIN),
            when(
                &[First("run exec shell container serve job start trigger backfill dags tasks flow"), ASKS],
                Does::Hides(RUNS),
            ),
            when(&[First("models deployments deployment"), ASKS], Does::Hides(RUNS)),
        ],
        examples: &[
            ("modal deploy x.py", Expect::Asks("publishes")),
            ("modal run x.py", Expect::Opaque("elsewhere")),
            ("sky launch x", Expect::Asks("publishes")),
            ("sky down x", Expect::Asks("others may use")),
            ("mlflow models serve -m x", Expect::Opaque("elsewhere")),
            ("runpodctl create pod", Expect::Asks("publishes")),
            ("modal app list", Expect::Plain),
            ("mlflow ui", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["ollama", "lms", "llamafile", "llama-server", "llama-cli", "vllm"],
        is_family: true,
        syntax: ANY,
        rules: &[
            when(&[First("push signin signout")], PUBLISHES),
            when(&[First("rm unload")], Does::Says(Consequence::Destroys, "removes a model")),
            when(&[First("pull get run serve launch")], Does::NeedsNetwork),
        ],
        examples: &[
            ("ollama push o/x", Expect::Asks("publishes")),
            ("ollama rm x", Expect::Asks("removes a model")),
            ("ollama run x hello", Expect::Plain),
            ("ollama list", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "aider", "amp", "auggie", "claude", "cline", "codex", "copilot-cli", "crush", "cursor-agent", "devin",
            "droid", "gemini", "goose-agent", "kilocode", "kiro-cli", "open-interpreter", "opencode", "openhands",
            "plandex", "qwen", "qodo", "sgpt", "swe-agent", "vibe",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -v|--version -V -*",
            valued: "-m|--model -c|--config -C|--cd -p|--profile --sandbox",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Operand("login logout setup-token")], LOGIN),
            when(
                &[
                    ASKS,
                    FirstIsNot(
                        "login logout auth setup-token doctor models session sessions agent stats export debug features completion help",
                    ),
                ],
                Does::Hides(AGENT),
            ),
        ],
        examples: &[
            ("claude -p 'tidy up'", Expect::Opaque("another agent")),
            ("codex exec x", Expect::Opaque("another agent")),
            ("codex sandbox linux ls", Expect::Opaque("another agent")),
            ("gemini --model x -p y", Expect::Opaque("another agent")),
            ("aider --yes x.py", Expect::Opaque("another agent")),
            ("opencode auth login", Expect::Asks("accounts or credentials")),
            ("claude --version", Expect::Plain),
            ("claude doctor", Expect::Plain),
        ],
        ..Program::NEW
    },
];
