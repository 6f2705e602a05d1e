import type { ClaudeLocalOptions } from "../../src/claude-local/claude-local.ts";
import type { SessionProvider } from "../../src/provider.ts";
import type { SessionProviderFactory } from "../../src/testing/index.ts";
export function claudeFactory(claudeLocal: (options: ClaudeLocalOptions) => SessionProvider): SessionProviderFactory;
