import type { Duplex } from 'node:stream'
import pg from 'pg'
import { execute, type Statement, type StatementResult } from './lean-query.ts'

/**
 * Single statements on a few connections that all requests share. PostgreSQL answers many small statements of one
 * connection in one batch, so nobody waits for a connection to be free, and each statement is parsed once per connection.
 *
 * Only statements that are transactions of their own may come here: what shares a connection shares its session.
 * A slow statement holds up those behind it, so every connection has a statement timeout; transactions and reports use the pool.
 */
export class SharedStatements {
  readonly #config: pg.ClientConfig
  readonly #reading: Lane[]
  readonly #writing: Lane[]
  #nextRead = 0
  #nextWrite = 0

  // Reads want few connections, for larger batches. A write waits for the disk, and those behind it wait too, so writes have more.
  constructor(config: pg.ClientConfig, lanes = { reading: 3, writing: 12 }) {
    this.#config = { ...config, pipeline: true, statement_timeout: 30_000 }
    this.#reading = Array.from({ length: lanes.reading }, () => new Lane(this.#config))
    this.#writing = Array.from({ length: lanes.writing }, () => new Lane(this.#config))
  }

  run(text: string, values: readonly unknown[], asJson = false): Promise<StatementResult> {
    const reads = text.startsWith('select')
    const lanes = reads ? this.#reading : this.#writing
    const at = reads ? ++this.#nextRead : ++this.#nextWrite
    const lane = lanes[at % lanes.length]
    if (lane === undefined) throw new Error('a lane is always there')
    return lane.run(text, values, asJson)
  }

  async end(): Promise<void> {
    await Promise.all([...this.#reading, ...this.#writing].map((lane) => lane.end()))
  }
}

const RECONNECT_AFTER_MS = 250

// One connection, opened on first use and opened anew after a loss. What was under way when it was lost fails; it is
// never sent again, because a write may have happened.
class Lane {
  readonly #config: pg.ClientConfig
  #client: Promise<pg.Client> | null = null
  #open: pg.Client | null = null
  #failedAt = 0
  #failure: unknown = null

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  run(text: string, values: readonly unknown[], asJson: boolean): Promise<StatementResult> {
    if (this.#open !== null) return submit(this.#open, text, values, asJson)
    return this.#connect().then((client) => submit(client, text, values, asJson))
  }

  #connect(): Promise<pg.Client> {
    if (this.#client !== null) return this.#client
    // A database that is away is asked again four times a second, not once per waiting request.
    if (Date.now() - this.#failedAt < RECONNECT_AFTER_MS) return Promise.reject(this.#failure)
    const client = new pg.Client(this.#config)
    const lost = () => {
      this.#client = null
      this.#open = null
    }
    client.on('error', lost)
    client.on('end', lost)
    this.#client = client.connect().then(
      () => {
        this.#open = client
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

  async end(): Promise<void> {
    if (this.#client === null) return
    const client = await this.#client.catch(() => null)
    await client?.end()
  }
}

const statements = new Map<string, Statement>()
const MOST_STATEMENTS = 2000

// A prepared statement is known by its text. The texts are made by the house, not by callers, so there are as many as
// there are shapes of questions; past the bound one is described anew each time instead of being remembered.
function statementOf(text: string, asJson: boolean): Statement {
  const key = asJson ? `json ${text}` : text
  let statement = statements.get(key)
  if (statement === undefined) {
    statement = { name: statementName(text) ?? '', text, asJson, read: null }
    if (statements.size < MOST_STATEMENTS) statements.set(key, statement)
  }
  return statement
}

const names = new Map<string, string>()

/** The name under which a text is prepared; undefined for one too many. */
export function statementName(text: string): string | undefined {
  let name = names.get(text)
  if (name === undefined && names.size < MOST_STATEMENTS) {
    name = `s${names.size}`
    names.set(text, name)
  }
  return name
}

function submit(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
  asJson: boolean,
): Promise<StatementResult> {
  const { stream } = client.connection
  // What one turn of the event loop sends leaves in one packet.
  if (stream.writableCorked === 0) {
    stream.cork()
    setImmediate(uncork, stream)
  }
  return execute(client, statementOf(text, asJson), values)
}

function uncork(stream: Duplex): void {
  stream.uncork()
}
