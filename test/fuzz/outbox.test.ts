import 'fake-indexeddb/auto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FieldDay, FieldHome, FieldTask, FieldWalkthrough } from '../../client/contract.gen.ts'
import { type Random, SeededRandom } from '../../scripts/conformance/random.ts'
import type { RequestOptions } from '../../scripts/conformance/service.ts'
import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import {
  addPhoto,
  addPunchItem,
  changeTaskStatus,
  completeTask,
  delayTask,
  extendLog,
  type LogFields,
  type Photo,
  signWalkthrough,
  writeLog,
} from '../../web/field/day/actions.ts'
import { changeDay } from '../../web/field/outbox/change-day.ts'
import { type FieldDatabase, openFieldDatabase } from '../../web/field/outbox/database.ts'
import type { Entry, NewEntry } from '../../web/field/outbox/entry.ts'
import { addEntries, listEntries } from '../../web/field/outbox/outbox.ts'
import { type Connection, type Run, sendEntries } from '../../web/field/outbox/send-entries.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { repeatUntilDeadline, SECONDS, SEED, TIMEOUT_MS } from './bounds.ts'

/** The minimum number of sequences for each seed. Before a release, run the test with `OUTBOX_SEQUENCES=500`. */
const LEAST = Number(process.env.OUTBOX_SEQUENCES ?? 20)
/** The time limit for a sequence. It takes a few seconds, but a machine may run many other programs. */
const SEQUENCE_TIMEOUT_MS = 30_000
/** After this number of sequences, a long run prints its progress. */
const PROGRESS_INTERVAL = 25
const MAX_STEPS = 14
const HOURS = 3_600_000
const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAMAAADJ2y/JAAAAA1BMVEXY2NjlCUyjAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQI12NgIAcAAAA2AAFnV6ZyAAAAAElFTkSuQmCC',
  'base64',
)

let plumbline: TestPlumbline
let userId = ''
let organizationId = ''
let communityId = ''
let vendorIds: string[] = []
const counts = new Map<string, number>()
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)

/**
 * The maximum number of days by which a service's clock is moved. A session lasts for 14 days of the real clock, so a
 * new service is then started.
 */
const MAX_DAYS = 10

beforeAll(() => start())
afterAll(() => plumbline.stop())

async function start(): Promise<void> {
  plumbline = await startTestPlumbline()
  const { body } = await plumbline.get('/api/admin/session', await signIn())
  userId = body.user.id
  organizationId = body.organization.id
  communityId = (
    await created('communities', { name: 'Juniper Ridge', status: 'active', workdays: [1, 2, 3, 4, 5, 6, 7] })
  ).id
  vendorIds = [
    (await created('vendors', { companyName: 'Lone Star Paint' })).id,
    (await created('vendors', { companyName: 'Redrock Paint' })).id,
  ]
}

/**
 * Signs the user in. Tries again if needed: sign-in links expire by the real clock, so a job may delete a link while
 * the service's clock is ahead.
 */
async function signIn(attempts = 5): Promise<RequestOptions> {
  try {
    return await plumbline.signIn()
  } catch (error) {
    if (attempts === 0) throw error
    return signIn(attempts - 1)
  }
}

async function created(path: string, body: object) {
  const response = await plumbline.post(`/api/ext/${path}`, body)
  expect([path, response.body, response.status]).toEqual([path, response.body, 201])
  return response.body
}

test(`each change from a phone arrives exactly once or is held with a reason, for ${SECONDS} s, seed ${SEED}`, {
  timeout: TIMEOUT_MS + LEAST * SEQUENCE_TIMEOUT_MS,
}, async () => {
  const deadlineMs = performance.now() + SECONDS * 1000
  const batches = await repeatUntilDeadline(deadlineMs, async (seed) => {
    for (let i = 0; i < LEAST; i++) {
      const sequence = seed * LEAST + i
      await new Phone(sequence).run().catch((error: unknown) => {
        throw new Error(`Sequence ${sequence} failed.`, { cause: error })
      })
      // Moves the clock forward, because each sequence can exhaust the limit of requests per minute.
      plumbline.clock.advance(60_000)
      if ((i + 1) % PROGRESS_INTERVAL === 0) console.info(`seed ${SEED}: ${i + 1} of ${LEAST} sequences are done`)
      if (plumbline.clock.nowMs() - Date.now() < MAX_DAYS * 24 * HOURS) continue
      await plumbline.stop()
      await start()
    }
  })
  console.info(
    `seed ${SEED}, ${batches * LEAST} sequences: ${[...counts].map(([what, times]) => `${what} ${times}`).join(', ')}`,
  )
})

/** Creates a home with tasks, and stores the given entries on a new phone. */
async function storeEntries(name: string, makeEntries: (home: FieldHome, tasks: FieldTask[]) => NewEntry[]) {
  const home = await created('homes', { name, communityId })
  const tasks: FieldTask[] = []
  for (const task of ['Prime', 'Paint', 'Trim'])
    tasks.push({ ...(await created('tasks', { homeId: home.id, name: task })), waitsFor: [] })
  const fieldHome = { ...home, communityName: 'Juniper Ridge', timeZone: 'America/Chicago', trades: [] }
  const db = await openFieldDatabase(name)
  const author = { userId, organizationId }
  await addEntries(db, author, makeEntries(fieldHome, tasks), plumbline.clock.now())
  return { db, author, home: fieldHome as FieldHome, tasks }
}

/** Returns a connection that replaces the responses to requests whose URL contains `part`. */
async function connect(part: string, replace: () => Response): Promise<Connection> {
  const { headers: session } = await signIn()
  return {
    baseUrl: plumbline.url,
    now: () => plumbline.clock.now(),
    fetch: async (url, request) =>
      part !== '' && url.includes(part)
        ? replace()
        : fetch(url, { ...request, headers: { ...(request.headers as Record<string, string>), ...session } }),
  }
}

const page = (status: number) => () => new Response('<html>Proxy</html>', { status })
const html = { error: page(502), portal: page(200), block: page(403) }
const loseConnection = () => {
  throw new DOMException('The request timed out.', 'TimeoutError')
}
const delays = (home: FieldHome, tasks: FieldTask[]) =>
  tasks.flatMap((task) => delayTask(home, task, { days: 1, reasonCode: 'weather', note: null }))
const listTitles = async (db: FieldDatabase) =>
  (await listEntries(db)).map(({ title, held }) => [title, held?.title ?? null])

test.each([
  ['a 502 response', html.error],
  ['the page of a proxy with status 200', html.portal],
])('an entry that receives %s is skipped, and entries for other records are sent', async (_, replace) => {
  const { db, tasks } = await storeEntries(`skip ${replace().status}`, delays)
  const run = await sendEntries(db, await connect(`${tasks[0]?.id}/delay`, replace))
  expect(run).toMatchObject({ end: 'busy', arrived: 2 })
  expect(await listTitles(db)).toEqual([['Delay Prime by 1 workday', null]])
  expect(await sendEntries(db, await connect('', replace))).toMatchObject({ end: 'complete', arrived: 1 })
  expect((await plumbline.get(`/api/ext/tasks/${tasks[0]?.id}`)).body.delays).toHaveLength(1)
  db.close()
})

test('in the outbox, a later entry for the same record waits for a skipped entry', async () => {
  const { db, tasks } = await storeEntries('skip twice', (home, tasks) => [
    ...delays(home, tasks.slice(0, 1)),
    ...tasks.slice(0, 2).flatMap((task) => changeTaskStatus(home, task, 'in_progress', null)),
  ])
  await sendEntries(db, await connect(`${tasks[0]?.id}/delay`, html.error))
  expect(await listTitles(db)).toEqual([
    ['Delay Prime by 1 workday', null],
    ['Start Prime', null],
  ])
  db.close()
})

test('later outbox entries are sent even if a photo times out', async () => {
  const photo = { bytes: new Uint8Array(PHOTO).buffer, type: 'image/png', takenAt: '2026-11-20T15:00:00.000Z' }
  const { db } = await storeEntries('slow photo', (home, tasks) => [
    addPhoto(home, home.id, 'Kitchen', photo),
    ...delays(home, tasks),
  ])
  const run = await sendEntries(db, await connect('/attachments', loseConnection))
  expect(run).toMatchObject({ end: 'busy', arrived: 3 })
  expect(await listTitles(db)).toEqual([['Photo: Kitchen', null]])
  db.close()
})

test('the outbox stops sending if a request without a file receives no response', async () => {
  const { db } = await storeEntries('offline', delays)
  const run = await sendEntries(db, await connect('/delay', loseConnection))
  expect(run).toMatchObject({ end: 'offline', arrived: 0 })
  db.close()
})

test('an outbox entry that a proxy rejects does not block entries for other records', async () => {
  const { db, tasks } = await storeEntries('blocked', delays)
  const run = await sendEntries(db, await connect(`${tasks[0]?.id}/delay`, html.block))
  expect(run).toMatchObject({ end: 'complete', arrived: 2 })
  expect(await listTitles(db)).toEqual([['Delay Prime by 1 workday', 'The request did not reach the service.']])
  db.close()
})

test('the outbox sends the changes of an unsent daily log after the log', async () => {
  // The date of the log is from the real clock, and earlier tests move the clock of the service past the time during
  // which the log can be edited.
  await plumbline.stop()
  await start()
  const fields: LogFields = { weather: { condition: 'rain' }, crews: [], safety: [], workDone: 'Frost on the deck.' }
  const { db, author, home } = await storeEntries('offline log', (home) => writeLog(home, fields))
  const day: FieldDay = (await plumbline.get(`/api/ext/field/day?superintendentId=${userId}`)).body
  /** Returns the log as the screen shows it before it is sent. */
  const readPendingLog = async () => {
    const { logs } = (await listEntries(db)).reduce((changed, { changes }) => changeDay(changed, changes), day)
    const log = logs.find(({ homeId }) => homeId === home.id)
    if (log === undefined) throw new Error('Expected a log.')
    return log
  }
  for (const workDone of ['Deck is dry.', 'Deck is stained.'])
    await addEntries(db, author, extendLog(home, await readPendingLog(), { ...fields, workDone }), new Date())
  expect(await sendEntries(db, await connect('', html.error))).toMatchObject({ end: 'complete', arrived: 4 })
  expect(await listTitles(db)).toEqual([])
  const { data } = (await plumbline.get(`/api/ext/daily-logs?homeId=${home.id}`)).body
  expect(data).toMatchObject([{ status: 'submitted', workDone: 'Frost on the deck.\nDeck is dry.\nDeck is stained.' }])
  db.close()
})

/** The expected effect of a write in the service. */
interface Write {
  /** The IDs of the entries that the write consists of. */
  ids: string[]
  what: string
  /** For each entry, returns how many times the service has performed it. */
  find(): Promise<number[]>
}

/** A phone whose network fails. It sends real requests. */
class Phone {
  readonly #random: Random
  readonly #name: string
  readonly #writes: Write[] = []
  #session: RequestOptions = {}
  #home: FieldHome | undefined
  #tasks: FieldTask[] = []
  #walkthrough: FieldWalkthrough | undefined
  /** Decides at random which requests fail. Null while the network works. */
  #faults: Random | null
  /** Ends the current run in the same way as closing the page. */
  #kill: () => void = () => {}
  #clockIns = 0

  constructor(seed: number) {
    this.#random = new SeededRandom(seed)
    this.#faults = this.#random
    this.#name = `phone-${seed}`
  }

  async run(): Promise<void> {
    this.#session = await signIn()
    const home = await created('homes', { name: this.#name, communityId })
    const [vendorId] = vendorIds
    for (const name of ['Prime', 'Paint', 'Clean', 'Trim']) {
      const task = await created('tasks', {
        homeId: home.id,
        name,
        vendorId,
        checklist: [{ text: 'Done well', done: true }],
      })
      this.#tasks.push({ ...task, waitsFor: [] })
    }
    this.#home = { ...home, communityName: 'Juniper Ridge', timeZone: 'America/Chicago', trades: [] }
    this.#walkthrough = { ...(await created('walkthroughs', { homeId: home.id, kind: 'final' })), list: '' }
    const steps = this.#random.between(4, MAX_STEPS)
    for (let step = 0; step < steps; step++) await this.#step()
    await this.#settle()
    await this.#check()
    await plumbline.post('/api/ext/time-entries/clock-out', { userId })
  }

  async #step(): Promise<void> {
    const chosen = this.#random.between(1, 100)
    if (chosen <= 50) return this.#enter()
    if (chosen <= 75) return void (await this.#send())
    if (chosen <= 85) return this.#interfere()
    if (chosen <= 93) {
      count('waits of 25 hours')
      plumbline.clock.advance(25 * HOURS)
      return
    }
    count('ends of the session')
    this.#session = this.#session.headers?.cookie === undefined ? await signIn() : { headers: {}, key: null }
  }

  /** Stores a write in the same way as the page does when the user taps a button. */
  async #enter(): Promise<void> {
    const { what, entries, find } = this.#makeWrite()
    const db = await openFieldDatabase(this.#name)
    const ids = await addEntries(db, { userId, organizationId }, entries, plumbline.clock.now())
    db.close()
    count(what)
    this.#writes.push({ ids, what, find })
  }

  #makeWrite(): { what: string; entries: NewEntry[]; find(): Promise<number[]> } {
    const home = this.#home
    const task = this.#random.pick(this.#tasks)
    if (home === undefined) throw new Error('Expected a home.')
    const mark = `${this.#name} ${this.#writes.length}`
    const photo = { bytes: new Uint8Array(PHOTO).buffer, type: 'image/png', takenAt: '2026-11-20T15:00:00.000Z' }
    const read = async (path: string) => (await plumbline.get(`/api/ext/${path}`)).body
    const photosOf = async (recordId: string, caption: string) =>
      (await read(`attachments?recordId=${recordId}`)).data.filter(
        (file: { caption: string }) => file.caption === caption,
      ).length
    switch (this.#random.between(1, 8)) {
      case 1:
        return {
          ...{
            what: 'completions',
            entries: completeTask(home, task, { photo: null, checklist: task.checklist, force: null }),
          },
          find: async () => [(await read(`tasks/${task.id}`)).status === 'completed' ? 1 : 0],
        }
      case 2:
        return {
          ...{ what: 'starts', entries: changeTaskStatus(home, task, 'in_progress', null) },
          find: async () => [(await read(`tasks/${task.id}`)).actualStart === null ? 0 : 1],
        }
      case 3:
        return {
          ...{ what: 'delays', entries: delayTask(home, task, { days: 1, reasonCode: 'weather', note: mark }) },
          async find() {
            const { delays } = await read(`tasks/${task.id}`)
            return [delays.filter(({ note }: { note: string }) => note === mark).length]
          },
        }
      case 4:
        return {
          what: 'punch items with photos',
          entries: addPunchItem(home, {
            location: 'Hall',
            scope: 'painting',
            description: mark,
            isBeforeClosing: false,
            photo,
          }),
          async find() {
            const { data } = await read(`punch-items?homeId=${home.id}`)
            const items = data.filter(({ description }: { description: string }) => description === mark)
            return [items.length, items.length === 0 ? 0 : await photosOf(items[0].id, mark)]
          },
        }
      case 5:
        return {
          ...{ what: 'photos', entries: [addPhoto(home, task.id, mark, photo)] },
          find: async () => [await photosOf(task.id, mark)],
        }
      case 6:
        return this.#writeLog(home, mark)
      case 7:
        return this.#sign(home, mark, photo)
      default:
        return this.#clockIn(home)
    }
  }

  #writeLog(home: FieldHome, mark: string): { what: string; entries: NewEntry[]; find(): Promise<number[]> } {
    const logDate = addDays(toLocalDate('America/Chicago', plumbline.clock.now()), 0)
    const common = { place: home.name, method: 'POST', about: `log ${home.id} ${logDate}` } as const
    const log = {
      ...common,
      title: 'Daily log',
      path: '/api/ext/daily-logs',
      body: { homeId: home.id, logDate, workDone: mark },
    }
    const submit = { ...common, title: 'Submit', path: '/api/ext/daily-logs/{recordId}/submit', after: 'previous' }
    return {
      ...{ what: 'daily logs', entries: [log, submit] },
      async find() {
        const { data } = await plumbline.get(`/api/ext/daily-logs?homeId=${home.id}`).then(({ body }) => body)
        const own = data.filter(({ workDone }: { workDone: string }) => workDone === mark)
        return [
          own.length,
          own.filter(({ submittedAt }: { submittedAt: string | null }) => submittedAt !== null).length,
        ]
      },
    }
  }

  /** A buyer signs the walkthrough. A second signature is rejected. */
  #sign(
    home: FieldHome,
    mark: string,
    picture: Photo,
  ): { what: string; entries: NewEntry[]; find(): Promise<number[]> } {
    const walkthrough = this.#walkthrough
    if (walkthrough === undefined) throw new Error('Expected a walkthrough.')
    return {
      ...{ what: 'signatures', entries: signWalkthrough(home, walkthrough, { signedBy: mark, picture }) },
      async find() {
        const { body } = await plumbline.get(`/api/ext/walkthroughs/${walkthrough.id}`)
        const { body: files } = await plumbline.get(`/api/ext/attachments?recordId=${walkthrough.id}`)
        const drawn = files.data.filter(({ caption }: { caption: string }) => caption === mark)
        return [body.signature?.signedBy === mark ? 1 : 0, drawn.length]
      },
    }
  }

  #clockIn(home: FieldHome): { what: string; entries: NewEntry[]; find(): Promise<number[]> } {
    // Each time entry for the home has a different start, so that the test can distinguish them.
    const startedAt = new Date(plumbline.clock.nowMs() - ++this.#clockIns * 1000).toISOString()
    const common = { place: home.name, method: 'POST', about: 'clock' } as const
    const body = { userId, at: startedAt, homeId: home.id }
    return {
      what: 'clock-ins',
      entries: [{ ...common, title: 'Clock in', path: '/api/ext/time-entries/clock-in', body }],
      async find() {
        const { rows } = await sql<{ found: number }>`
          select count(*)::integer as "found" from "timeEntries" where "homeId" = ${home.id} and "startedAt" = ${startedAt}`.execute(
          plumbline.database.statements,
        )
        return [rows[0]?.found ?? 0]
      },
    }
  }

  /** Changes a task as the office would: either its dates, on which no entry depends, or its vendor. */
  async #interfere(): Promise<void> {
    count('changes by the office')
    const task = this.#random.pick(this.#tasks)
    if (this.#random.chance(0.6))
      await plumbline.post(`/api/ext/tasks/${task.id}/delay`, { days: 1, reasonCode: 'permit' })
    else await plumbline.patch(`/api/ext/tasks/${task.id}`, { vendorId: this.#random.pick(vendorIds) })
  }

  /** Sends the entries until the run ends or the page is closed. */
  async #send(): Promise<Run | 'killed'> {
    const db = await openFieldDatabase(this.#name)
    const killed = new Promise<'killed'>((resolve) => {
      this.#kill = () => resolve('killed')
    })
    const run = await Promise.race([sendEntries(db, this.#connection()), killed])
    db.close()
    count(run === 'killed' ? 'kills' : `runs that end ${run.end}`)
    return run
  }

  #connection(): Connection {
    return {
      baseUrl: plumbline.url,
      now: () => plumbline.clock.now(),
      fetch: async (url, request) => {
        const headers = { ...(request.headers as Record<string, string> | undefined), ...this.#session.headers }
        const send = () => fetch(url, { ...request, headers })
        const never = new Promise<never>(() => {})
        const drawn = this.#faults?.between(1, 100) ?? 100
        if (drawn <= 10) throw new TypeError('The network is down.')
        if (drawn <= 15) {
          this.#kill()
          return never
        }
        const response = await send()
        if (drawn <= 35) {
          await response.text()
          if (drawn <= 25) throw new TypeError('The response was lost.')
          this.#kill()
          return never
        }
        return response
      },
    }
  }

  /** Sends the entries over a working network until only held entries remain. */
  async #settle(): Promise<void> {
    this.#faults = null
    this.#session = await signIn()
    const ends: (Run['end'] | 'killed')[] = []
    for (let runs = 0; runs < 5; runs++) {
      const run = await this.#send()
      ends.push(run === 'killed' ? run : run.end)
      if (listUnexplained(await this.#listEntries()).length === 0) return
      plumbline.clock.advance(60_000)
    }
    expect([ends, listUnexplained(await this.#listEntries())]).toEqual([[], []])
  }

  async #listEntries(): Promise<Entry[]> {
    const db = await openFieldDatabase(this.#name)
    const entries = await listEntries(db)
    db.close()
    return entries
  }

  async #check(): Promise<void> {
    const entries = await this.#listEntries()
    const left = new Set(entries.map(({ id }) => id))
    for (const { held } of entries)
      if (held !== null) expect([held.title, held.detail].every((text) => text.length > 5)).toBe(true)
    for (const { ids, what, find } of this.#writes) {
      const found = await find()
      for (const [i, id] of ids.entries()) {
        const isLeft = left.has(id)
        count(isLeft ? 'entries held' : 'entries arrived')
        // Another entry or the office may already have set the task to the same status.
        const isStatus = what === 'completions' || what === 'starts'
        if (isStatus && isLeft) continue
        expect([what, found[i]]).toEqual([what, isLeft ? 0 : 1])
      }
    }
  }
}

/** Returns the entries that are neither held nor waiting for a held entry. */
function listUnexplained(entries: readonly Entry[]): Entry[] {
  const waiting = new Set<string>()
  return entries.filter(({ id, about, dependsOn, held }) => {
    if (held === null && !waiting.has(about) && !waiting.has(dependsOn ?? id)) return true
    waiting.add(id).add(about)
    return false
  })
}
