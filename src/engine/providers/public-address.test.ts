import { describe, expect, test } from "vitest";
import { isPublicUrl, isSiteUrl } from "./public-address.ts";

describe("a public address", () => {
  test.each([
    "https://api.example.com/v1",
    "http://93.184.216.34",
    "https://[2606:2800:220:1::1]/v1",
  ])("is %s", (url) => expect(isPublicUrl(url)).toBe(true));

  test.each([
    "http://127.0.0.1/v1",
    "http://127.1",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://localhost:11434",
    "http://app.localhost.",
    "http://10.0.0.7",
    "http://192.168.1.1",
    "http://172.16.0.1",
    "http://169.254.169.254/latest/meta-data",
    "http://100.64.0.1",
    "http://0.0.0.0",
    "http://[::1]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://metadata.google.internal/",
    "http://printer.local/",
    "http://intranet/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "https://user:secret@example.com/",
    "no url",
  ])("is not %s", (url) => expect(isPublicUrl(url)).toBe(false));
});

describe("an address that an administrator may name", () => {
  test.each([
    "https://api.example.com/v1",
    "http://localhost:11434",
    "http://127.0.0.1/v1",
    "http://10.0.0.7",
    "http://100.64.0.1",
    "http://[fd00::1]/",
  ])("is %s", (url) => expect(isSiteUrl(url)).toBe(true));

  test.each([
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:169.254.169.254]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/latest/meta-data",
    "http://[fd00:0ec2:0:0::254]/",
    "http://100.100.100.200/latest/meta-data",
    "http://[::ffff:100.100.100.200]/",
    "http://0.0.0.0/",
  ])("is not %s", (url) => expect(isSiteUrl(url)).toBe(false));
});
