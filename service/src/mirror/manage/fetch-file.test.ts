import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "#testing/folder.ts";
import { startPublisher } from "#testing/publisher.ts";
import { fetchBytes, fetchToFile, parsePublisher } from "./fetch-file.ts";

test.each([
  ["http://publisher.example/mirror"],
  ["http://127.0.0.1.example/"],
  ["ftp://127.0.0.1/"],
  ["file:///etc/passwd"],
  ["publisher.example"],
])("%s is refused", (text) => {
  expect(() => parsePublisher(text)).toThrow("expected an https:// URL");
});

test("a password is sent, and is not part of the URL", () => {
  const { url, authorization } = parsePublisher("https://mirror:p%40ss@publisher.example/mirror");
  expect(url.href).toBe("https://publisher.example/mirror/");
  expect(authorization).toBe(`Basic ${Buffer.from("mirror:p@ss").toString("base64")}`);
});

test("a file is written for this user only", async () => {
  const { url, files } = await startPublisher();
  files.set("/some", Buffer.from("text"));
  const path = join(testFolder(), "file");
  await fetchToFile(parsePublisher(url), "some", path, { maxBytes: 4 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(fetchToFile(parsePublisher(url), "some", path, { maxBytes: 4 })).rejects.toThrow("EEXIST");
});

test("a server that does not go on is given up", async () => {
  const { url, files } = await startPublisher();
  files.set("/slow", (response) => response.write("{"));
  const fetched = fetchBytes(parsePublisher(url), "slow", { maxBytes: 100, timeoutMs: 100 });
  await expect(fetched).rejects.toThrow("did not arrive within 1 s");
});

test("a server that cannot be reached is named", async () => {
  await expect(fetchBytes(parsePublisher("http://127.0.0.1:1/"), "latest.json", { maxBytes: 1 })).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:1\/latest\.json cannot be fetched: .+\.$/,
  );
  expect(existsSync("latest.json")).toBe(false);
});

test("a server that closes the connection while the file is written", async () => {
  const { url, files } = await startPublisher();
  const large = Buffer.alloc(2_000_000, "line\n");
  files.set("/large", (response) => {
    response.setHeader("connection", "close");
    response.end(large);
  });
  const folder = testFolder();
  for (let round = 0; round < 20; round += 1) {
    const path = join(folder, String(round));
    await fetchToFile(parsePublisher(url), "large", path, { maxBytes: large.length });
    expect(statSync(path).size).toBe(large.length);
  }
});

test("a file that ends early is refused", async () => {
  const { url, files } = await startPublisher();
  files.set("/cut", (response) => {
    response.setHeader("content-length", 100);
    response.write("half", () => response.destroy());
  });
  await expect(fetchBytes(parsePublisher(url), "cut", { maxBytes: 100 })).rejects.toThrow("cannot be fetched");
});
