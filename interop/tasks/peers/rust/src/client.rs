use std::time::Duration;

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData,
    model::*,
    service::{RoleClient, RunningService, ServiceError},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::of;

#[derive(Clone)]
struct Exercise;

impl ClientHandler for Exercise {
    fn get_info(&self) -> ClientConfig {
        of(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } },
            "clientInfo": { "name": "rust", "version": "1.0.0" },
        }))
    }
}

type Session = RunningService<RoleClient, Exercise>;

/// What was answered, or what went wrong: an error of the server, or anything else.
enum Failure {
    Answered(ErrorData),
    Other(String),
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Failure::Answered(error),
            other => Failure::Other(other.to_string()),
        }
    }
}

pub async fn run(assignment: Value) {
    let mut heard = Vec::new();
    let session = match connect(&assignment["target"]).await {
        Err(failure) => return tell(&mut heard, "connect", Err(failure)),
        Ok(session) => session,
    };
    let revision = session.peer_info().expect("a server that answered").protocol_version.to_string();
    tell(&mut heard, "connect", Ok(json!({ "revision": revision })));
    for step in assignment["steps"].as_array().unwrap() {
        let doing = timeout(Duration::from_secs(30), act(&session, &mut heard, step));
        let came = doing.await.unwrap_or_else(|_| Err(Failure::Other("nothing came in time".into())));
        tell(&mut heard, step["id"].as_str().unwrap(), came);
    }
}

async fn connect(target: &Value) -> Result<Session, Failure> {
    let mode = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    let opened = if target["transport"] == "stdio" {
        let words: Vec<String> = of(target["command"].clone());
        let mut command = tokio::process::Command::new(&words[0]);
        command.args(&words[1..]);
        let transport = TokioChildProcess::new(command).map_err(|error| Failure::Other(error.to_string()))?;
        Exercise.serve_with_lifecycle(transport, mode).await
    } else {
        let transport = StreamableHttpClientTransport::from_uri(target["url"].as_str().unwrap());
        Exercise.serve_with_lifecycle(transport, mode).await
    };
    opened.map_err(|error| Failure::Other(error.to_string()))
}

fn tell(heard: &mut Vec<String>, step: &str, came: Result<Value, Failure>) {
    let mut line = match came {
        Ok(result) => json!({ "result": result }),
        Err(Failure::Answered(error)) => json!({ "error": { "code": error.code.0, "message": error.message } }),
        Err(Failure::Other(failure)) => json!({ "failed": failure }),
    };
    line["step"] = json!(step);
    line["heard"] = json!(std::mem::take(heard));
    println!("{line}");
}

async fn act(session: &Session, heard: &mut Vec<String>, step: &Value) -> Result<Value, Failure> {
    match step["do"].as_str().unwrap() {
        "call" => match call(session, step).await? {
            CallToolResponse::Complete(result) => Ok(json!(result)),
            other => Err(Failure::Other(format!("it is no plain result: {other:?}"))),
        },
        "task" => {
            let task = started(session, heard, step).await?;
            let ended = ended(session, heard, &task).await?;
            if ended["status"] == "failed" {
                return Err(Failure::Answered(of(ended["error"].clone())));
            }
            Ok(ended["result"].clone())
        }
        "cancel" => {
            let task = started(session, heard, step).await?;
            session.cancel_task(CancelTaskParams::new(&task)).await?;
            Ok(json!({ "status": ended(session, heard, &task).await?["status"] }))
        }
        "cancel-ended" => {
            let task = started(session, heard, step).await?;
            ended(session, heard, &task).await?;
            session.cancel_task(CancelTaskParams::new(&task)).await?;
            Ok(json!({}))
        }
        "unknown" => Ok(json!(session.get_task(GetTaskParams::new("never-was")).await?)),
        other => Err(Failure::Other(format!("there is no step {other}"))),
    }
}

async fn call(session: &Session, step: &Value) -> Result<CallToolResponse, Failure> {
    let mut params: CallToolRequestParams = of(json!({ "name": step["name"] }));
    params.arguments = step["arguments"].as_object().cloned();
    Ok(session.call_tool_once(params).await?)
}

/// Calls a tool, and gives the id of the task that it became.
async fn started(session: &Session, heard: &mut Vec<String>, step: &Value) -> Result<String, Failure> {
    let CallToolResponse::Task(made) = call(session, step).await? else {
        return Err(Failure::Other("it is no task".into()));
    };
    let ttl = made.task.ttl_ms.map_or("null".into(), |ms| ms.to_string());
    heard.extend(["created".into(), format!("ttl {ttl}")]);
    Ok(made.task.task_id)
}

/// Asks how a task stands until it has ended, and answers what it wants.
async fn ended(session: &Session, heard: &mut Vec<String>, task: &str) -> Result<Value, Failure> {
    loop {
        let state = json!(session.get_task(GetTaskParams::new(task)).await?);
        let status = state["status"].as_str().unwrap();
        heard.push(format!("status {status}"));
        match status {
            "working" => {}
            "input_required" => {
                let wanted = state["inputRequests"].as_object().unwrap();
                let given = wanted.iter().map(|(key, request)| {
                    heard.push(format!("asked {}", request["method"].as_str().unwrap().split('/').next().unwrap()));
                    (key.clone(), json!({ "action": "accept", "content": { "name": "Ann" } }))
                });
                session.update_task(UpdateTaskParams::new(task, given.collect())).await?;
            }
            _ => return Ok(state),
        }
        sleep(Duration::from_millis(state["pollIntervalMs"].as_u64().unwrap_or(1000))).await;
    }
}
