import { DatabaseSync } from 'node:sqlite'

/**
 * A minimal ledger in one SQLite file, in place of a builder's accounting system. It contains vendors, jobs, orders,
 * and bills, each with its own ID, and the checks that were printed for bills. A real system has its own API, but the
 * principle is the same: every entry stores the ID of the record in Plumbline, and these IDs are unique.
 */
const SCHEMA = `
  create table if not exists entries (
    number integer primary key autoincrement,
    type text not null,
    plumblineId text not null unique,
    name text not null,
    cents integer,
    version integer not null
  );
  create table if not exists checks (
    number integer primary key,
    plumblineId text not null unique references entries (plumblineId),
    printedOn text not null,
    toldOn text
  );
  create table if not exists progress (name text primary key, value text not null);
`

export interface Ledger {
  /**
   * Creates or updates the entry for a record and returns the entry's ID. Throws Refusal if the ledger cannot accept
   * the record.
   */
  enter(entry: NewEntry): string
  entries(type: string): Entry[]
  /** Prints checks for at most `most` bills that have none. Returns the number of checks. */
  printChecks(most: number, today: string): number
  /** Returns the checks that have not been reported to Plumbline yet. */
  untold(): Check[]
  told(number: number, today: string): void
  /** Returns the position in the sync queue. */
  progress(): string | null
  keepProgress(value: string): void
  close(): void
}

export interface NewEntry {
  type: string
  plumblineId: string
  name: string
  amount: number | null
  version: number
}

export interface Entry {
  accountingId: string
  name: string
  amount: number | null
}

export interface Check {
  number: number
  plumblineId: string
  printedOn: string
}

/** The reason why the ledger rejects a record, in words for the person who must correct the record. */
export class Refusal extends Error {}

/** The maximum length of a name, in characters. Names are short, as in common accounting systems. */
const LONGEST_NAME = 41

export function openLedger(file: string): Ledger {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000')
  db.exec(SCHEMA)
  const run = (statement: string, ...values: (string | number | null)[]) => db.prepare(statement).run(...values)
  const rows = <Row>(statement: string, ...values: (string | number)[]) => db.prepare(statement).all(...values) as Row[]

  return {
    enter({ type, plumblineId, name, amount, version }) {
      if (name.length > LONGEST_NAME)
        throw new Refusal(`The name has ${name.length} characters, and the ledger takes ${LONGEST_NAME}.`)
      const cents = amount === null ? null : Math.round(amount * 100)
      // Uses a single statement, so that repeating it never creates a second entry.
      const [entry] = rows<{ number: number }>(
        `insert into entries (type, plumblineId, name, cents, version) values (?, ?, ?, ${cents ?? 'null'}, ?)
         on conflict (plumblineId) do update set name = excluded.name, cents = excluded.cents, version = excluded.version
         returning number`,
        ...[type, plumblineId, name, version],
      )
      if (entry === undefined) throw new Error('The ledger returned no entry.')
      return idOf(type, entry.number)
    },
    entries: (type) =>
      rows<{ number: number; name: string; cents: number | null }>(
        'select number, name, cents from entries where type = ? order by number',
        type,
      ).map(({ number, name, cents }) => ({
        accountingId: idOf(type, number),
        name,
        amount: cents === null ? null : cents / 100,
      })),
    printChecks: (most, today) =>
      Number(
        run(
          `insert into checks (number, plumblineId, printedOn)
           select (select coalesce(max(number), 1000) from checks) + row_number() over (order by e.number), e.plumblineId, ?
           from entries as e where e.type = 'payment' and not exists (select 1 from checks as c where c.plumblineId = e.plumblineId)
           order by e.number limit ?`,
          ...[today, most],
        ).changes,
      ),
    untold: () => rows<Check>('select number, plumblineId, printedOn from checks where toldOn is null order by number'),
    told(number, today) {
      run('update checks set toldOn = ? where number = ?', today, number)
    },
    progress: () => rows<{ value: string }>(`select value from progress where name = 'queue'`)[0]?.value ?? null,
    keepProgress(value) {
      run(`insert into progress values ('queue', ?) on conflict (name) do update set value = excluded.value`, value)
    },
    close: () => db.close(),
  }
}

const PREFIXES: Readonly<Record<string, string>> = {
  vendor: 'V',
  home: 'JOB',
  community: 'CLASS',
  po: 'PO',
  payment: 'BILL',
}

function idOf(type: string, number: number): string {
  return `${PREFIXES[type] ?? type.toUpperCase()}-${number}`
}
