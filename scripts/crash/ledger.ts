import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Receiver } from '../processes/receiver.ts'

/**
 * The maximum time until an event is listed. After a failover, the dispatcher may wait a second before it tries again.
 */
const MAX_LISTING_MS = 5000

/**
 * Continuously writes vendors. Records the bodies, the writes that were acknowledged, and the writes that got no
 * response. Afterward, compares these with the records in the service.
 */
export class Ledger {
  readonly #key: string
  /** The bodies that were sent, by externalId. The Idempotency-Key is the same as the externalId. */
  readonly #entries = new Map<string, Entry>()
  /** The number of responses of each kind, such as `201`, `503 unavailable`, or `no connection`. */
  readonly answers = new Map<string, number>()
  #isWriting = false
  #repeated = 0
  readonly #unrepeatable: string[] = []

  constructor(key: string) {
    this.#key = key
  }

  /** The time at which each write was last acknowledged, in milliseconds like `Date.now()`, by externalId. */
  get acknowledgedAt(): Map<string, number> {
    return new Map([...this.#entries].flatMap(([id, { atMs }]) => (atMs === null ? [] : [[id, atMs]])))
  }

  get acknowledged(): number {
    return [...this.#entries.values()].filter(({ vendor }) => vendor !== null).length
  }

  async subscribe(service: string, receiver: string): Promise<void> {
    const { status, body } = await this.#send('POST', service, '/api/ext/webhooks', {
      url: receiver,
      eventTypes: ['*'],
    })
    if (status !== 201) throw new Error(`The subscription returned ${status}: ${JSON.stringify(body)}`)
  }

  /** Writes with this number of concurrent writers until `stop` is called or the service no longer responds. */
  async write(service: string, writers: number): Promise<void> {
    this.#isWriting = true
    await Promise.all(
      Array.from({ length: writers }, async () => {
        while (this.#isWriting) {
          const externalId = randomUUID()
          const entry: Entry = { companyName: `Vendor ${externalId.slice(0, 8)}`, vendor: null, atMs: null }
          this.#entries.set(externalId, entry)
          const answer = await this.#create(service, externalId, entry)
          if (answer === 'no connection') return
          if (answer !== '201') await delay(100)
          else if (Math.random() < 0.3) await this.#rename(service, entry)
        }
      }),
    )
  }

  stop(): void {
    this.#isWriting = false
  }

  async untilMore(count: number): Promise<void> {
    const goal = this.acknowledged + count
    const deadline = Date.now() + 60_000
    while (this.acknowledged < goal) {
      if (Date.now() > deadline)
        throw new Error(`${this.acknowledged} of ${goal} writes were acknowledged in a minute.`)
      await delay(5)
    }
  }

  /** Repeats every request that got no response, with its original Idempotency-Key. */
  async repeatUnanswered(service: string): Promise<void> {
    for (const [externalId, entry] of this.#entries) {
      if (entry.vendor !== null) continue
      this.#repeated++
      const answer = await this.#create(service, externalId, entry)
      if (answer !== '201') this.#unrepeatable.push(`${externalId}: ${answer}`)
    }
  }

  /**
   * Compares the recorded writes with the records in the service. First waits until every event is listed, which
   * happens shortly after its record can be read.
   */
  async compare(service: string): Promise<Comparison> {
    const deadline = Date.now() + MAX_LISTING_MS
    for (;;) {
      const found = await this.#comparison(service)
      if (found.halves.length === 0 || Date.now() > deadline) return found
      await delay(50)
    }
  }

  async #comparison(service: string): Promise<Comparison> {
    const vendors = await this.#all<Vendor>(service, '/api/ext/vendors?limit=200&includeArchived=true')
    const events = await this.#all<Event>(service, '/api/ext/events?limit=200')
    const byExternalId = Map.groupBy(vendors, ({ externalId }) => externalId)
    const lost: string[] = []
    const doubled: string[] = [...this.#unrepeatable]
    const halves: string[] = []
    for (const [externalId, { companyName, vendor }] of this.#entries) {
      const found = byExternalId.get(externalId) ?? []
      if (found.length > 1) doubled.push(externalId)
      if (vendor === null) continue
      const [stored] = found
      // The service may have performed a change whose response was interrupted, so the version may be higher than
      // recorded.
      const isThere =
        stored?.id === vendor.id &&
        stored.version >= vendor.version &&
        (stored.version > vendor.version || stored.companyName === companyName)
      if (!isThere) lost.push(`${externalId} ${JSON.stringify(stored ?? null)}`)
    }
    const created = Map.groupBy(
      events.filter(({ type }) => type === 'vendor.created'),
      resourceIdOf,
    )
    const updated = Map.groupBy(
      events.filter(({ type }) => type === 'vendor.updated'),
      resourceIdOf,
    )
    for (const { id, version } of vendors) {
      if (created.get(id)?.length !== 1) halves.push(`${id} has ${created.get(id)?.length ?? 0} vendor.created`)
      if ((updated.get(id)?.length ?? 0) !== version - 1)
        halves.push(`${id} in version ${version} has ${updated.get(id)?.length ?? 0} vendor.updated`)
      created.delete(id)
    }
    for (const id of created.keys()) halves.push(`${id} has an event and does not exist`)
    return { lost, doubled, halves, vendors: vendors.length, events: events.length, repeated: this.#repeated }
  }

  async eventIds(service: string): Promise<Set<string>> {
    return new Set((await this.#all<Event>(service, '/api/ext/events?limit=200')).map(({ id }) => id))
  }

  /** Returns the events that the receiver did not get within a minute. */
  async undelivered(service: string, receiver: Receiver): Promise<string[]> {
    const deadline = Date.now() + 60_000
    for (;;) {
      const events = await this.#all<Event>(service, '/api/ext/events?limit=200')
      const delivered = new Set(receiver.received.map(({ event }) => (event as Event | null)?.id))
      const missing = events.filter(({ id }) => !delivered.has(id)).map(({ id, type }) => `${type} ${id}`)
      if (missing.length === 0 || Date.now() > deadline) return missing
      await delay(500)
    }
  }

  async #create(service: string, externalId: string, entry: Entry): Promise<string> {
    const { companyName } = entry
    const answer = await this.#send(
      'POST',
      service,
      '/api/ext/vendors',
      { companyName, externalId },
      { 'idempotency-key': externalId },
    )
    if (answer.status === 201) {
      entry.vendor = answer.body as Vendor
      entry.atMs = Date.now()
    }
    return this.#note(answer)
  }

  async #rename(service: string, entry: Entry): Promise<void> {
    if (entry.vendor === null) return
    const companyName = `${entry.companyName} renamed`
    const answer = await this.#send('PATCH', service, `/api/ext/vendors/${entry.vendor.id}`, { companyName })
    this.#note(answer)
    if (answer.status !== 200) return
    entry.vendor = answer.body as Vendor
    entry.atMs = Date.now()
    entry.companyName = companyName
  }

  #note({ status, body }: Answer): string {
    const code = (body as { code?: string } | null)?.code
    const answer = status === 0 ? 'no connection' : code === undefined ? String(status) : `${status} ${code}`
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1)
    return answer
  }

  async #all<Item>(service: string, first: string): Promise<Item[]> {
    const items: Item[] = []
    for (let next: string | null = ''; next !== null; ) {
      const target: string = next === '' ? first : `${first}&cursor=${next}`
      const { status, body } = await this.#send('GET', service, target)
      if (status !== 200) throw new Error(`${target} returned ${status}: ${JSON.stringify(body)}`)
      const page = body as { data: Item[]; nextCursor: string | null }
      items.push(...page.data)
      next = page.nextCursor
    }
    return items
  }

  // Sends each request on its own connection. Otherwise, the service could close an idle connection at the moment of
  // its reuse, which would look like an interrupted request.
  #send(
    method: string,
    service: string,
    target: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return new Promise((done) => {
      const sent = request(
        service + target,
        {
          method,
          agent: SINGLE_USE_AGENT,
          headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json', ...headers },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
          })
          response.on('end', () =>
            done({ status: response.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) }),
          )
          response.on('error', () => done(NO_ANSWER))
          response.on('aborted', () => done(NO_ANSWER))
        },
      )
      sent.on('error', () => done(NO_ANSWER))
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}

const SINGLE_USE_AGENT = new Agent({ keepAlive: false })
const NO_ANSWER: Answer = { status: 0, body: null }

function resourceIdOf(event: Event): string {
  return event.data.object.id
}

interface Entry {
  companyName: string
  /** The vendor as last acknowledged by the service; null if no write was acknowledged. */
  vendor: Vendor | null
  atMs: number | null
}

interface Vendor {
  id: string
  externalId: string
  companyName: string
  version: number
}

interface Event {
  id: string
  type: string
  data: { object: { id: string } }
}

interface Answer {
  status: number
  body: unknown
}

interface Comparison {
  lost: string[]
  doubled: string[]
  halves: string[]
  vendors: number
  events: number
  repeated: number
}
