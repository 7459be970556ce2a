// Package server answers requests.
package server

import (
	"fmt"
	"net/http"
)

const page = `
<html>
func notAFunction() {
`

// Server has a name and a count.
type Server struct {
	Name  string
	count int
}

// ServeHTTP says hello.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.count++
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	fmt.Fprintf(w, "hello from %s, for the %dth time", s.Name, s.count)
}
func helper(quote rune) bool { return quote == '"' || quote == '`' }

func main() {
	s := &Server{Name: "one"}
	http.ListenAndServe(":8080", s)
}
