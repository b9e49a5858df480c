package peer;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The official SDK of Java: {@code client} does what the plan on its standard input says, {@code serve WAY} serves. */
public final class Main {

  static final McpJsonMapper json = McpJsonDefaults.getMapper();

  public static void main(String[] words) throws Exception {
    if (words[0].equals("serve")) {
      new PeerServer().serve(words[1]);
      return;
    }
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    new PeerClient().run(json.readValue(input.readLine(), Map.class));
    // Threads of a connection that did not close in order are not waited for.
    System.exit(0);
  }
}
