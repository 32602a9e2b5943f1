import pg from 'pg'

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

  run(text: string, values: readonly unknown[]): Promise<StatementResult> {
    const reads = text.startsWith('select')
    const lanes = reads ? this.#reading : this.#writing
    const at = reads ? ++this.#nextRead : ++this.#nextWrite
    const lane = lanes[at % lanes.length]
    if (lane === undefined) throw new Error('a lane is always there')
    return lane.run(text, values)
  }

  async end(): Promise<void> {
    await Promise.all([...this.#reading, ...this.#writing].map((lane) => lane.end()))
  }
}

export interface StatementResult {
  rows: Record<string, unknown>[]
  rowCount: number
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

  async run(text: string, values: readonly unknown[]): Promise<StatementResult> {
    return submit(this.#open ?? (await this.#connect()), text, values)
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

type RowBuilder = (fields: (string | null)[]) => Record<string, unknown>
const statementNames = new Map<string, string>()
const MOST_STATEMENTS = 1000

// A prepared statement is known by its text. Past the bound (texts are made by the house, not by callers, so it is
// never reached in earnest) statements go unnamed.
export function statementName(text: string): string | undefined {
  let name = statementNames.get(text)
  if (name === undefined && statementNames.size < MOST_STATEMENTS) {
    name = `s${statementNames.size}`
    statementNames.set(text, name)
  }
  return name
}

function submit(client: pg.Client, text: string, values: readonly unknown[]): Promise<StatementResult> {
  const name = statementName(text)
  const stream = (client as unknown as { connection: { stream: { cork?(): void; uncork?(): void; writableCorked?: number } } })
    .connection.stream
  // What one turn of the event loop sends leaves in one packet.
  if (stream.writableCorked === 0) {
    stream.cork?.()
    setImmediate(() => stream.uncork?.())
  }
  return client
    .query({ ...(name !== undefined && { name }), text, values: [...values] })
    .then((result) => ({ rows: result.rows as Record<string, unknown>[], rowCount: result.rowCount ?? 0 }))
}
export type { RowBuilder }
