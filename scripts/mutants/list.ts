/** Ways to break the code, each with the tests that must notice. `find` stands exactly once in the file. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  readonly tests: readonly string[];
}

const chat = "packages/chat/src";
const poppet = "packages/poppet/src";
const test = "packages/poppet/test";
const turnTests = [`${chat}/turn.test.ts`];
const clientTests = [`${chat}/create-chat.test.ts`, `${chat}/client-laws.test.ts`];
const abortTests = [`${chat}/abort-moments.test.ts`, `${chat}/client-laws.test.ts`];
const emitTests = [`${chat}/emit.test.ts`];
const policyTests = [`${chat}/policies/compact.test.ts`];
const contextTests = [`${chat}/context.test.ts`];
const runTests = [`${test}/runs.test.ts`, `${test}/crash/crash.test.ts`];
const orderTests = [...runTests, `${test}/run-laws.test.ts`, `${test}/run-order.test.ts`];
const namingTests = [`${test}/naming.test.ts`];
const claudeTests = ["packages/chat/test/claude-local.test.ts"];
const ownProviderTests = [`${chat}/providers/define-provider.test.ts`];
const storeTests = [`${test}/store.test.ts`];

export const mutants: readonly Mutant[] = [
  {
    name: "ignore what authorize refuses",
    file: `${chat}/tools.ts`,
    find: `"refusal" in one || !refusals.has(id)`,
    put: `"refusal" in one || id !== null`,
    tests: turnTests,
  },
  {
    name: "run a tool whose arguments do not fit",
    file: `${chat}/tools.ts`,
    find: `if (result.issues)`,
    put: `if (result.issues && false)`,
    tests: turnTests,
  },
  {
    name: "swallow the request's deadline",
    file: `${chat}/turn.ts`,
    find: `clock.after(limits.requestMs, `,
    put: `clock.after(limits.requestMs * 1e6, `,
    tests: turnTests,
  },
  {
    name: "allow one step more",
    file: `${chat}/turn.ts`,
    find: `step >= limits.steps && !isFinal) throw`,
    put: `step > limits.steps && !isFinal) throw`,
    tests: turnTests,
  },
  {
    name: "count only the tool calls that were allowed",
    file: `${chat}/turn.ts`,
    find: `toolCalls += calls.length;`,
    put: `toolCalls += checked.filter((one) => "tool" in one).length;`,
    tests: turnTests,
  },
  {
    name: "refuse an answer that is exactly at its limit",
    file: `${chat}/step.ts`,
    find: `if (this.#textBytes > this.#limits.answerBytes)`,
    put: `if (this.#textBytes >= this.#limits.answerBytes)`,
    tests: turnTests,
  },
  {
    name: "take a cut-off answer for a whole one",
    file: `${chat}/step.ts`,
    find: `    case "interrupted":
    case null:`,
    put: `    case null:
      return;
    case "interrupted":`,
    tests: turnTests,
  },
  {
    name: "take an answer that was cut at the output limit",
    file: `${chat}/step.ts`,
    find: `    case "length":`,
    put: `    case "length":
      return;`,
    tests: turnTests,
  },
  {
    name: "hand out half an emoji",
    file: `${chat}/step.ts`,
    find: `if (last >= 0xd800 && last <= 0xdbff)`,
    put: `if (last >= 0xd800 && last <= 0xd7ff)`,
    tests: turnTests,
  },
  {
    name: "go on after an abort until the model notices",
    file: `${chat}/turn.ts`,
    find: `scope.onAbort(() => reject(scope.reason));`,
    put: ``,
    tests: turnTests,
  },
  {
    name: "ask the model after an abort",
    file: `${chat}/turn.ts`,
    find: `  scope.throwIfAborted();\n  const controller`,
    put: `  const controller`,
    tests: abortTests,
  },
  {
    name: "tell of what happens after an abort",
    file: `${chat}/turn.ts`,
    find: `    scope.throwIfAborted();\n    return emit(event);`,
    put: `    return emit(event);`,
    tests: turnTests,
  },
  {
    name: "answer a read before the one that came first",
    file: `${chat}/emit.ts`,
    find: `this.#state !== "running" && this.#queued === 0`,
    put: `this.#state !== "running"`,
    tests: emitTests,
  },
  {
    name: "tell a reader that left of what came after",
    file: `${chat}/emit.ts`,
    find: `if (this.#hasLeft || this.#state === "over") return Promise.reject(readerLeft);`,
    put: ``,
    tests: emitTests,
  },
  {
    name: "lose an end that came while nobody read",
    file: `${chat}/emit.ts`,
    find: `    this.#tellEnd = tell;\n`,
    put: `    if (isAwaited) this.#tellEnd = tell;\n`,
    tests: emitTests,
  },
  {
    name: "let the next in while one who gave up is still before it",
    file: `${chat}/line.ts`,
    find: `signal, () => this.#leave()`,
    put: `signal`,
    tests: clientTests,
  },
  {
    name: "leave a request open when its reader leaves",
    file: `${chat}/turn.ts`,
    find: `end(requestEnded);`,
    put: ``,
    tests: [...turnTests, `${test}/runs.test.ts`],
  },
  {
    name: "start tools before their start was read",
    file: `${chat}/tool-batch.ts`,
    find: `      accepted.push(one);`,
    put: `      accepted.push(one);
      void one.tool.run(one.input, { toolCallId: one.call.toolCallId, signal: parent.signal });`,
    tests: turnTests,
  },
  {
    name: "add up usage that is not known",
    file: `${chat}/messages.ts`,
    find: `(x === null || y === null ? null : x + y)`,
    put: `((x ?? 0) + (y ?? 0))`,
    tests: turnTests,
  },
  {
    name: "drop the newest exchange that just fits",
    file: `${chat}/context.ts`,
    find: `if (more > budget.bytes`,
    put: `if (more >= budget.bytes`,
    tests: contextTests,
  },
  {
    name: "read past a clear",
    file: `${chat}/context.ts`,
    find: `if (summary !== null || entry.content.role === "clear") break;`,
    put: `if (summary !== null) break;\n    if (entry.content.role === "clear") continue;`,
    tests: contextTests,
  },
  {
    name: "send what a summary stands for",
    file: `${chat}/context.ts`,
    find: `if (summary !== null || entry.content.role === "clear") break;`,
    put: `if (entry.content.role === "clear") break;`,
    tests: contextTests,
  },
  {
    name: "cut in the middle of a code point",
    file: `${chat}/text.ts`,
    find: `return low >= 0xdc00 && low <= 0xdfff;`,
    put: `return low >= 0xdc00 && low <= 0xdbff;`,
    tests: [`${chat}/text.test.ts`],
  },
  {
    name: "commit without comparing the tip",
    file: `${chat}/transcript.ts`,
    find: `if (tip !== expected) throw new TranscriptMovedError();`,
    put: ``,
    tests: [`${chat}/transcript.test.ts`],
  },
  {
    name: "give continuation data to another model",
    file: `${chat}/providers/ai-sdk-prompt.ts`,
    find: `(message.provider !== options.provider || message.model !== options.modelId)`,
    put: `message.provider !== options.provider`,
    tests: [`${chat}/providers/ai-sdk-prompt.test.ts`],
  },
  {
    name: "leave keys in a provider's words",
    file: `${chat}/providers/provider-words.ts`,
    find: `for (const [pattern, replacement] of keyPatterns) words = words.replace(pattern, replacement);`,
    put: ``,
    tests: [`${chat}/providers/provider-words.test.ts`],
  },
  {
    name: "drop the fence: save a run that is another's",
    file: `${poppet}/store/runs.ts`,
    find: `where run.id = $1 and run.state = 'running' and run.owner = $2 and run.parent is session.tip`,
    put: `where run.id = $1 and $2 is not null and run.parent is session.tip`,
    tests: orderTests,
  },
  {
    name: "save on a tip that has moved",
    file: `${poppet}/store/runs.ts`,
    find: `and run.owner = $2 and run.parent is session.tip`,
    put: `and run.owner = $2`,
    tests: orderTests,
  },
  {
    name: "let the newest message go first",
    file: `${poppet}/store/runs.ts`,
    find: `(state = 'queued' and n < $2)`,
    put: `(state = 'queued' and n > $2)`,
    tests: orderTests,
  },
  {
    name: "forget those who died waiting",
    file: `${poppet}/store/runs.ts`,
    find: `where input.waiter = $2 and input.state = 'waiting' and run.state = 'queued'`,
    put: `where input.waiter = $2 and input.state = 'taken' and run.state = 'queued'`,
    tests: runTests,
  },
  {
    name: "leave a tool call running after its run",
    file: `${poppet}/store/runs.ts`,
    find: `"update tool_call set state = 'unknown', finished_at = $1 where run = $2 and state = 'running'"`,
    put: `"update tool_call set state = 'unknown', finished_at = $1 where run = $2 and state = 'failed'"`,
    tests: runTests,
  },
  {
    name: "forget to unlink a dead owner's lock",
    file: `${poppet}/store/lock.ts`,
    find: `    await remove(path);
  } finally {
    handle.close();`,
    put: `  } finally {
    handle.close();`,
    tests: runTests,
  },
  {
    name: "take every lock for a dead one's",
    file: `${poppet}/store/lock.ts`,
    find: `if (!handle) return true;`,
    put: `if (!handle) return false;`,
    tests: runTests,
  },
  {
    name: "keep half of a write that failed",
    file: `${poppet}/store/sqlite.ts`,
    find: `      if (db.inTransaction) db.run("rollback");
      throw thrown;
    }
  }

  return {`,
    put: `      if (db.inTransaction) db.run("commit");
      throw thrown;
    }
  }

  return {`,
    tests: storeTests,
  },
  {
    name: "write on into a deleted database",
    file: `${poppet}/store/sqlite.ts`,
    find: `if (moved[0] === 0) return;`,
    put: `if (moved[0] !== 2) return;`,
    tests: [`${test}/contention/contention.test.ts`],
  },
  {
    name: "give up on a busy database at once",
    file: `${poppet}/store/sqlite.ts`,
    find: `if (!systemCode(thrown)?.startsWith("SQLITE_BUSY") || performance.now() > end)`,
    put: `if (!systemCode(thrown)?.startsWith("SQLITE_BUSX") || performance.now() > end)`,
    tests: storeTests,
  },
  {
    name: "open a newer database all the same",
    file: `${poppet}/store/sqlite.ts`,
    find: `if (version > migrations.length) throw`,
    put: `if (version > migrations.length + 1000) throw`,
    tests: storeTests,
  },
  {
    name: "migrate without keeping a copy",
    file: `${poppet}/store/migrate.ts`,
    find: `if (from > 0 && from < migrations.length) await keepCopy(`,
    put: `if (from < 0) await keepCopy(`,
    tests: storeTests,
  },
  {
    name: "print continuation data",
    file: `${poppet}/store/entries.ts`,
    find: `const { continuation, ...portable } = content;`,
    put: `const { continuation } = content;
  const portable = { ...content, text: content.text + JSON.stringify(continuation ?? "") };`,
    tests: runTests,
  },
  {
    name: "index an entry twice",
    file: `${poppet}/store/search.ts`,
    find: `yield* change("update progress set through = $1, entry = $2", last.n, last.id);`,
    put: `yield* change("update progress set through = $1, entry = $2", last.n - 1, last.id);`,
    tests: [`${test}/search.test.ts`],
  },
  {
    name: "let one word of a search be enough",
    file: `${poppet}/store/search.ts`,
    find: `.join(" AND ")`,
    put: `.join(" OR ")`,
    tests: [`${test}/search.test.ts`],
  },
  {
    name: "miss words in scripts without spaces",
    file: `${poppet}/store/segment.ts`,
    find: `folded(text).match(word)`,
    put: `folded(text).match(/\\S+/g)`,
    tests: [`${test}/search.test.ts`],
  },
  {
    name: "let an index that is spoilt stop a search",
    file: `${poppet}/store/search-index.ts`,
    find: `if (!isSpoilt(thrown) || repairs === mostRepairs) throw thrown;`,
    put: `throw thrown;`,
    tests: [`${test}/search.test.ts`],
  },
  {
    name: "leave a run open when its reader leaves",
    file: `${poppet}/runs/submit.ts`,
    find: `if (outcome === null) await end(`,
    put: `if (outcome !== null) await end(`,
    tests: runTests,
  },
  {
    name: "forget an ending that could not be written",
    file: `${poppet}/runs/endings.ts`,
    find: `kept.set(ending.runId, ending);`,
    put: ``,
    tests: [`${test}/run-endings.test.ts`],
  },
  {
    name: "let an escape sequence through to a terminal",
    file: `${poppet}/clean.ts`,
    find: `if (unit === 0x1b) state = "escape";`,
    put: `if (unit === 0x1c) state = "escape";`,
    tests: [`${poppet}/clean.test.ts`],
  },
  {
    name: "leave a style on between two writes to a terminal",
    file: `${poppet}/cli/render/answer.ts`,
    find: `write(before + text + (style?.after ?? ""));`,
    put: `write(before + text);`,
    tests: [`${poppet}/cli/render/run.test.ts`],
  },
  {
    name: "make a link of any scheme",
    file: `${poppet}/cli/render/markdown/links.ts`,
    find: `!/^(?:https?:\\/\\/|mailto:)/i.test(text) || `,
    put: ``,
    tests: [`${poppet}/cli/render/markdown/render.test.ts`],
  },
  {
    name: "decide what emphasis is by what has arrived",
    file: `${poppet}/cli/render/markdown/emphasis.ts`,
    find: `if (end === text.length && !ended) return undefined;`,
    put: ``,
    tests: [`${poppet}/cli/render/markdown/laws.test.ts`],
  },
  {
    name: "exit with 1 after Ctrl-C",
    file: `${poppet}/cli/signals.ts`,
    find: `SIGINT: { code: 130,`,
    put: `SIGINT: { code: 1,`,
    tests: [`${test}/cli/interruption.test.ts`],
  },
  {
    name: "keep a question from before a clear",
    file: `${chat}/conversation.ts`,
    find: `(tip) => tip !== from && clearedSince(transcript, from, tip)`,
    put: `() => false`,
    tests: clientTests,
  },
  {
    name: "edit a conversation that has moved on",
    file: `${chat}/editor.ts`,
    find: `if (revisionOf(tip) !== revision) throw`,
    put: `if (revisionOf(tip) === null) throw`,
    tests: [`${chat}/editor.test.ts`, ...clientTests],
  },
  {
    name: "take back what was said before a clear",
    file: `${chat}/editor.ts`,
    find: `if (entry.content.role === "clear") break;
    if (dropped`,
    put: `if (entry.content.role === "clear") continue;
    if (dropped`,
    tests: [`${chat}/editor.test.ts`],
  },
  {
    name: "let two turns run at once",
    file: `${chat}/line.ts`,
    find: `if (waiting) return new Promise((resolve) => waiting.push(resolve));`,
    put: ``,
    tests: clientTests,
  },
  {
    name: "summarise the last exchange",
    file: `${chat}/policies/compaction.ts`,
    find: `exchanges.slice(0, -keep)`,
    put: `exchanges.slice(0, 1 - keep || undefined)`,
    tests: policyTests,
  },
  {
    name: "keep a summary that is longer than what it stands for",
    file: `${chat}/policies/compaction.ts`,
    find: `if (bytes.after >= bytes.before)`,
    put: `if (bytes.after >= bytes.before * 1e6)`,
    tests: policyTests,
  },
  {
    name: "forget the summary that is to be brought up to date",
    file: `${chat}/policies/summary.ts`,
    find: `let summary = previous ?? "";`,
    put: `let summary = previous === null ? "" : "";`,
    tests: policyTests,
  },
  {
    name: "try a failed summary again at once",
    file: `${chat}/policies/automatic.ts`,
    find: `contextBytes(next.context) / 10`,
    put: `0`,
    tests: policyTests,
  },
  {
    name: "take a longer word for a command",
    file: `${chat}/commands/run.ts`,
    find: `(?!\\S)/`,
    put: `/`,
    tests: [`${chat}/commands/commands.test.ts`],
  },
  {
    name: "restore a tool call without its result",
    file: `${chat}/check-snapshot.ts`,
    find: `&& isPaired(value as readonly Message[])`,
    put: `&& isPaired(([] as readonly Message[]))`,
    tests: [`${chat}/snapshot.test.ts`],
  },
  {
    name: "take a changed blob for one with another key",
    file: `${chat}/encrypt.ts`,
    find: `throw damaged("it was cut or changed");`,
    put: `throw wrongKey("it was cut or changed");`,
    tests: [`${chat}/snapshot.test.ts`],
  },
  {
    name: "mark more for Anthropic's cache than it takes",
    file: `${chat}/providers/ai-sdk-prompt.ts`,
    find: `marked.slice(-mostCacheMarks)`,
    put: `marked.slice(-mostCacheMarks - 1)`,
    tests: [`${chat}/providers/ai-sdk-prompt.test.ts`],
  },
  {
    name: "ask again for an answer whose arguments are no JSON",
    file: `${chat}/turn.ts`,
    find: `if (isFinal) return`,
    put: `if (isFinal && results.every((one) => one.state === "completed")) return`,
    tests: [`${chat}/ask.test.ts`],
  },
  {
    name: "write a model's title over a person's",
    file: `${poppet}/store/naming.ts`,
    find: `where id = $2 and title_source = 'prompt'"`,
    put: `where id = $2"`,
    tests: namingTests,
  },
  {
    name: "forget that a title was asked for",
    file: `${poppet}/store/naming.ts`,
    find: `if (session) yield* change(`,
    put: `if (false) yield* change(`,
    tests: namingTests,
  },
  {
    name: "ask for a title again at the second answer",
    file: `${poppet}/store/naming.ts`,
    find: `if (answers.length !== 1) return null;`,
    put: `if (answers.length === 0) return null;`,
    tests: namingTests,
  },
  {
    name: "wait for a title for ever",
    file: `${poppet}/sessions/naming.ts`,
    find: `ms: deadlineMs,`,
    put: `ms: deadlineMs * 1e6,`,
    tests: namingTests,
  },
  {
    name: "open the model anew for the title",
    file: `${poppet}/runs/kept-model.ts`,
    find: `kept !== null && isSame(`,
    put: `kept !== null && !isSame(`,
    tests: namingTests,
  },
  {
    name: "read a provider on after its finish",
    file: `${chat}/providers/define-provider.ts`,
    find: `if (event.type === "finish") return;`,
    put: ``,
    tests: ownProviderTests,
  },
  {
    name: "leave a provider's request open when its reader leaves",
    file: `${chat}/providers/define-provider.ts`,
    find: `    scope.abort(new ChatError("aborted", "The request has ended."));\n`,
    put: ``,
    tests: ownProviderTests,
  },
  {
    name: "keep with the provider what the client could not use",
    file: `${chat}/session.ts`,
    find: `if (!same(session.state(), kept)) await replace(kept, pending);`,
    put: ``,
    tests: [`${chat}/session.test.ts`],
  },
  {
    name: "put Claude Code's messages into the session before",
    file: `${chat}/claude-local/command-line.ts`,
    find: `\`--resume=\${sessionId}\`, "--fork-session"`,
    put: `\`--resume=\${sessionId}\``,
    tests: claudeTests,
  },
  {
    name: "let Claude Code have tools that were not opened",
    file: `${chat}/claude-local/answer.ts`,
    find: `others.length > 0 || servers.length > 0) throw`,
    put: `servers.length > 0) throw`,
    tests: claudeTests,
  },
  {
    name: "end Claude Code without what it started",
    file: `${chat}/claude-local/process.ts`,
    find: `kill -KILL 0`,
    put: `kill -KILL $$`,
    tests: claudeTests,
  },
  {
    name: "wait for a program that will not end",
    file: `${chat}/claude-local/process.ts`,
    find: `setTimeout(killAll, graceMs)`,
    put: `setTimeout(() => {}, graceMs)`,
    tests: claudeTests,
  },
  {
    name: "leave programs when the process exits",
    file: `${chat}/claude-local/process.ts`,
    find: `kill -KILL 0`,
    put: `:`,
    tests: claudeTests,
  },
  {
    name: "show a provider's key in an error of its own",
    file: `${chat}/providers/provider-error.ts`,
    find: `const message = withoutSecrets(secrets, error.message);`,
    put: `const message = error.message;`,
    tests: ownProviderTests,
  },
];
