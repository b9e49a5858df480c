package peer;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

final class PeerClient {

  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private McpSyncClient client;

  @SuppressWarnings("unchecked")
  void run(Map<String, Object> assignment) throws Exception {
    client = clientOf(transportTo((Map<String, Object>) assignment.get("target")));
    if (!tell("connect", () -> Map.of("revision", client.initialize().protocolVersion()))) return;
    for (var step : (List<Map<String, Object>>) assignment.get("steps"))
      tell((String) step.get("id"), () -> act(step));
  }

  @SuppressWarnings("unchecked")
  private McpClientTransport transportTo(Map<String, Object> target) {
    if (target.get("transport").equals("stdio")) {
      var words = (List<String>) target.get("command");
      var server = ServerParameters.builder(words.get(0)).args(words.subList(1, words.size())).build();
      return new StdioClientTransport(server, Main.json);
    }
    var url = URI.create((String) target.get("url"));
    var base = "http://" + url.getAuthority();
    return target.get("transport").equals("sse")
        ? HttpClientSseClientTransport.builder(base).sseEndpoint(url.getPath()).build()
        : HttpClientStreamableHttpTransport.builder(base).endpoint(url.getPath()).build();
  }

  private McpSyncClient clientOf(McpClientTransport transport) {
    return McpClient.sync(transport)
        .clientInfo(new McpSchema.Implementation("java", "1.0.0"))
        .requestTimeout(Duration.ofSeconds(30))
        .initializationTimeout(Duration.ofSeconds(30))
        .capabilities(McpSchema.ClientCapabilities.builder().roots(true).sampling().elicitation().build())
        .roots(new McpSchema.Root("file:///home/ann", "home"))
        .sampling(
            request -> {
              heard.add("asked sampling");
              return McpSchema.CreateMessageResult.builder(McpSchema.Role.ASSISTANT, "well met", "m").build();
            })
        .elicitation(
            request -> {
              heard.add("asked elicitation");
              return new McpSchema.ElicitResult(McpSchema.ElicitResult.Action.ACCEPT, Map.of("name", "Ann"));
            })
        .toolsChangeConsumer(tools -> heard.add("tools"))
        .resourcesUpdateConsumer(contents -> contents.forEach(one -> heard.add("updated " + one.uri())))
        .loggingConsumer(message -> heard.add("log " + message.level().name().toLowerCase() + " " + message.data()))
        .progressConsumer(
            progress -> {
              var total = progress.total() == null ? "" : "/" + plain(progress.total());
              heard.add("progress " + plain(progress.progress()) + total);
            })
        .build();
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
  }

  private boolean tell(String step, Callable<Object> doing) throws Exception {
    var line = new HashMap<String, Object>();
    line.put("step", step);
    try {
      line.put("result", doing.call());
    } catch (Exception error) {
      if (McpError.findRootCause(error) instanceof McpError answered && answered.getJsonRpcError() != null) {
        var wire = answered.getJsonRpcError();
        line.put("error", Map.of("code", wire.code(), "message", wire.message()));
      } else {
        line.put("failed", String.valueOf(McpError.aggregateExceptionMessages(error)));
      }
    }
    line.put("heard", List.copyOf(heard));
    heard.clear();
    output.println(Main.json.writeValueAsString(line));
    return line.containsKey("result");
  }

  @SuppressWarnings("unchecked")
  private Object act(Map<String, Object> step) throws Exception {
    var name = (String) step.get("name");
    switch ((String) step.get("do")) {
      case "ping":
        client.ping();
        return Map.of();
      case "list":
        return list((String) step.get("what"));
      case "call":
        return call(step);
      case "read":
        return client.readResource(new McpSchema.ReadResourceRequest((String) step.get("uri")));
      case "prompt":
        var given = (Map<String, Object>) step.get("arguments");
        return client.getPrompt(new McpSchema.GetPromptRequest(name, given));
      case "complete":
        var argument =
            new McpSchema.CompleteRequest.CompleteArgument((String) step.get("argument"), (String) step.get("value"));
        var prompt = new McpSchema.PromptReference((String) step.get("prompt"));
        return client.completeCompletion(new McpSchema.CompleteRequest(prompt, argument)).completion().values();
      case "watch":
        client.subscribeResource(new McpSchema.SubscribeRequest((String) step.get("uri")));
        return Map.of();
      case "together":
        return together((List<Map<String, Object>>) step.get("calls"));
      default:
        if (!client.closeGracefully()) throw new IllegalStateException("it did not close in order");
        return Map.of();
    }
  }

  private List<String> list(String what) {
    return switch (what) {
      case "tools" -> client.listTools().tools().stream().map(one -> one.name()).toList();
      case "prompts" -> client.listPrompts().prompts().stream().map(one -> one.name()).toList();
      case "resources" -> client.listResources().resources().stream().map(one -> one.uri()).toList();
      default ->
          client.listResourceTemplates().resourceTemplates().stream().map(one -> one.uriTemplate()).toList();
    };
  }

  @SuppressWarnings("unchecked")
  private McpSchema.CallToolResult call(Map<String, Object> step) throws Exception {
    if (step.get("level") instanceof String level)
      client.setLoggingLevel(McpSchema.LoggingLevel.valueOf(level.toUpperCase()));
    var request = McpSchema.CallToolRequest.builder((String) step.get("name"));
    request.arguments((Map<String, Object>) step.getOrDefault("arguments", Map.of()));
    if (step.containsKey("progress")) request.progressToken("progress of " + step.get("id"));
    var result = client.callTool(request.build());
    for (var word : (List<String>) step.getOrDefault("until", List.of()))
      for (int turn = 0; turn < 200 && !heard.contains(word); turn++) Thread.sleep(50);
    return result;
  }

  private List<McpSchema.CallToolResult> together(List<Map<String, Object>> calls) throws Exception {
    var threads = Executors.newFixedThreadPool(calls.size());
    try {
      var waiting = new ArrayList<Future<McpSchema.CallToolResult>>();
      for (var one : calls) waiting.add(threads.submit(() -> call(one)));
      var results = new ArrayList<McpSchema.CallToolResult>();
      for (var one : waiting) results.add(one.get());
      return results;
    } finally {
      threads.shutdown();
    }
  }
}
