import type { Duplex } from 'node:stream'
import type pg from 'pg'
import { Shares } from '../http/shares.ts'
import type { Lanes } from './connection-plan.ts'
import { HeavyReads } from './heavy-reads.ts'
import {
  type Answered,
  execute,
  type Sequence,
  type Statement,
  type StatementResult,
  type Watch,
} from './lean-query.ts'
import { isPlannedEachTime } from './planned-each-time.ts'
import { PrimaryClient } from './primary.ts'
import { isRead } from './reads.ts'
import { type Silence, streamOf, Unanswered } from './silence.ts'
import { ORGANIZATION_SETTING } from './wall.ts'

/**
 * Runs single statements on a few connections that all requests share. PostgreSQL answers many small statements on one
 * connection in one batch, so nobody waits for a free connection, and each statement is parsed once per connection.
 *
 * Only statements that are their own transaction belong here, because sharing a connection means sharing its session.
 * The only session state that may differ is the organization whose rows are visible, which is set before the statement.
 * A slow statement delays those behind it, so every connection has a statement timeout, and heavy reads have connections
 * of their own; transactions use the pool.
 */
export class SharedStatements {
  readonly #reading: Lane[]
  readonly #writing: Lane[]
  readonly #burdened: Lane[]
  /** For what is done for no single builder: whoever signs in may not have to wait for a job that waits for a lock. */
  readonly #any: Lane[]
  readonly #heavy = new HeavyReads()
  readonly #turns = new Shares({ of: 'slow or large reads', most: 1, mostWaiting: 200, waitMs: HEAVY_WAIT_MS })
  readonly #gathering = new Map<Insertion, Gathering>()
  #nextRead = 0

  constructor(config: pg.ClientConfig, role: string | null, lanes: Lanes, silence: Silence) {
    const made = (length: number, heavy: HeavyReads | null) => {
      const alike: Lane[] = []
      const instead = () => [alike, this.#lanes]
      for (let i = 0; i < length; i++)
        alike.push(new Lane({ ...config, pipeline: true }, role, heavy, { silence, instead }))
      return alike
    }
    this.#reading = made(lanes.reading, this.#heavy)
    this.#writing = made(lanes.writing, null)
    this.#any = [...this.#reading, ...this.#writing]
    this.#burdened = made(lanes.burdened, this.#heavy)
  }

  /** @param organizationId whose rows the statement can see; null on connections that see every row */
  run(
    organizationId: string | null,
    text: string,
    values: readonly unknown[],
    asJson = false,
  ): Promise<StatementResult> {
    if (!isRead(text) || organizationId === null) return this.#runUsual(organizationId, text, values, asJson)
    const planned = this.#heavy.planned(organizationId, text)
    const lane = this.#heavy.has(organizationId, planned) ? undefined : this.#nextReading()
    if (lane !== undefined) return lane.run(organizationId, planned, values, asJson)
    return this.#turns.run(organizationId, () => this.#runHeavy(organizationId, planned, values, asJson))
  }

  #runUsual(
    organizationId: string | null,
    text: string,
    values: readonly unknown[],
    asJson: boolean,
  ): Promise<StatementResult> {
    const lane = leastBusy(organizationId === null ? this.#any : this.#writing)
    if (lane === undefined) throw new Error('a lane is always there')
    const result = lane.run(organizationId, text, values, asJson)
    lane.count(result)
    return result
  }

  /**
   * The lane with the fewest statements to answer, of several in turn, because one that is not slow enough to have a lane
   * of its own still makes those behind it wait. Undefined if slow ones hold up all lanes.
   */
  #nextReading(): Lane | undefined {
    const nowMs = performance.now()
    const first = this.#nextRead++
    const lanes = usable(this.#reading)
    let next: Lane | undefined
    for (let tried = 0; tried < lanes.length; tried++) {
      const lane = lanes[(first + tried) % lanes.length]
      if (lane === undefined || lane.isHeldUp(nowMs)) continue
      if (next === undefined || lane.unanswered < next.unanswered) next = lane
    }
    return next
  }

  #runHeavy(
    organizationId: string,
    text: string,
    values: readonly unknown[],
    asJson: boolean,
  ): Promise<StatementResult> {
    const lane = leastBusy(this.#burdened)
    if (lane === undefined) throw new Error('a lane is always there')
    const result = lane.run(organizationId, text, values, asJson)
    lane.count(result)
    return result
  }

  /**
   * Adds a row with a statement that can add many: rows that arrive while others are in flight are added together, in
   * one statement and one commit, which is most of the cost of a small write. Each row still succeeds or fails alone:
   * if a combined statement is refused because of one row, nothing was written, and each row is retried by itself.
   */
  insertTogether(
    organizationId: string | null,
    insertion: Insertion,
    values: readonly unknown[],
  ): Promise<StatementResult> {
    let gathering = this.#gathering.get(insertion)
    if (gathering === undefined) {
      gathering = { rows: [], underWay: 0, isScheduled: false }
      this.#gathering.set(insertion, gathering)
    }
    const { rows } = gathering
    const result = new Promise<StatementResult>((done, fail) => rows.push({ organizationId, values, done, fail }))
    this.#schedule(insertion, gathering)
    return result
  }

  // A full statement is sent at once, so the database works while the next rows are being read; others are sent at the
  // end of this turn of the event loop.
  #schedule(insertion: Insertion, gathering: Gathering): void {
    if (gathering.rows.length >= MOST_ROWS) this.#send(insertion, gathering)
    else if (gathering.rows.length > 0 && !gathering.isScheduled) {
      gathering.isScheduled = true
      setImmediate(() => {
        gathering.isScheduled = false
        this.#send(insertion, gathering)
      })
    }
  }

  #send(insertion: Insertion, gathering: Gathering): void {
    if (gathering.rows.length === 0 || gathering.underWay >= MOST_INSERTS_UNDER_WAY) return
    gathering.underWay++
    const settled = () => {
      gathering.underWay--
      this.#schedule(insertion, gathering)
    }
    this.#insert(insertion, takeTogether(gathering.rows)).then(settled, settled)
  }

  async #insert(insertion: Insertion, rows: GatheredRow[]): Promise<void> {
    try {
      const text = insertion.text(rows.length)
      const { rows: read } = await this.run(
        rows[0]?.organizationId ?? null,
        text,
        rows.flatMap((row) => row.values),
      )
      const readFor = (i: number) => (read as { forRow: number }[]).filter(({ forRow }) => forRow === i)
      rows.forEach((row, i) => void row.done({ rows: readFor(i), rowCount: 1, command: 'INSERT' }))
    } catch (error) {
      if (rows.length > 1 && isOfOneRow(error)) await Promise.all(rows.map((row) => this.#insert(insertion, [row])))
      else for (const row of rows) row.fail(error)
    }
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#lanes.filter((lane) => lane.isOpen).length
  }

  async end(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.end()))
  }

  get #lanes(): Lane[] {
    return [...this.#reading, ...this.#writing, ...this.#burdened]
  }
}

/**
 * An insertion of any number of rows; the `values` of each row are consecutive parameters. If it also reads something,
 * each row that it reads says in `forRow` for which of the inserted rows, counted from 0, that is.
 */
export interface Insertion {
  text(rows: number): string
}

interface Gathering {
  rows: GatheredRow[]
  underWay: number
  isScheduled: boolean
}

interface GatheredRow {
  organizationId: string | null
  values: readonly unknown[]
  done(result: StatementResult): void
  fail(error: unknown): void
}

// Takes the first rows of one organization, because a statement adds rows to one only; the others stay queued.
function takeTogether(rows: GatheredRow[]): GatheredRow[] {
  const organizationId = rows[0]?.organizationId
  if (rows.every((row, i) => i >= MOST_ROWS || row.organizationId === organizationId)) return rows.splice(0, MOST_ROWS)
  const taken = rows.filter((row) => row.organizationId === organizationId).slice(0, MOST_ROWS)
  const left = rows.filter((row) => !taken.includes(row))
  rows.splice(0, rows.length, ...left)
  return taken
}

// Without the lanes that could not connect, because those answer sooner than all others, with their failure, and would be
// sent everything. With them if there are no others.
function usable(lanes: readonly Lane[]): readonly Lane[] {
  let failed = 0
  for (const lane of lanes) {
    if (!lane.hasFailed) continue
    failed++
    lane.reopen()
  }
  return failed === 0 || failed === lanes.length ? lanes : lanes.filter(({ hasFailed }) => !hasFailed)
}

// The first of the least busy lanes: a few connections in constant use are faster than many in occasional use.
function leastBusy(lanes: readonly Lane[]): Lane | undefined {
  const candidates = usable(lanes)
  let least = candidates[0]
  for (const lane of candidates) {
    if (lane.underWay === 0) return lane
    if (least !== undefined && lane.underWay < least.underWay) least = lane
  }
  return least
}

// While this many statements wait for the disk, further rows gather, so batches grow with the load. More statements at
// once would only compete for the database.
const MOST_INSERTS_UNDER_WAY = 5

// Larger statements hardly reduce the cost per row, and make every row wait for the others.
const MOST_ROWS = 4

// Classes 22 and 23: a value that a column cannot hold, a constraint violation.
function isOfOneRow(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^2[23]/.test(code)
}

const RECONNECT_AFTER_MS = 250

/** As long as a statement may take. */
const HEAVY_WAIT_MS = 10_000

// Setting the organization for the session costs as much as setting it for five statements.
const MANY_IN_A_ROW = 5

/** Far longer than this process pauses itself, when no answer is taken, however early it came. */
const HELD_UP_MS = 250

// One connection, opened on first use and reopened after a loss. Whatever was in flight when it was lost fails; it is
// never resent, because a write may have happened.
class Lane implements Watch {
  readonly #config: pg.ClientConfig
  readonly #role: string | null
  readonly #heavy: HeavyReads | null
  readonly #unanswered = new Unanswered(() => this.#open && streamOf(this.#open).destroy())
  readonly #silence: Silence
  readonly #instead: () => (readonly Lane[])[]
  /** How many statements wait for the connection. */
  #unsent = 0
  #client: Promise<pg.Client> | null = null
  #open: pg.Client | null = null
  #failedAt = 0
  #failure: unknown = null
  #underWay = 0
  /** Whose rows the session sees; null means nobody's, or everybody's on a connection that sees every row. */
  #shown: string | null = null
  #other: string | null = null
  /** How many consecutive statements were for that other one. */
  #others = 0
  #sequence: Sequence = { isBroken: false }
  readonly #settled = (): void => {
    this.#underWay--
  }

  /**
   * @param role the role to work as; null for the connecting user
   * @param heavy takes note of what is heavy
   * @param instead the lanes that can do the same, and then those that can if need be; itself is among them
   */
  constructor(
    config: pg.ClientConfig,
    role: string | null,
    heavy: HeavyReads | null,
    { silence, instead }: { silence: Silence; instead: () => (readonly Lane[])[] },
  ) {
    this.#config = config
    this.#instead = instead
    this.#role = role
    this.#heavy = heavy
    this.#silence = silence
    silence.watch(this.#unanswered)
  }

  answered({ organizationId, text, prepared, result }: Answered): void {
    const tookMs = this.#unanswered.answered()
    if (organizationId !== null) this.#heavy?.answered(organizationId, text, tookMs, prepared.length > 0, result)
  }

  /** Whether what is sent now would have to wait for a slow statement. */
  isHeldUp(nowMs: number): boolean {
    return this.#unanswered.waitedMs(nowMs) > HELD_UP_MS
  }

  get isOpen(): boolean {
    return this.#open !== null
  }

  /** Whether it could not connect when it last tried. */
  get hasFailed(): boolean {
    return this.#failure !== null
  }

  /** Tries to connect again, so that no statement has to find out whether that is possible. */
  reopen(): void {
    if (this.#client === null && !this.#hasJustFailed) this.#connect().catch(ignore)
  }

  /** How many statements the database has not answered, those that wait for the connection included. */
  get unanswered(): number {
    return this.#unanswered.count + this.#unsent
  }

  /** How many of the counted statements are still unanswered. */
  get underWay(): number {
    return this.#underWay
  }

  count(result: Promise<unknown>): void {
    this.#underWay++
    result.then(this.#settled, this.#settled)
  }

  run(
    organizationId: string | null,
    text: string,
    values: readonly unknown[],
    asJson: boolean,
  ): Promise<StatementResult> {
    if (this.#open !== null) return this.#submit(this.#open, organizationId, text, values, asJson)
    this.#unsent++
    return this.#connect()
      .finally(() => this.#unsent--)
      .then(
        (client) => this.#submit(client, organizationId, text, values, asJson),
        (error: unknown) => {
          // It was not sent, so another lane can do it.
          for (const lanes of this.#instead()) {
            const open = leastBusy(lanes.filter(({ isOpen }) => isOpen))
            if (open !== undefined) return open.run(organizationId, text, values, asJson)
          }
          throw error
        },
      )
  }

  #submit(
    client: pg.Client,
    organizationId: string | null,
    text: string,
    values: readonly unknown[],
    asJson: boolean,
  ): Promise<StatementResult> {
    const stream = streamOf(client)
    // Everything sent in one turn of the event loop leaves in one packet.
    if (stream.writableCorked === 0) {
      stream.cork()
      setImmediate(uncork, stream)
    }
    const preambles = this.#shows(client, organizationId)
      ? undefined
      : [{ statement: SHOW, values: [organizationId, 'true'] }]
    this.#unanswered.sent()
    return execute(client, this, organizationId, statementOf(text, asJson), values, this.#sequence, preambles)
  }

  // Whether the session already shows this organization's rows. For a run of its statements this is set once for the
  // session and then costs nothing; otherwise it is set for each statement, in its transaction.
  #shows(client: pg.Client, organizationId: string | null): boolean {
    if (organizationId === this.#shown) {
      this.#others = 0
      return true
    }
    if (organizationId === null || organizationId !== this.#other) {
      this.#other = organizationId
      this.#others = 0
    }
    if (++this.#others < MANY_IN_A_ROW) return false
    this.#show(client, organizationId)
    return true
  }

  #show(client: pg.Client, organizationId: string | null): void {
    this.#shown = organizationId
    this.#others = 0
    this.#say(client, SHOW, [organizationId ?? '', 'false'])
  }

  // If this fails, the statements behind it would see the wrong rows, so we drop the connection with everything on it.
  #say(client: pg.Client, statement: Statement, values: readonly string[]): void {
    this.#unanswered.sent()
    execute(client, this, null, statement, values, this.#sequence).catch(() => streamOf(client).destroy())
  }

  #connect(): Promise<pg.Client> {
    if (this.#client !== null) return this.#client
    if (this.#hasJustFailed) return Promise.reject(this.#failure)
    const client = new PrimaryClient(this.#config)
    let isLost = false
    const lost = () => {
      // It tells so twice, and by the second time there may be another one.
      if (isLost) return
      isLost = true
      this.#client = null
      this.#open = null
      this.#unanswered.renewed()
    }
    client.on('error', lost)
    client.on('end', lost)
    this.#client = client.connect().then(
      () => {
        this.#open = client
        this.#unanswered.renewed()
        this.#failure = null
        this.#sequence = { isBroken: false }
        if (this.#role !== null) this.#say(client, BECOME, [this.#role])
        this.#show(client, null)
        return client
      },
      (error: unknown) => {
        lost()
        this.#failedAt = Date.now()
        this.#failure = error
        throw error
      },
    )
    return this.#client
  }

  /** An unreachable database is asked four times a second, not once per waiting request. */
  get #hasJustFailed(): boolean {
    return Date.now() - this.#failedAt < RECONNECT_AFTER_MS
  }

  async end(): Promise<void> {
    this.#silence.forget(this.#unanswered)
    if (this.#client === null) return
    const client = await this.#client.catch(() => null)
    await client?.end()
  }
}

// By text, which is long: one that is put together for each look-up would be read anew each time.
const statements = new Map<string, Statement>()
const statementsAsJson = new Map<string, Statement>()
const MOST_STATEMENTS = 2000

// A prepared statement is identified by its text. The texts come from our code, not from callers, so there are only as
// many as there are query shapes; beyond the bound, statements are described each time instead of being cached.
export function statementOf(text: string, asJson: boolean): Statement {
  const known = asJson ? statementsAsJson : statements
  let statement = known.get(text)
  if (statement === undefined) {
    statement = { name: statementName(text) ?? '', text, asJson, isReliedOn: false, read: null }
    if (known.size < MOST_STATEMENTS) known.set(text, statement)
  }
  return statement
}

const names = new Map<string, string>()

/** The name under which a text is prepared; undefined if it is planned each time, or once there are too many names. */
export function statementName(text: string): string | undefined {
  if (isPlannedEachTime(text)) return undefined
  let name = names.get(text)
  if (name === undefined && names.size < MOST_STATEMENTS) {
    name = `s${names.size}`
    names.set(text, name)
  }
  return name
}

const SHOW = settingOf(ORGANIZATION_SETTING, '$2')
const BECOME = settingOf('role', 'false')

function settingOf(name: string, isLocal: string): Statement {
  const text = `select where set_config('${name}', $1, ${isLocal}) is null`
  return { name: statementName(text) ?? '', text, asJson: false, isReliedOn: true, read: null }
}

function ignore(): void {}

function uncork(stream: Duplex): void {
  stream.uncork()
}
