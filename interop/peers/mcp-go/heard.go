package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

type Heard struct {
	mutex sync.Mutex
	words []string
}

var heard = &Heard{}

func (h *Heard) add(word string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.words = append(h.words, word)
}

func (h *Heard) has(word string) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, one := range h.words {
		if one == word {
			return true
		}
	}
	return false
}

func (h *Heard) until(word string) {
	for range 200 {
		if h.has(word) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (h *Heard) take() []string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	words := append([]string{}, h.words...)
	h.words = nil
	return words
}

// hear takes a notification of any kind.
func (h *Heard) hear(notification mcp.JSONRPCNotification) {
	fields := notification.Params.AdditionalFields
	switch notification.Method {
	case "notifications/progress":
		word := fmt.Sprintf("progress %v", fields["progress"])
		if total, ok := fields["total"]; ok {
			word += fmt.Sprintf("/%v", total)
		}
		h.add(word)
	case "notifications/message":
		h.add(fmt.Sprintf("log %v %v", fields["level"], fields["data"]))
	case "notifications/resources/updated":
		h.add(fmt.Sprintf("updated %v", fields["uri"]))
	case "notifications/tools/list_changed":
		h.add("tools")
	case "notifications/subscriptions/acknowledged":
		h.add("acknowledged")
	}
}

// Answers is what the client says when it is asked.
type Answers struct{}

func (Answers) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	heard.add("asked elicitation")
	response := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ann"}}
	return &mcp.ElicitationResult{ElicitationResponse: response}, nil
}

func (Answers) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	heard.add("asked sampling")
	message := mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("well met")}
	return &mcp.CreateMessageResult{SamplingMessage: message, Model: "m"}, nil
}

func (Answers) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	heard.add("asked roots")
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///home/ann", Name: "home"}}}, nil
}
