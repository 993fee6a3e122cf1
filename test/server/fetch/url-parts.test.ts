import { describe, expect, test } from "vitest";
import { urlParts } from "../../../src/server/fetch/fetch-request.js";

describe("the parts of a request's URL are those that a parser finds", () => {
  test.each([
    "http://127.0.0.1:8080/",
    "https://agent.example/agent/tasks/1?historyLength=2&a=b/c?d#e?f",
    "https://agent.example/?a=http://other.example/x",
    "http://[::1]:80/a%2Fb/../c?",
    "http://agent.example#part",
    "http://agent.example?a=b",
    "http://agent.example/a#b?c",
  ])("%s", (text) => {
    const url = new URL(text);
    expect(urlParts(url.href)).toEqual({
      protocol: url.protocol.slice(0, -1),
      host: url.host,
      path: url.pathname,
      query: url.search.slice(1),
    });
  });

  test("a URL without a path, as some frameworks make it, has the path of its root", () => {
    expect(urlParts("http://agent.example?a=b/c")).toEqual({
      protocol: "http",
      host: "agent.example",
      path: "/",
      query: "a=b/c",
    });
  });
});
