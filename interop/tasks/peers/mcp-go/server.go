package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type Run func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error)

func says(words string) Run {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(words), nil
	}
}

func newServer() *server.MCPServer {
	host := server.NewMCPServer("mcp-go", "1.0.0",
		server.WithToolCapabilities(false),
		server.WithElicitation(),
		server.WithTaskCapabilities(true, true, true),
	)
	tool := func(name string, run Run, options ...mcp.ToolOption) {
		options = append([]mcp.ToolOption{mcp.WithTaskSupport(mcp.TaskSupportOptional)}, options...)
		host.AddTool(mcp.NewTool(name, options...), server.ToolHandlerFunc(run))
	}
	tool("quick", says("quick"))
	tool("must", says("done"), mcp.WithTaskSupport(mcp.TaskSupportRequired))
	tool("slow", func(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		time.Sleep(time.Duration(request.GetInt("ms", 0)) * time.Millisecond)
		return mcp.NewToolResultText("brewed"), nil
	}, mcp.WithNumber("ms", mcp.Required()))
	tool("fail", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("the kettle is empty"), nil
	})
	tool("break", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("%w: no such leaf", mcp.ErrInvalidParams)
	})
	tool("ask", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		schema := map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}, "required": []string{"name"}}
		request := mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: "Your name?", RequestedSchema: schema}}
		answer, err := host.RequestElicitation(ctx, request)
		if err != nil {
			return nil, err
		}
		given, ok := answer.Content.(map[string]any)
		if !ok {
			return nil, errors.New("no answer")
		}
		return mcp.NewToolResultText(fmt.Sprint(given["name"])), nil
	})
	addEndless(host, tool)
	return host
}

func addEndless(host *server.MCPServer, tool func(string, Run, ...mcp.ToolOption)) {
	var givenUp atomic.Int32
	tool("endless", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		givenUp.Add(1)
		return nil, ctx.Err()
	})
	host.AddTool(mcp.NewTool("given-up"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for turn := 0; turn < 50 && givenUp.Load() == 0; turn++ {
			time.Sleep(100 * time.Millisecond)
		}
		return mcp.NewToolResultText(fmt.Sprint(givenUp.Load())), nil
	})
}

func serve(way string) {
	host := newServer()
	if way == "stdio" {
		_ = server.ServeStdio(host)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	_ = http.Serve(listener, server.NewStreamableHTTPServer(host))
}
