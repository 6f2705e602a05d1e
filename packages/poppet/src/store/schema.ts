/**
 * The database's schema, as migrations from one version to the next; `docs/storage.md` explains it to people.
 * A migration that has been released is never edited: a new one follows it.
 *
 * n: order of commit. id: UUIDv7 text, public. Times: Unix ms. JSON: text.
 */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const initial = `
create table session (
  n integer primary key, id text not null unique,
  kind text not null check (kind in ('chat','task','delegate')),
  agent text not null, project text, channel text not null,
  parent integer references session(n), base integer,
  tip integer,
  provider text, model text,
  workload text not null check (workload in ('general','coding')),
  skill text, project_copy text,
  settings text not null default '{}',
  goal text,
  title text, title_source text check (title_source in ('prompt','model','user')),
  naming_attempted integer not null default 0, title_usage text,
  archived integer not null default 0,
  created_at integer not null, active_at integer not null
) strict;
create index session_active on session(active_at, n) where archived = 0;
create index session_parent on session(parent) where parent is not null;

create table conversation (
  key text primary key, session integer references session(n) on delete set null,
  settings text not null default '{}', active_at integer not null
) strict;

create table input (
  n integer primary key, id text not null unique,
  session integer not null references session(n) on delete cascade,
  delivery text not null check (delivery in ('message','steer','aside')),
  origin text not null check (origin in ('typed','voice','retry','goal','schedule','delegate')),
  retry_of integer references input(n) on delete set null,
  state text not null check (state in ('waiting','taken','withdrawn')),
  text text not null, attachments text, authority text not null,
  waiter text,
  dedupe text unique,
  run integer,
  created_at integer not null
) strict;
create index input_session on input(session, n);
create index input_waiting on input(session, n) where state = 'waiting';
create index input_waiter on input(waiter) where state = 'waiting' and waiter is not null;
create index input_run on input(run, n);

create table run (
  n integer primary key, id text not null unique,
  session integer not null references session(n) on delete cascade,
  kind text not null check (kind in ('turn','aside')),
  state text not null check (state in ('queued','running','completed','failed','interrupted')),
  owner text,
  parent integer, first integer, last integer,
  supersedes integer,
  provider text, model text, usage text,
  error_code text, error_message text,
  created_at integer not null, started_at integer, finished_at integer,
  check ((state = 'running') = (owner is not null))
) strict;
create unique index run_one_turn on run(session) where state = 'running' and kind = 'turn';
create index run_session on run(session, n);
create index run_owner on run(owner) where state = 'running';
create index run_queued on run(session, n) where state = 'queued';

create table entry (
  n integer primary key, id text not null unique,
  parent integer references entry(n),
  home integer not null references session(n),
  run integer references run(n) on delete set null,
  exchange text not null,
  kind text not null check (kind in ('user','assistant','tool','clear')),
  readable integer not null,
  bytes integer not null, body text not null, created_at integer not null
) strict;
create index entry_readable on entry(home, n) where readable = 1;
create index entry_home on entry(home, n);

create table continuation (
  entry integer primary key references entry(n) on delete cascade,
  provider text not null, model text not null, data text not null
) strict;

create table summary (
  entry integer primary key references entry(n) on delete cascade,
  text text not null, provider text, model text, usage text, created_at integer not null
) strict;

create table tool_call (
  n integer primary key, run integer not null references run(n) on delete cascade,
  step integer not null, call_id text not null, name text not null,
  state text not null check (state in ('running','completed','failed','rejected','unknown')),
  arguments text not null, result text, error_code text, error_message text,
  started_at integer not null, finished_at integer,
  unique (run, step, call_id)
) strict;

create table note (
  n integer primary key, id text not null unique,
  conversation text not null, source text not null, text text not null,
  seen_run integer references run(n) on delete set null, seen integer not null default 0,
  dedupe text unique, created_at integer not null
) strict;
create index note_unseen on note(conversation, n) where seen = 0;

create table outbox (
  n integer primary key, conversation text not null, dedupe text not null unique,
  payload text not null, remote_id text,
  state text not null check (state in ('pending','sending','sent','uncertain','failed')),
  attempts integer not null default 0, due_at integer not null
) strict;
create index outbox_due on outbox(due_at, n) where state = 'pending';
`;

export const migrations: readonly Migration[] = [{ name: "initial", sql: initial }];

/** The search index, a file of its own beside the database: what is in it can be made again. rowid is entry.n.
 * Case and accents are gone from what it gets: see segment.ts. */
export const searchMigrations: readonly Migration[] = [
  {
    name: "initial",
    sql: `
create virtual table search using fts5(
  scope, text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'"
);
create table progress (through integer not null, entry text not null) strict;
insert into progress values (0, '');
`,
  },
];
