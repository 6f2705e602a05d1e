#!/usr/bin/env node
// Stands in for Claude Code: takes its flags, keeps sessions as it does, and writes the stream that a script says.
// The folder in CLAUDE_SCRIPT has `script.json` and gets `call-N.json` for each start, and the sessions.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import process from "node:process";

const folder = process.env.CLAUDE_SCRIPT;
const argv = process.argv.slice(2);
const flagValue = (flag) => argv.find((one) => one.startsWith(`${flag}=`))?.slice(flag.length + 1) ?? null;

let number = 1;
while (existsSync(`${folder}/call-${number}.json`)) number++;
const reply = JSON.parse(readFileSync(`${folder}/script.json`, "utf8"))[number - 1] ?? { pieces: [], exit: 1 };

let text = "";
for await (const chunk of process.stdin) text += chunk;
if (reply.ignoreTerm) process.on("SIGTERM", () => {});
const goesOn = { stdio: "inherit", detached: reply.child === "apart" };
const child = reply.child ? spawn("sleep", ["1000"], goesOn).pid : null;
const resumed = flagValue("--resume");
const isLost = resumed !== null && !existsSync(`${folder}/session-${resumed}.json`);
const isNew = resumed === null || isLost;
const before = isNew ? [] : JSON.parse(readFileSync(`${folder}/session-${resumed}.json`, "utf8"));
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /CLAUDE/.test(name)));
const call = { argv, text, env, cwd: process.cwd(), pid: process.pid, child, turns: before.length + 1 };
writeFileSync(`${folder}/call.json`, JSON.stringify(call));
renameSync(`${folder}/call.json`, `${folder}/call-${number}.json`);

if (isLost) {
  const said = `No conversation found with session ID: ${resumed}`;
  const result = { type: "result", subtype: "error_during_execution", is_error: true, errors: [said] };
  process.stderr.write(`${said}\n`);
  await write(`${JSON.stringify({ ...result, session_id: resumed, num_turns: 0 })}\n`);
  process.exit(1);
}
const sessionId = resumed === null || argv.includes("--fork-session") ? crypto.randomUUID() : resumed;
// As the real one does: a message is in its session whatever becomes of the answer.
writeFileSync(`${folder}/session-${sessionId}.json`, JSON.stringify([...before, text]));

if (reply.stderr) process.stderr.write(reply.stderr);
for (const piece of reply.pieces) {
  if (piece === "stall") await new Promise((resolve) => setTimeout(resolve, 1_000_000));
  else if (piece === "apart") await new Promise((resolve) => setTimeout(resolve, 20));
  else if (typeof piece === "string") {
    await write(piece.replaceAll("{session}", sessionId).replaceAll("{turns}", String(before.length + 1)));
  } else if (piece.bytes) await write("x".repeat(piece.bytes));
  else await write(Buffer.from(piece.base64, "base64"));
}
if (reply.signal) {
  process.kill(process.pid, reply.signal);
  await new Promise((resolve) => setTimeout(resolve, 1_000_000));
}
process.exit(reply.exit ?? 0);

function write(data) {
  return new Promise((resolve) => process.stdout.write(data, resolve));
}
