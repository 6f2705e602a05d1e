/** The commands, their flags and arguments, as the parser, `--help` and completion read them. Descriptions only. */
import { buildCommand, buildRouteMap } from "@stricli/core";
import { providerNames } from "../settings.ts";
import { defaultListLimit } from "./arguments.ts";
import type { Program } from "./program.ts";

const word = (input: string): string => input;
const message = {
  brief: "What to say; - or nothing: read from stdin",
  parse: word,
  placeholder: "MESSAGE",
  optional: true,
} as const;
const sessionId = {
  brief: "A session's ID, or as much of its beginning as no other has",
  parse: word,
  placeholder: "ID",
  proposeCompletions: proposeSessions,
} as const;
const json = { kind: "boolean", brief: "Print JSON, also on a terminal", default: false, withNegated: false } as const;

const skillName = {
  brief: "A skill's name",
  parse: word,
  placeholder: "NAME",
  async proposeCompletions(this: Program): Promise<readonly string[]> {
    return (await import("./complete.ts")).skillNames(this);
  },
} as const;
const projectName = {
  brief: "A project's name",
  parse: word,
  placeholder: "NAME",
  async proposeCompletions(this: Program): Promise<readonly string[]> {
    return (await import("./complete.ts")).projectNames(this);
  },
} as const;
const skillFlag = { ...skillName, kind: "parsed", brief: "Keep a skill's instructions", optional: true } as const;
const projectFlag = { ...projectName, kind: "parsed", brief: "Keep a project's instructions", optional: true } as const;
const newSessionFlags = {
  coding: { kind: "boolean", brief: "A session for work on code", default: false, withNegated: false },
  skill: skillFlag,
  project: projectFlag,
} as const;

async function proposeSessions(this: Program, partial: string): Promise<readonly string[]> {
  return (await import("./complete.ts")).sessionIds(this, partial);
}

const sessions = buildCommand({
  docs: { brief: "List sessions, newest activity first" },
  loader: async () => (await import("./chat/sessions.ts")).chatSessions,
  parameters: {
    flags: {
      json,
      limit: {
        kind: "parsed",
        brief: "At most so many",
        parse: listLimit,
        placeholder: "N",
        default: String(defaultListLimit),
      },
      before: {
        kind: "parsed",
        brief: "Go on after this session, the last of the page before",
        parse: word,
        placeholder: "ID",
        optional: true,
        proposeCompletions: proposeSessions,
      },
    },
  },
});

const chat = buildRouteMap({
  docs: { brief: "Ask, go on, and find what was said" },
  routes: {
    new: buildCommand({
      docs: { brief: "Start a session with a message" },
      loader: async () => (await import("./chat/new.ts")).chatNew,
      parameters: {
        flags: newSessionFlags,
        positional: { kind: "tuple", parameters: [message] },
      },
    }),
    send: buildCommand({
      docs: { brief: "Send the next message of a session" },
      loader: async () => (await import("./chat/send.ts")).chatSend,
      parameters: { positional: { kind: "tuple", parameters: [sessionId, message] } },
    }),
    interactive: buildCommand({
      docs: { brief: "Talk at a prompt, in a new session or in one that is saved" },
      loader: async () => (await import("./chat/interactive.ts")).chatInteractive,
      parameters: {
        flags: newSessionFlags,
        positional: { kind: "tuple", parameters: [{ ...sessionId, optional: true }] },
      },
    }),
    show: buildCommand({
      docs: { brief: "Print a session with its messages and runs as JSON, or to read" },
      loader: async () => (await import("./chat/show.ts")).chatShow,
      parameters: {
        flags: { text: { kind: "boolean", brief: "Print it as text to read", default: false, withNegated: false } },
        positional: { kind: "tuple", parameters: [sessionId] },
      },
    }),
    continue: buildCommand({
      docs: { brief: "Go on in the session used last: with a message, or at the prompt" },
      loader: async () => (await import("./chat/continue.ts")).chatContinue,
      parameters: { positional: { kind: "tuple", parameters: [message] } },
    }),
    sessions,
    search: buildCommand({
      docs: { brief: "Find messages that have every word" },
      loader: async () => (await import("./chat/search.ts")).chatSearch,
      parameters: {
        flags: { json },
        positional: { kind: "tuple", parameters: [{ brief: "Plain text", parse: word, placeholder: "QUERY" }] },
      },
    }),
    rename: buildCommand({
      docs: { brief: "Give a session a title" },
      loader: async () => (await import("./chat/rename.ts")).chatRename,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [sessionId, { brief: "The title", parse: word, placeholder: "TITLE" }],
        },
      },
    }),
  },
});

const models = buildRouteMap({
  docs: { brief: "List and fetch models" },
  defaultCommand: "list",
  routes: {
    list: buildCommand({
      docs: { brief: "List a provider's models; the local ones and the configured provider's by default" },
      loader: async () => (await import("./models.ts")).listModels,
      parameters: {
        flags: { json },
        positional: {
          kind: "tuple",
          parameters: [
            {
              brief: `One of ${providerNames.join(", ")}`,
              parse: word,
              placeholder: "PROVIDER",
              optional: true,
              proposeCompletions: (partial: string) => providerNames.filter((name) => name.startsWith(partial)),
            },
          ],
        },
      },
    }),
    pull: buildCommand({
      docs: { brief: "Fetch a model that runs on this machine" },
      loader: async () => (await import("./models-pull.ts")).pullModel,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [
            {
              brief: "A catalogue name, hf:owner/repo[:quant], or a .gguf file",
              parse: word,
              placeholder: "REF",
              async proposeCompletions(this: Program): Promise<readonly string[]> {
                return (await import("./complete.ts")).localModels(this);
              },
            },
          ],
        },
      },
    }),
  },
});

const skills = buildRouteMap({
  docs: { brief: "See the instructions that a session can be given by name" },
  defaultCommand: "list",
  routes: {
    list: buildCommand({
      docs: { brief: "List skills; a broken one with what is wrong" },
      loader: async () => (await import("./skills.ts")).listSkills,
      parameters: { flags: { json } },
    }),
    show: buildCommand({
      docs: { brief: "Show a skill as a new session would get it" },
      loader: async () => (await import("./skills.ts")).showSkill,
      parameters: {
        flags: { json, project: { ...projectFlag, brief: "As a session of this project would get it" } },
        positional: { kind: "tuple", parameters: [skillName] },
      },
    }),
    check: buildCommand({
      docs: { brief: "Check every skill, those of a name, or the one at a path; exit 1 if one is broken" },
      loader: async () => (await import("./skills.ts")).checkSkills,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [
            {
              ...skillName,
              brief: "A name, or the path of a skill's folder with a slash in it",
              placeholder: "NAME|PATH",
              optional: true,
            },
          ],
        },
      },
    }),
  },
});

const projects = buildRouteMap({
  docs: { brief: "See and make projects: instructions, notes and skills that belong together" },
  defaultCommand: "list",
  routes: {
    list: buildCommand({
      docs: { brief: "List projects; a broken one with what is wrong" },
      loader: async () => (await import("./projects.ts")).listProjects,
      parameters: { flags: { json } },
    }),
    show: buildCommand({
      docs: { brief: "Show a project as a new session would get it" },
      loader: async () => (await import("./projects.ts")).showProject,
      parameters: { flags: { json }, positional: { kind: "tuple", parameters: [projectName] } },
    }),
    create: buildCommand({
      docs: { brief: "Make a project, and print the files to write in" },
      loader: async () => (await import("./projects.ts")).createProject,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [{ brief: "The new project's name", parse: word, placeholder: "NAME" }],
        },
      },
    }),
  },
});

const config = buildRouteMap({
  docs: { brief: "See where the settings are and what they say" },
  routes: {
    path: buildCommand({
      docs: { brief: "Print the settings file's path" },
      loader: async () => (await import("./config.ts")).configPath,
      parameters: {},
    }),
    show: buildCommand({
      docs: { brief: "Print the settings in effect, secrets masked" },
      loader: async () => (await import("./config.ts")).configShow,
      parameters: { flags: { json } },
    }),
  },
});

export const commands = buildRouteMap({
  docs: {
    brief: "A private, self-hosted chat assistant",
    fullDescription:
      "A private, self-hosted chat assistant.\n\nAnswers go to stdout, all else to stderr. A long flag may have one dash; -- ends flags.",
  },
  routes: {
    chat,
    sessions,
    show: buildCommand({
      docs: { brief: "Print a session to read" },
      loader: async () => (await import("./chat/show.ts")).show,
      parameters: { positional: { kind: "tuple", parameters: [sessionId] } },
    }),
    models,
    skills,
    projects,
    config,
    setup: buildCommand({
      docs: {
        brief: "Choose the provider and model for new sessions",
        fullDescription:
          "Choose the provider and model for new sessions.\n\nWithout a flag it asks, on a terminal: who answers, with what model and key, and tries it. Nothing is changed before the end. With flags, for scripts, it takes --provider and --model and asks nothing.\n\nAn API key is never an argument: it is taken from the provider's environment variable at each run, or piped in here once and kept in the settings file (0600). A key that is there stays unless --key-stdin is given.",
      },
      loader: async () => (await import("./setup.ts")).setup,
      parameters: {
        flags: {
          provider: { kind: "enum", brief: "Who answers", values: providerNames, optional: true },
          model: {
            kind: "parsed",
            brief: "The model's name at the provider",
            parse: word,
            placeholder: "M",
            optional: true,
          },
          baseUrl: { kind: "parsed", brief: "The provider's address", parse: word, placeholder: "U", optional: true },
          keyStdin: {
            kind: "boolean",
            brief: "Read the API key from stdin and replace the saved one",
            default: false,
            withNegated: false,
          },
        },
      },
    }),
    doctor: buildCommand({
      docs: { brief: "Check that everything is in order, and say what to do" },
      loader: async () => (await import("./doctor.ts")).doctor,
      parameters: {},
    }),
    completion: buildCommand({
      docs: { brief: "Print a completion script for bash, zsh or fish" },
      loader: async () => (await import("./completion.ts")).completion,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [
            {
              brief: "bash, zsh or fish",
              parse: word,
              placeholder: "SHELL",
              proposeCompletions: (partial: string) =>
                ["bash", "zsh", "fish"].filter((name) => name.startsWith(partial)),
            },
          ],
        },
      },
    }),
  },
});

function listLimit(input: string): number {
  const limit = /^\d+$/.test(input) ? Number(input) : 0;
  if (limit >= 1 && limit <= 10_000) return limit;
  throw new RangeError("must be a whole number from 1 to 10000");
}
