import type { Duplex } from 'node:stream'
import type pg from 'pg'
import type { HeavyReads } from './heavy-reads.ts'
import {
  type Answered,
  execute,
  type Sequence,
  type Statement,
  type StatementResult,
  type Watch,
} from './lean-query.ts'
import { PrimaryClient } from './primary.ts'
import { type Silence, streamOf, Unanswered } from './silence.ts'
import { statementOf } from './statements.ts'
import { ORGANIZATION_SETTING } from './wall.ts'

const RECONNECT_AFTER_MS = 250

// Setting the organization for the session costs as much as setting it for five statements.
const MANY_IN_A_ROW = 5

/** Far longer than this process pauses itself, when no answer is taken, however early it came. */
const HELD_UP_MS = 250

/**
 * One connection, opened on first use and reopened after a loss. Whatever was in flight when it was lost fails; it is
 * never resent, because a write may have happened.
 */
export class Lane implements Watch {
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
  /** Whose rows the session sees; null means nobody's, or everybody's on a connection that sees every row. */
  #shown: string | null = null
  #other: string | null = null
  /** How many consecutive statements were for that other one. */
  #others = 0
  #sequence: Sequence = { isBroken: false }

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
            const open = lanes.filter(({ isOpen }) => isOpen)
            if (open.length > 0) return leastBusy(open).run(organizationId, text, values, asJson)
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

/**
 * Without the lanes that could not connect, because those answer sooner than all others, with their failure, and would be
 * sent everything. With them if there are no others.
 */
export function usable(lanes: readonly Lane[]): readonly Lane[] {
  let failed = 0
  for (const lane of lanes) {
    if (!lane.hasFailed) continue
    failed++
    lane.reopen()
  }
  return failed === 0 || failed === lanes.length ? lanes : lanes.filter(({ hasFailed }) => !hasFailed)
}

/** The first of the least busy lanes: a few connections in constant use are faster than many in occasional use. */
export function leastBusy(lanes: readonly Lane[]): Lane {
  let least: Lane | undefined
  for (const lane of usable(lanes)) if (least === undefined || lane.unanswered < least.unanswered) least = lane
  if (least === undefined) throw new Error('There is no lane to send it by.')
  return least
}

const SHOW = settingOf(ORGANIZATION_SETTING, '$2')
const BECOME = settingOf('role', 'false')

function settingOf(name: string, isLocal: string): Statement {
  return { ...statementOf(`select where set_config('${name}', $1, ${isLocal}) is null`, false), isReliedOn: true }
}

function ignore(): void {}

function uncork(stream: Duplex): void {
  stream.uncork()
}
