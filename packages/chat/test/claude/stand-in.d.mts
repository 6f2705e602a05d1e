export type Piece = "stall" | "apart" | string | { readonly bytes: number } | { readonly base64: string };
export interface ClaudeReply {
  readonly pieces: readonly Piece[];
  readonly stderr?: string;
  readonly exit?: number;
  readonly signal?: string;
  readonly ignoreTerm?: boolean;
  /** It starts a program that goes on; `apart`: in a group of its own. */
  readonly child?: boolean | "apart";
}
export interface ClaudeCall {
  readonly argv: readonly string[];
  readonly text: string;
  readonly env: { readonly [name: string]: string };
  readonly cwd: string;
  readonly pid: number;
  readonly child: number | null;
  /** Messages of its conversation, with this one. */
  readonly turns: number;
}
export interface StandIn {
  readonly options: {
    readonly executable: string;
    readonly folder: string;
    readonly env: { readonly [name: string]: string | undefined };
  };
  readonly calls: number;
  call(number: number): Promise<ClaudeCall>;
  over(number: number): Promise<void>;
  remove(): void;
}
export const executable: string;
export function standIn(
  replies: readonly ClaudeReply[],
  more?: { readonly [name: string]: string | undefined },
): StandIn;
