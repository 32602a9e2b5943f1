import { setTimeout as delay } from 'node:timers/promises'
import { type PostgresProxy, type ProxyMoment, startPostgresProxy } from '../processes/postgres-proxy.ts'
import { type Receiver, startReceiver } from '../processes/receiver.ts'
import { type Environment, type Service, startService } from '../processes/service.ts'

/**
 * The points in the processing of an event at which a process may die. The service does not know these points. Its
 * traffic with the database and the receiver shows which point it has reached.
 */
export const KILL_POINTS = ['before commit', 'after commit', 'after claim', 'after send', 'before settle'] as const
export type KillPoint = (typeof KILL_POINTS)[number]

/** Calls `kill` as soon as the service reaches the point. */
export function armKill(point: KillPoint, proxy: PostgresProxy, receiver: Receiver, kill: () => void): void {
  proxy.arm(MOMENTS[point] ?? (() => false), kill)
  if (point !== 'after send') return
  let isKilled = false
  receiver.answer((_request, response) => {
    if (isKilled) return void response.writeHead(204).end()
    isKilled = true
    kill()
  })
}

export function disarmKill(proxy: PostgresProxy, receiver: Receiver): void {
  proxy.arm(
    () => false,
    () => {},
  )
  receiver.answer((_request, response) => void response.writeHead(204).end())
}

const isEventRecorded = ({ transaction }: ProxyMoment) =>
  transaction.some(({ text }) => text.includes('insert into "events"'))
const isCommitted = ({ kind, tag }: ProxyMoment) => kind === 'done' && tag === 'COMMIT'

const MOMENTS: Partial<Record<KillPoint, (moment: ProxyMoment) => boolean>> = {
  'before commit': (moment) => moment.kind === 'statement' && /^commit/i.test(moment.text) && isEventRecorded(moment),
  'after commit': (moment) => isCommitted(moment) && isEventRecorded(moment),
  'after claim': (moment) =>
    isCommitted(moment) &&
    moment.transaction.some(
      ({ text, tag }) => /update "deliveries" d set "claimedUntil"/.test(text) && /^UPDATE [1-9]/.test(tag),
    ),
  'before settle': ({ kind, text }) => kind === 'statement' && text.includes('insert into "deliveryAttempts"'),
}

export interface KillResult {
  /** The time in milliseconds from the end of the process to the delivery by the next process. */
  resumedMs: number
  /** The checks that failed. */
  faults: string[]
}

/**
 * Kills a process at the given point, starts another process, and checks the work of that process for the builder to
 * which the key belongs.
 */
export async function testKillPoint(point: KillPoint, environment: Environment, key: string): Promise<KillResult> {
  const proxy = await startPostgresProxy(environment.DATABASE_URL ?? '')
  const receiver = await startReceiver()
  const services: Service[] = []
  const start = async () => {
    // Does not compile the validators in advance. The process handles only a few requests, and compiling the whole
    // contract takes seconds.
    const service = await startService({ ...environment, DATABASE_URL: proxy.url, COMPILE_AHEAD: 'false' })
    services.push(service)
    return service
  }
  try {
    const first = await start()
    await sendRequest(first, key, '/api/ext/webhooks', { url: receiver.url, eventTypes: ['vendor.created'] })
    let diedMs = 0
    armKill(point, proxy, receiver, () => {
      diedMs = performance.now()
      first.signal('SIGKILL')
    })
    const create = (service: Service) =>
      sendRequest(service, key, '/api/ext/vendors', { companyName: 'Lone Star Framing LLC' }, 'vendor-1').catch(
        () => null,
      )
    const answered = await create(first)
    await Promise.race([first.ended, delay(20_000, undefined, { ref: false })])
    if (first.isRunning) throw new Error(`The service did not reach the point ${point}.`)
    disarmKill(proxy, receiver)

    const second = await start()
    const repeated = await create(second)
    const again = point === 'after send' || point === 'before settle' ? 2 : 1
    await receiver
      .until((received) => received.length >= again)
      .catch(() => receiver.until((all) => all.length >= again))
    const resumedMs = performance.now() - diedMs
    const { data: events } = (await readJson(second, key, '/api/ext/events')) as { data: { id: string }[] }
    const faults: string[] = []
    const expect = (held: boolean, what: string) => {
      if (!held) faults.push(what)
    }
    const isReplayed = point !== 'before commit'
    expect(repeated?.status === 201, `the repeated request returned ${repeated?.status}`)
    expect(repeated?.isReplayed === isReplayed, `the repeated request was ${isReplayed ? 'not ' : ''}replayed`)
    const isAnswered = point !== 'before commit' && point !== 'after commit'
    expect((answered !== null) === isAnswered, `the first request was ${isAnswered ? 'not ' : ''}answered`)
    expect(events.length === 1, `there are ${events.length} events`)
    expect(
      receiver.received.every(({ event }) => event.id === events[0]?.id),
      'something was delivered that was never committed',
    )
    expect(new Set(receiver.received.map(({ body }) => body)).size === 1, 'a repeated delivery has different bytes')
    expect(receiver.received.length === again, `it was delivered ${receiver.received.length} times, not ${again}`)
    expect(resumedMs < 30_000, `it resumed after ${Math.round(resumedMs)} ms`)
    return { resumedMs, faults }
  } finally {
    await Promise.all(services.map((service) => service.kill()))
    await proxy.close()
    await receiver.close()
  }
}

async function sendRequest(service: Service, key: string, path: string, body: object, idempotencyKey?: string) {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return { status: response.status, isReplayed: response.headers.get('idempotent-replayed') === 'true' }
}

async function readJson(service: Service, key: string, path: string): Promise<unknown> {
  const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } })
  return response.json()
}
