import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import type pg from 'pg'
import { Shares } from '../http/shares.ts'
import type { Lanes } from './connection-plan.ts'
import { HeavyReads } from './heavy-reads.ts'
import { Lane, leastBusy, usable } from './lane.ts'
import type { StatementResult } from './lean-query.ts'
import { isRead } from './reads.ts'
import type { Silence } from './silence.ts'
import { publishStatement } from './statements.ts'

/**
 * Runs single statements on a few connections that all requests share. PostgreSQL answers many small statements on one
 * connection in one batch, so nobody waits for a free connection, and each statement is parsed rarely on each of them.
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
    publishStatement(text, organizationId !== null)
    if (!isRead(text) || organizationId === null) {
      const lanes = organizationId === null ? this.#any : this.#writing
      return leastBusy(lanes).run(organizationId, text, values, asJson)
    }
    const planned = this.#heavy.planned(organizationId, text)
    const lane = this.#heavy.has(organizationId, planned) ? undefined : this.#nextReading()
    if (lane !== undefined) return lane.run(organizationId, planned, values, asJson)
    return new Promise((answered, failed) => {
      const turn = async () => {
        answered(await leastBusy(this.#burdened).run(organizationId, planned, values, asJson))
        // A large answer keeps this process busy for as long as the database, and only then is the next one asked for.
        await turnOfEventLoop()
      }
      this.#turns.run(organizationId, turn).catch(failed)
    })
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

/** As long as a statement may take. */
const HEAVY_WAIT_MS = 10_000
