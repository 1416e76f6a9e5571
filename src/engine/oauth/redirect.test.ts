import { describe, expect, test } from "vitest";
import { isAllowedRedirect, matchesRedirect, placeOf } from "./redirect.ts";

describe("a redirect address", () => {
  test.each([
    "https://app.example.com/callback",
    "https://app.example.com/callback?from=troupe",
    "http://localhost:3000/callback",
    "http://127.0.0.1/callback",
    "http://[::1]:9000/",
    "com.example.editor://oauth",
    "com.example.editor:/oauth",
    "cursor://anysphere.cursor-mcp/oauth/callback",
  ])("may be %s", (uri) => expect(isAllowedRedirect(uri)).toBe(true));

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://app.example.com/x",
    "about:blank",
    "myapp://callback",
    "ms-settings:privacy",
    "http://app.example.com/callback",
    "http://localhost.evil.example/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.2/callback",
    "https://app.example.com/callback#fragment",
    "https://app.example.com/callback#",
    "https://user:secret@app.example.com/",
    "https://app.example.com\\@evil.example/",
    " https://app.example.com/",
    "/callback",
    "",
  ])("is never %j", (uri) => expect(isAllowedRedirect(uri)).toBe(false));
});

describe("a registered address", () => {
  const registered = [
    "https://app.example.com/callback",
    "http://localhost:3000/callback",
    "http://127.0.0.1/done",
    "com.example.editor:/oauth",
  ];

  test.each([
    "https://app.example.com/callback",
    "http://localhost:3000/callback",
    "http://localhost:61234/callback",
    "http://localhost/callback",
    "http://127.0.0.1:5000/done",
    "com.example.editor:/oauth",
  ])("is met by %s", (uri) => expect(matchesRedirect(registered, uri)).toBe(true));

  test.each([
    "https://app.example.com/callback/more",
    "https://app.example.com/callback?x=1",
    "https://app.example.com:444/callback",
    "https://app.example.com/Callback",
    "https://APP.example.com/callback",
    "https://app.example.com/callback/../callback",
    "https://app.example.com.evil.example/callback",
    "http://app.example.com/callback",
    "http://127.0.0.1:3000/callback",
    "http://localhost:3000/other",
    "http://localhost:3000@evil.example/callback",
    "http://localhost:99999999/callback",
    "com.example.editor:/oauth2",
  ])("is not met by %s", (uri) => expect(matchesRedirect(registered, uri)).toBe(false));

  test("is shown by its host, or by the program's scheme", () => {
    expect(placeOf("https://app.example.com/x")).toBe("app.example.com");
    expect(placeOf("http://localhost:3000/x")).toBe("localhost:3000");
    expect(placeOf("com.example.editor:/oauth")).toBe("com.example.editor");
  });
});
