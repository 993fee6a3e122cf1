import { expect, test } from "vitest";
import { challengeOf } from "../../src/auth/challenge.js";

const http = (scheme: string) => ({ scheme: { httpAuthSecurityScheme: { scheme } } });

test("AUTHN-03: a challenge names the HTTP scheme of the card, Bearer in its usual spelling", () => {
  expect(challengeOf([http("bearer")], "agent")).toBe('Bearer realm="agent"');
  expect(challengeOf([http("Token")], "agent")).toBe('Token realm="agent"');
});

test("a scheme that is named like a member of every object is a name like others", () => {
  expect(challengeOf([http("constructor")], "agent")).toBe('constructor realm="agent"');
});
