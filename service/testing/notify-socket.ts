import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { whenDone } from "./when-done.ts";

export type NotifySocket = {
  /** The path to set in NOTIFY_SOCKET. */
  path: string;
  /** All received messages, in order. */
  messages: string[];
};

/** Prints each datagram as a line. A message of several variables has several lines: join them. */
const RECEIVER = `
  use IO::Socket::UNIX;
  $| = 1;
  my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die $!;
  print "listening\\n";
  while (defined $socket->recv(my $message, 4096)) { $message =~ s/\\n/ /g; print "$message\\n"; }
`;

/** Receives what a process sends to systemd. In Perl, because Node has no Unix datagram sockets. */
export async function openNotifySocket(): Promise<NotifySocket> {
  const folder = mkdtempSync(join(tmpdir(), "credence-notify-"));
  const path = join(folder, "notify");
  const receiver = spawn("perl", ["-e", RECEIVER, path], { stdio: ["ignore", "pipe", "inherit"] });
  whenDone(() => {
    receiver.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });
  let output = "";
  const messages: string[] = [];
  receiver.stdout.on("data", (chunk) => {
    output += chunk;
    const lines = output.split("\n").slice(0, -1).slice(1);
    // BARRIER=1 only makes systemd-notify wait until its messages were received.
    messages.splice(0, messages.length, ...lines.map((line) => line.trim()).filter((line) => line !== "BARRIER=1"));
  });
  await expect.poll(() => output).toContain("listening");
  // The sender may be another user.
  chmodSync(folder, 0o755);
  chmodSync(path, 0o777);
  return { path, messages };
}
