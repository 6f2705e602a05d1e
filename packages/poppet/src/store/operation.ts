/**
 * An operation is a generator that yields SQL statements and returns a value. Each is written once and runs whole inside
 * one transaction: nothing can be awaited in it, so nothing can get between its statements.
 * Placeholders are `$1`, `$2`, … in the order of their first appearance.
 */
export type SqlValue = string | number | null | Uint8Array;
export type Row = { readonly [column: string]: SqlValue };

export interface Statement {
  readonly sql: string;
  readonly args: readonly SqlValue[];
}

export interface StatementResult {
  readonly rows: readonly Row[];
  /** Rows that a change touched. */
  readonly changes: number;
}

export type Operation<T> = Generator<Statement, T, StatementResult>;

/** All rows of a query; `R` names the columns that it selects. */
export function* all<R extends object>(sql: string, ...args: SqlValue[]): Operation<readonly R[]> {
  const { rows } = yield { sql, args };
  return rows as readonly object[] as readonly R[];
}

/** The first row, or null. */
export function* first<R extends object>(sql: string, ...args: SqlValue[]): Operation<R | null> {
  const rows = yield* all<R>(sql, ...args);
  return rows[0] ?? null;
}

/** The number of rows changed. */
export function* change(sql: string, ...args: SqlValue[]): Operation<number> {
  const { changes } = yield { sql, args };
  return changes;
}
