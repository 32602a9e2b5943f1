import type { Duplex } from 'node:stream'
import type pg from 'pg'

/**
 * Ends connections to a database that says nothing any more. A machine that loses its power and a network that forgets a
 * connection tell nobody, and the system waits for an answer for a quarter of an hour. PostgreSQL gives up a statement
 * after the time that it may take, so where one is unanswered for longer there is nobody to answer: its caller is told
 * that the database is away, and the next statement gets a connection to the one that is there by then.
 */
export class Silence {
  readonly #watched = new Set<Unanswered>()
  readonly #statementMs: number
  readonly #timer: NodeJS.Timeout

  /** @param statementMs the time in milliseconds after which the database gives up a statement; 0 if it never does */
  constructor(statementMs: number) {
    this.#statementMs = statementMs === 0 ? Number.POSITIVE_INFINITY : statementMs
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  watch(connection: Unanswered): void {
    this.#watched.add(connection)
  }

  forget(connection: Unanswered): void {
    this.#watched.delete(connection)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const silent = [...this.#watched].filter(
      (connection) => connection.check() * CHECK_MS > connection.longest * this.#statementMs + GRACE_MS,
    )
    if (silent.length === 0) return
    // Whoever uses another one on which nothing was heard meanwhile would only be the next to find out.
    const sinceMs = Math.max(...silent.map(({ begunAtMs }) => begunAtMs)) + CHECK_MS
    for (const connection of this.#watched) if (connection.heardAtMs < sinceMs) connection.end()
  }
}

const CHECK_MS = 1000

/** Longer than a database takes that is so busy that it notices late how long a statement has taken. */
const GRACE_MS = 5000

/** What a connection was sent and has not been answered. */
export class Unanswered {
  readonly end: () => void
  #count = 0
  #longest = 1
  #begunAtMs = 0
  #heardAtMs = performance.now()
  #checkedAtMs = 0
  #checks = 0

  /** @param end ends the connection */
  constructor(end: () => void) {
    this.end = end
  }

  get count(): number {
    return this.#count
  }

  /** Of how many statements there may be one answer, each of which may take as long as one. */
  get longest(): number {
    return this.#longest
  }

  /** Since when the database is at the first of them, as `performance.now()` tells it. */
  get begunAtMs(): number {
    return this.#begunAtMs
  }

  /** When the database was last heard of on it, as `performance.now()` tells it. */
  get heardAtMs(): number {
    return this.#heardAtMs
  }

  /** For how long the database has been at the first of them, in milliseconds; 0 if there is none. */
  waitedMs(nowMs: number): number {
    return this.#count === 0 ? 0 : nowMs - this.#begunAtMs
  }

  /** @param statements how many are answered together */
  sent(statements = 1): void {
    if (this.#count++ === 0) {
      this.#begunAtMs = performance.now()
      this.#longest = statements
    } else if (statements > this.#longest) this.#longest = statements
  }

  /** Returns how long the database took for the first of them. */
  answered(): number {
    const nowMs = performance.now()
    const tookMs = nowMs - this.#begunAtMs
    // A statement begins when the one before it has been answered.
    this.#begunAtMs = nowMs
    this.#heardAtMs = nowMs
    this.#count--
    return tookMs
  }

  /** When the connection is a new one, or there is none. */
  renewed(): void {
    this.#count = 0
    this.#heardAtMs = performance.now()
  }

  /**
   * How many times in a row it has been found at the same statement. A clock would not do: a process that was stopped for a
   * while has not read the answers that came meanwhile.
   */
  check(): number {
    if (this.#count === 0 || this.#checkedAtMs !== this.#begunAtMs) this.#checks = 0
    else this.#checks++
    this.#checkedAtMs = this.#begunAtMs
    return this.#checks
  }
}

const onClients = new WeakMap<pg.ClientBase, Unanswered>()

export function unansweredOn(client: pg.ClientBase): Unanswered {
  let unanswered = onClients.get(client)
  if (unanswered === undefined) {
    unanswered = new Unanswered(() => streamOf(client).destroy())
    onClients.set(client, unanswered)
  }
  return unanswered
}

export function streamOf(client: pg.ClientBase): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream
}
