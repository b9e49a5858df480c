// github.com/mark3labs/mcp-go with tasks: `peer client` does what the plan on its standard input says, `peer serve WAY` serves.
package main

import (
	"bufio"
	"encoding/json"
	"os"
)

func main() {
	if os.Args[1] == "serve" {
		serve(os.Args[2])
		return
	}
	var assignment Assignment
	line, _ := bufio.NewReader(os.Stdin).ReadBytes('\n')
	if err := json.Unmarshal(line, &assignment); err != nil {
		panic(err)
	}
	run(assignment)
}
