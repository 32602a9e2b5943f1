import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyWebhook, type WebhookEvent } from '../../client/webhooks.ts'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/** Tests the program as a developer would run it: against a real service, with a receiver that verifies signatures. */
let plumbline: TestPlumbline
let receiver: Server
let to: string
let status = 204
const got: WebhookEvent[] = []
const running = new Set<ChildProcess>()

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  receiver = createServer(async (request, response) => {
    got.push(await verifyWebhook({ headers: request.headers, body: await text(request) }, 'a secret of my own'))
    response.writeHead(status).end()
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
})

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  receiver.close()
  await plumbline.stop()
})

interface Program {
  child: ChildProcess
  /** Returns the output of the program so far. */
  said(): string
  /** Resolves to the exit code of the program. */
  ended: Promise<number | null>
}

function run(...args: string[]): Program {
  const child = spawn(process.execPath, [path.join(root, 'client/plumbline.ts'), 'listen', ...args], {
    env: {
      ...{ PATH: process.env.PATH, PLUMBLINE_URL: plumbline.url, PLUMBLINE_KEY: plumbline.key },
      PLUMBLINE_WEBHOOK_SECRET: 'a secret of my own',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)))
  return { child, said: () => output, ended }
}

test('listen forwards events with the signatures of real webhooks', async () => {
  await plumbline.post('/api/ext/vendors', { companyName: 'Before' })
  await plumbline.until('/api/ext/events', ({ body }) => body.data.length > 0)
  const program = run('--to', to, '--types', 'vendor.created')
  await expect.poll(program.said, { timeout: 20_000 }).toContain('Ready')
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })
  await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { phone: '1' })
  await expect.poll(program.said, { timeout: 20_000 }).toMatch(/vendor\.created → 204 /)
  status = 500
  await plumbline.post('/api/ext/vendors', { companyName: 'Pecan Plumbing' })
  await expect.poll(() => got.length, { timeout: 20_000 }).toBe(2)
  expect(got.map(({ type, data }) => [type, 'companyName' in data.object && data.object.companyName])).toEqual([
    ['vendor.created', 'Brazos Framing'],
    ['vendor.created', 'Pecan Plumbing'],
  ])
  const [first] = got
  const { body: listed } = await plumbline.get(`/api/ext/events/${first?.id}`)
  expect({ ...first, sequence: listed.sequence }).toEqual(listed)
  await expect.poll(program.said).toMatch(/vendor\.created → 204 .*\n.*vendor\.created → 500 /)
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)

  status = 204
  const again = run('--to', to, '--replay', first?.id ?? '')
  expect([await again.ended, got.at(-1)]).toEqual([0, first])
})

test('listen delivers missed events with --after', async () => {
  const [first] = got
  const program = run('--to', to, '--after', first?.id ?? '')
  await expect.poll(() => got.map(({ type }) => type), { timeout: 20_000 }).toContain('vendor.updated')
  program.child.kill('SIGINT')
  expect(await program.ended).toBe(0)
})

test('listen ends with an error message if its request is invalid', async () => {
  const denied = run('--to', to, '--key', await plumbline.newKey(['vendors:read']))
  expect([await denied.ended, denied.said()]).toEqual([1, expect.stringContaining('permission_denied')])
  const misspelt = run('--to', to, '--types', 'po.created, bid.sumbitted')
  expect([await misspelt.ended, misspelt.said()]).toEqual([
    ...[1, expect.stringMatching(/^Unknown event types: bid\.sumbitted\. Available: .*bid\.submitted/)],
  ])
  const wrong = run('--into', to)
  expect([await wrong.ended, wrong.said()]).toEqual([2, expect.stringContaining("Unknown option '--into'")])
})
