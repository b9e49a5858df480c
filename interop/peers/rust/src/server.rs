use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, ServerHandler, ServiceExt,
    model::*,
    service::{RequestContext, RoleServer, SubscriptionContext},
    transport::{
        stdio,
        streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService},
    },
};
use serde_json::{Value, json};
use tokio::{
    sync::{Mutex, broadcast},
    time::sleep,
};

use crate::of;

#[derive(Clone)]
enum Change {
    Tools,
    Resource(String),
}

/// What all connections share.
struct Shared {
    given_up: Mutex<u32>,
    grown: Mutex<u32>,
    changes: broadcast::Sender<Change>,
}

#[derive(Clone)]
struct Exercise(Arc<Shared>);

type Context = RequestContext<RoleServer>;

fn is_stateless(context: &Context) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= "2026")
}

fn text(words: impl Into<String>) -> CallToolResponse {
    CallToolResponse::Complete(of(json!({ "content": [{ "type": "text", "text": words.into() }] })))
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn tool(name: &str, properties: Value) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object", "properties": properties } })
}

impl Exercise {
    async fn tools(&self) -> Vec<Value> {
        let mut tools: Vec<Value> =
            ["fail", "count", "speak", "wait", "given-up", "ask", "think", "look", "touch", "grow"]
                .into_iter()
                .map(|name| tool(name, json!({})))
                .collect();
        let mut add = tool("add", json!({ "a": { "type": "number" }, "b": { "type": "number" } }));
        add["outputSchema"] = json!({ "type": "object", "properties": { "sum": { "type": "number" } } });
        tools.push(add);
        tools.push(tool("echo", json!({ "text": { "type": "string" } })));
        tools.push(tool("large", json!({ "length": { "type": "integer" } })));
        tools.push(tool("slow", json!({ "text": { "type": "string" }, "ms": { "type": "integer" } })));
        for at in 1..=*self.0.grown.lock().await {
            tools.push(tool(&format!("grown-{at}"), json!({})));
        }
        tools
    }

    async fn progress(&self, context: &Context, done: f64, total: Option<f64>) {
        if let Some(token) = context.meta.get_progress_token() {
            let mut params = ProgressNotificationParam::new(token, done);
            params.total = total;
            let _ = context.peer.notify_progress(params).await;
        }
    }

    async fn wait(&self, context: &Context) -> CallToolResponse {
        self.progress(context, 1.0, None).await;
        tokio::select! {
            () = context.ct.cancelled() => {
                *self.0.given_up.lock().await += 1;
                text("given up")
            }
            () = sleep(Duration::from_secs(60)) => text("never given up"),
        }
    }

    async fn how_often_given_up(&self) -> CallToolResponse {
        for _ in 0..50 {
            if *self.0.given_up.lock().await > 0 {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        text(std::mem::take(&mut *self.0.given_up.lock().await).to_string())
    }

    /// What the client answered to one question, in the way of its revision.
    async fn ask(&self, context: &Context, params: &CallToolRequestParams) -> Result<Value, CallToolResponse> {
        let question: InputRequest = of(match params.name.as_ref() {
            "ask" => json!({ "method": "elicitation/create", "params": {
                "mode": "form",
                "message": "Your name?",
                "requestedSchema": {
                    "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"],
                },
            } }),
            "think" => json!({ "method": "sampling/createMessage", "params": {
                "messages": [{ "role": "user", "content": { "type": "text", "text": "Greet me." } }],
                "maxTokens": 20,
            } }),
            _ => json!({ "method": "roots/list", "params": {} }),
        });
        if is_stateless(context) {
            let answers = params.input_responses.as_ref();
            return answers.and_then(|all| all.get("answer")).cloned().ok_or_else(|| {
                let questions = [("answer".to_string(), question)].into();
                CallToolResponse::InputRequired(InputRequiredResult::new(Some(questions), Some("asked".into())))
            });
        }
        let peer = &context.peer;
        let answer = match question {
            InputRequest::Elicitation(one) => peer.create_elicitation(one.params).await.map(|answer| json!(answer)),
            InputRequest::CreateMessage(one) => peer.create_message(one.params).await.map(|answer| json!(answer)),
            _ => peer.list_roots().await.map(|answer| json!(answer)),
        };
        answer.map_err(|error| {
            let content = json!([{ "type": "text", "text": error.to_string() }]);
            CallToolResponse::Complete(of(json!({ "content": content, "isError": true })))
        })
    }

    async fn changed(&self, context: &Context, change: Change) -> Result<(), ErrorData> {
        let _ = self.0.changes.send(change.clone());
        if is_stateless(context) {
            return Ok(());
        }
        match change {
            Change::Tools => context.peer.notify_tool_list_changed().await.map_err(failed),
            Change::Resource(uri) => {
                context.peer.notify_resource_updated(of(json!({ "uri": uri }))).await.map_err(failed)
            }
        }
    }
}

impl ServerHandler for Exercise {
    fn get_info(&self) -> ServerConfig {
        of(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {
                "tools": { "listChanged": true }, "prompts": {}, "completions": {}, "logging": {},
                "resources": { "subscribe": true },
            },
            "serverInfo": { "name": "rust", "version": "1.0.0" },
        }))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(of(json!({ "tools": self.tools().await })))
    }

    async fn call_tool(&self, params: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        let arguments = json!(params.arguments);
        let said = arguments["text"].as_str().unwrap_or_default().to_string();
        Ok(match params.name.as_ref() {
            "add" => {
                let sum = json!({ "sum": arguments["a"].as_f64().unwrap() + arguments["b"].as_f64().unwrap() });
                CallToolResponse::Complete(CallToolResult::structured(sum))
            }
            "fail" => CallToolResponse::Complete(CallToolResult::error(vec![ContentBlock::text("the kettle is empty")])),
            "echo" => text(said),
            "large" => text("x".repeat(arguments["length"].as_u64().unwrap() as usize)),
            "slow" => {
                sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap())).await;
                text(said)
            }
            "count" => {
                for step in [1.0, 2.0, 3.0] {
                    self.progress(&context, step, Some(3.0)).await;
                }
                text("counted")
            }
            "speak" => {
                let message = of(json!({ "level": "info", "data": "hello" }));
                context.peer.notify_logging_message(message).await.map_err(failed)?;
                text("spoken")
            }
            "wait" => self.wait(&context).await,
            "given-up" => self.how_often_given_up().await,
            "ask" | "think" | "look" => match self.ask(&context, &params).await {
                Err(response) => response,
                Ok(answer) => text(
                    [&answer["content"]["name"], &answer["content"]["text"], &answer["roots"][0]["uri"]]
                        .into_iter()
                        .find_map(Value::as_str)
                        .unwrap_or_default(),
                ),
            },
            "touch" => {
                self.changed(&context, Change::Resource("memo://one".into())).await?;
                text("touched")
            }
            "grow" => {
                *self.0.grown.lock().await += 1;
                self.changed(&context, Change::Tools).await?;
                text("grown")
            }
            other => return Err(ErrorData::invalid_params(format!("unknown tool {other}"), None)),
        })
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let arguments = json!([{ "name": "who", "required": true }]);
        Ok(of(json!({ "prompts": [{ "name": "welcome", "arguments": arguments }] })))
    }

    async fn get_prompt(&self, params: GetPromptRequestParams, _context: Context) -> Result<GetPromptResponse, ErrorData> {
        let arguments = json!(params.arguments);
        let words = format!("Please welcome {}.", arguments["who"].as_str().unwrap_or_default());
        let message = json!({ "role": "user", "content": { "type": "text", "text": words } });
        Ok(GetPromptResponse::Complete(of(json!({ "messages": [message] }))))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(of(json!({ "resources": [{ "uri": "memo://one", "name": "one", "mimeType": "text/plain" }] })))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(of(json!({ "resourceTemplates": [{ "uriTemplate": "user://{id}", "name": "user" }] })))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let words = match params.uri.strip_prefix("user://") {
            Some(id) => format!("user {id}"),
            None => "remember the milk".into(),
        };
        Ok(ReadResourceResponse::Complete(of(json!({ "contents": [{ "uri": params.uri, "text": words }] }))))
    }

    async fn complete(&self, params: CompleteRequestParams, _context: Context) -> Result<CompleteResult, ErrorData> {
        let typed = json!(params)["argument"]["value"].as_str().unwrap_or_default().to_string();
        let values: Vec<&str> = ["Ada", "Adele", "Bob"].into_iter().filter(|name| name.starts_with(&typed)).collect();
        Ok(of(json!({ "completion": { "values": values } })))
    }

    async fn set_level(&self, _params: SetLevelRequestParams, _context: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _params: SubscribeRequestParams, _context: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.0.changes.subscribe();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => {
                    let sink = context.sink();
                    // What was not asked for is refused by the sink.
                    let _ = match change {
                        Ok(Change::Tools) => sink.notify_tool_list_changed().await,
                        Ok(Change::Resource(uri)) => sink.notify_resource_updated(uri).await,
                        Err(_) => return Ok(()),
                    };
                }
            }
        }
    }
}

pub async fn serve(way: &str) {
    let shared = Shared { given_up: Mutex::new(0), grown: Mutex::new(0), changes: broadcast::channel(64).0 };
    let exercise = Exercise(Arc::new(shared));
    if way == "stdio" {
        let running = exercise.serve(stdio()).await.expect("a client");
        let _ = running.waiting().await;
        return;
    }
    let config = StreamableHttpServerConfig::default();
    let sessions: Arc<rmcp::transport::streamable_http_server::session::local::LocalSessionManager> = Default::default();
    let service = StreamableHttpService::new(move || Ok(exercise.clone()), sessions, config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("http://{}/mcp", listener.local_addr().expect("an address"));
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await.expect("a server");
}
