use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData,
    model::*,
    service::{NotificationContext, RequestContext, RoleClient, RunningService, ServiceError},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::of;

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn add(&self, word: impl Into<String>) {
        self.0.lock().unwrap().push(word.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    async fn until(&self, word: &str) {
        for _ in 0..200 {
            if self.0.lock().unwrap().iter().any(|one| one == word) {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn hear(&self, notification: &ServerNotification) {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => self.add("tools"),
            ServerNotification::ResourceUpdatedNotification(one) => self.add(format!("updated {}", one.params.uri)),
            _ => {}
        }
    }
}

#[derive(Clone)]
struct Exercise(Heard);

impl ClientHandler for Exercise {
    fn get_info(&self) -> ClientConfig {
        of(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {}, "sampling": {}, "roots": { "listChanged": true } },
            "clientInfo": { "name": "rust", "version": "1.0.0" },
        }))
    }

    async fn create_elicitation(
        &self,
        _params: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.0.add("asked elicitation");
        Ok(of(json!({ "action": "accept", "content": { "name": "Ann" } })))
    }

    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.0.add("asked sampling");
        Ok(of(json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "well met" } })))
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.0.add("asked roots");
        Ok(of(json!({ "roots": [{ "uri": "file:///home/ann", "name": "home" }] })))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        let total = params.total.map(|total| format!("/{total}")).unwrap_or_default();
        self.0.add(format!("progress {}{total}", params.progress));
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let level = serde_json::to_value(params.level).unwrap();
        self.0.add(format!("log {} {}", level.as_str().unwrap(), params.data.as_str().unwrap_or("?")));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.0.add(format!("updated {}", params.uri));
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.0.add("tools");
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
    let heard = Heard::default();
    let connected = connect(&assignment["target"], heard.clone()).await;
    let mut session = match connected {
        Err(failure) => return tell(&heard, "connect", Err(failure)),
        Ok(session) => session,
    };
    let revision = revision_of(&session);
    tell(&heard, "connect", Ok(json!({ "revision": revision })));
    for step in assignment["steps"].as_array().unwrap() {
        let id = step["id"].as_str().unwrap();
        if step["do"] == "close" {
            let closed = session.close_with_timeout(Duration::from_secs(20)).await;
            tell(&heard, id, closed.map(|_| json!({})).map_err(|error| Failure::Other(error.to_string())));
            return;
        }
        let doing = timeout(Duration::from_secs(30), act(&session, &heard, step));
        let came = doing.await.unwrap_or_else(|_| Err(Failure::Other("nothing came in time".into())));
        tell(&heard, id, came);
    }
}

fn revision_of(session: &Session) -> String {
    let info = session.peer_info().expect("a server that answered");
    info.protocol_version.to_string()
}

async fn connect(target: &Value, heard: Heard) -> Result<Session, Failure> {
    let mode = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    let exercise = Exercise(heard);
    let opened = if target["transport"] == "stdio" {
        let words: Vec<String> = of(target["command"].clone());
        let mut command = tokio::process::Command::new(&words[0]);
        command.args(&words[1..]);
        let transport = TokioChildProcess::new(command).map_err(|error| Failure::Other(error.to_string()))?;
        exercise.serve_with_lifecycle(transport, mode).await
    } else {
        let transport = StreamableHttpClientTransport::from_uri(target["url"].as_str().unwrap());
        exercise.serve_with_lifecycle(transport, mode).await
    };
    opened.map_err(|error| Failure::Other(error.to_string()))
}

fn tell(heard: &Heard, step: &str, came: Result<Value, Failure>) {
    let mut line = match came {
        Ok(result) => json!({ "result": result }),
        Err(Failure::Answered(error)) => json!({ "error": { "code": error.code.0, "message": error.message } }),
        Err(Failure::Other(failure)) => json!({ "failed": failure }),
    };
    line["step"] = json!(step);
    line["heard"] = json!(heard.take());
    println!("{line}");
}

async fn act(session: &Session, heard: &Heard, step: &Value) -> Result<Value, Failure> {
    match step["do"].as_str().unwrap() {
        "ping" => {
            session.send_request(ClientRequest::PingRequest(PingRequest::default())).await?;
            Ok(json!({}))
        }
        "list" => list(session, step["what"].as_str().unwrap()).await,
        "call" => call(session, heard, step).await,
        "read" => {
            let params: ReadResourceRequestParams = of(json!({ "uri": step["uri"] }));
            Ok(json!(session.read_resource(params).await?))
        }
        "prompt" => {
            let params: GetPromptRequestParams = of(json!({ "name": step["name"], "arguments": step["arguments"] }));
            Ok(json!(session.get_prompt(params).await?))
        }
        "complete" => {
            let params: CompleteRequestParams = of(json!({
                "ref": { "type": "ref/prompt", "name": step["prompt"] },
                "argument": { "name": step["argument"], "value": step["value"] },
            }));
            Ok(json!(session.complete(params).await?.completion.values))
        }
        "watch" => watch(session, heard, step["uri"].as_str().unwrap()).await,
        "together" => together(session, heard, step["calls"].as_array().unwrap()).await,
        other => Err(Failure::Other(format!("there is no step {other}"))),
    }
}

async fn list(session: &Session, what: &str) -> Result<Value, Failure> {
    let (items, name) = match what {
        "tools" => (json!(session.list_all_tools().await?), "name"),
        "prompts" => (json!(session.list_all_prompts().await?), "name"),
        "resources" => (json!(session.list_all_resources().await?), "uri"),
        _ => (json!(session.list_all_resource_templates().await?), "uriTemplate"),
    };
    Ok(items.as_array().unwrap().iter().map(|item| item[name].clone()).collect())
}

async fn call(session: &Session, heard: &Heard, step: &Value) -> Result<Value, Failure> {
    let mut params: CallToolRequestParams = of(json!({ "name": step["name"] }));
    params.arguments = step["arguments"].as_object().cloned();
    if let Some(level) = step["level"].as_str() {
        if revision_of(session).as_str() < "2026" {
            session.set_level(of(json!({ "level": level }))).await?;
        } else {
            params.meta = Some(of(json!({ "io.modelcontextprotocol/logLevel": level })));
        }
    }
    if step["cancel"] == true {
        // Dropping what waits for an answer gives it up.
        return tokio::select! {
            came = session.call_tool(params) => Ok(json!(came?)),
            () = heard.until("progress 1") => Err(Failure::Other("cancelled".into())),
        };
    }
    let result = session.call_tool(params).await?;
    for word in step["until"].as_array().into_iter().flatten() {
        heard.until(word.as_str().unwrap()).await;
    }
    Ok(json!(result))
}

async fn watch(session: &Session, heard: &Heard, uri: &str) -> Result<Value, Failure> {
    if revision_of(session).as_str() < "2026" {
        session.subscribe(of(json!({ "uri": uri }))).await?;
        return Ok(json!({}));
    }
    let filter: SubscriptionFilter = of(json!({ "toolsListChanged": true, "resourceSubscriptions": [uri] }));
    let mut subscription = session.listen(filter).await?;
    let heard = heard.clone();
    tokio::spawn(async move {
        while let Ok(Some(notification)) = subscription.next().await {
            heard.hear(&notification);
        }
    });
    Ok(json!({}))
}

async fn together(session: &Session, heard: &Heard, calls: &[Value]) -> Result<Value, Failure> {
    let mut results = Vec::new();
    // All are sent before the first answer is awaited, since joined futures run side by side.
    let mut waiting: Vec<_> = calls.iter().map(|one| Box::pin(call(session, heard, one))).collect();
    std::future::poll_fn(|context| {
        results.resize_with(waiting.len(), || None);
        for (at, one) in waiting.iter_mut().enumerate() {
            if results[at].is_none()
                && let std::task::Poll::Ready(came) = one.as_mut().poll(context)
            {
                results[at] = Some(came);
            }
        }
        if results.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    results.into_iter().flatten().collect::<Result<Vec<Value>, Failure>>().map(Value::from)
}
