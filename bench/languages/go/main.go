// The official SDK of Go: `peer stateless` serves 2026-07-28, `peer sessions` the revisions before it.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type numbers struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type measured struct {
	Text string `json:"text"`
}

type nothing struct{}

func tool[In any](server *mcp.Server, name, description string, run func(In) string) {
	mcp.AddTool(server, &mcp.Tool{Name: name, Description: description}, func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: run(in)}}}, nil, nil
	})
}

func newServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	tool(server, "add", "Adds two numbers.", func(in numbers) string {
		return strconv.FormatFloat(in.A+in.B, 'f', -1, 64)
	})
	tool(server, "large", "Gives a large text.", func(nothing) string { return "" })
	tool(server, "length", "Measures a text.", func(in measured) string { return strconv.Itoa(len(in.Text)) })
	return server
}

// cpu returns the CPU time of all threads so far, in microseconds, read as Node reads its own.
func cpu() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano()/1000 + usage.Stime.Nano()/1000
}

func main() {
	runtime.GOMAXPROCS(1)
	server := newServer()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		// Without it the handler refuses 2026-07-28.
		Stateless:    os.Args[1] == "stateless",
		JSONResponse: true,
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() { panic(http.Serve(listener, handler)) }()
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	// Each line asks for the CPU time; without a line to come, whoever started it is gone.
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(cpu())
	}
}
