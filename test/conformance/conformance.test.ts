import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOpenToApiKeys } from '../../scripts/conformance/operation-kinds.ts'
import { CANNOT_SUCCEED, contract, root } from '../../scripts/conformance/walked-contract.ts'
import { World } from '../../scripts/conformance/world.ts'
import { findFreePort } from '../../scripts/processes/service.ts'
import type { Operation } from '../../server/platform/calls/contract.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import { startMock } from '../support/start-mock.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/**
 * Tests the conformance command as others would run it in their CI: against this service, and against servers that
 * violate the contract.
 */
const MINUTES = 60_000
// The checks do not depend on the database.
const isHere = isTestedHere()

let plumbline: TestPlumbline
let restrictedKey: string
let folder: string

interface Run {
  code: number
  output: string
}

beforeAll(async () => {
  if (!isHere) return
  folder = mkdtempSync(path.join(tmpdir(), 'plumbline-conformance-'))
  plumbline = await startTestPlumbline()
  restrictedKey = await plumbline.newKey([])
  // This builder already has data. The run must succeed anyway and leave the data unchanged.
  await new World(plumbline, plumbline.key, 'https://hooks.example.com/plumbline').populate('enough')
})

afterAll(async () => {
  if (!isHere) return
  await plumbline.stop()
  rmSync(folder, { recursive: true, force: true })
})

function conformance(baseUrl: string, ...options: string[]): Promise<Run> {
  return running(process.execPath, [path.join(root, 'scripts/conformance/main.ts'), ...amountText(baseUrl), ...options])
}

function amountText(baseUrl: string): string[] {
  return ['--base-url', baseUrl, '--key', plumbline.key, '--restricted-key', restrictedKey]
}

function running(command: string, args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NO_COLOR: '1' } },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: out + err })
      },
    )
  })
}

describe.skipIf(!isHere)('conformance', () => {
  test('the conformance test passes for this service', {
    timeout: 10 * MINUTES,
  }, async () => {
    const report = path.join(folder, 'report.xml')
    const before = await whatIsListed()
    const proxied = await startProxied(plumbline.url)
    const { code, output } = await conformance(proxied.url, '--junit', report)
    proxied.stop()
    expect([code, failures(output)]).toEqual([0, ''])
    const xml = readFileSync(report, 'utf8')
    expect(xml).toMatch(/^<\?xml version="1.0"/)
    for (const { id } of contract.operations.values()) expect(xml).toContain(`<testcase name="${id}"`)
    expect(xml).not.toContain('<failure')
    expect(xml).not.toContain('no key lacks the permission')
    expect(await whatIsListed()).toEqual(before)
    // The validating proxy found no request or response that violates the contract.
    expect(proxied.differing).toEqual([])
    const failed = [...contract.operations.keys()].filter((id) => !proxied.succeeded.has(id))
    expect(failed.sort()).toEqual([...CANNOT_SUCCEED].sort())
  })

  test('with --proxied, the conformance test fails if the proxy rejects a response', async () => {
    const broken = await startBroken(plumbline.url, 'getVendor', { body: (body) => ({ ...body, shoeSize: 44 }) })
    // Passes only these operations' part of the contract, because Prism reads the whole document when it starts.
    const proxy = await startPrism(broken.url, /^\/api\/ext\/(me$|execute$|vendors(\/|$))/)
    const taken = await conformance(proxy.url, '--proxied', '--only', 'updateVendor')
    expect([taken.code, failures(taken.output)]).toEqual([0, ''])
    const refused = await conformance(proxy.url, '--proxied', '--only', 'getVendor')
    proxy.stop()
    broken.stop()
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('errors#VIOLATIONS')])
  })

  const errors: [what: string, operation: string, break_: Break, said: RegExp][] = [
    ['an undeclared field', 'getVendor', { body: (body) => ({ ...body, shoeSize: 44 }) }, /shoeSize/],
    ['a missing field', 'getVendor', { body: ({ companyName: _, ...rest }) => rest }, /companyName/],
    ['an undeclared status', 'getUsage', { status: () => 299 }, /does not declare 299/],
    ['an operation that accepts unknown callers', 'listScopes', { letsIn: true }, /Expected: +401 missing_key/],
    ['another problem code', 'createScope', { body: (body) => ({ ...body, code: 'conflict' }) }, /conflict/],
    ['a list with a gap', 'listVendors', { body: withGap }, /items of one page in the same order/],
    ['an ignored filter', 'listVendors', { query: omitIds }, /only items whose id matches/],
  ]
  test.each(errors)('a server with %s fails the conformance test', async (_what, operation, break_, said) => {
    const broken = await startBroken(plumbline.url, operation, break_)
    const { code, output } = await conformance(broken.url, '--only', operation)
    broken.stop()
    expect([code, output]).toEqual([1, expect.stringMatching(said)])
  })

  test("the conformance test's report of a failure contains the operation, the request, the expectation, and the response", async () => {
    const broken = await startBroken(plumbline.url, 'getVendor', { body: ({ companyName: _, ...rest }) => rest })
    const { output } = await conformance(broken.url, '--only', 'getVendor')
    broken.stop()
    expect(output).toMatch(
      /Operation: getVendor\n *Request: +GET \/api\/ext\/vendors\/ven_\w+\n *Expected: +a response that the contract declares\n *Response: +200 \{.*\n *Actual: +.*\n.*companyName/,
    )
    expect(output).not.toContain(plumbline.key)
  })

  test('the stateless mock passes the conformance test with its own profile', async () => {
    const mock = await startMock()
    const main = path.join(root, 'scripts/conformance/main.ts')
    const options = ['--base-url', mock.url, '--key', 'plb_mock', '--profile', 'stateless']
    const { code, output } = await running(process.execPath, [main, ...options])
    await mock.stop()
    expect([code, failures(output)]).toEqual([0, ''])
    // Examples and errors were checked for every operation, without records or keys.
    for (const { id } of contract.operations.values()) expect(output).toMatch(new RegExp(`✔ ${id} `))
    expect(output).toContain('# a stateless mock keeps no records and checks no keys')
  })

  test('with an older version of Node, the conformance test reports the required version', async () => {
    const version = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })"
    const older = ['--import', `data:text/javascript,${encodeURIComponent(version)}`]
    const main = path.join(root, 'scripts/conformance/main.ts')
    const { code, output } = await running(process.execPath, [...older, main, ...amountText(plumbline.url)])
    expect([code, output]).toEqual([1, 'plumbline-conformance requires Node 22.18 or newer. This is Node 20.20.2.\n'])
  })

  test('the conformance test reports that the server rejected an unknown key', async () => {
    const main = path.join(root, 'scripts/conformance/main.ts')
    const { code, output } = await running(process.execPath, [main, '--base-url', plumbline.url, '--key', 'plb_wrong'])
    expect([code, output]).toEqual([1, expect.stringMatching(/^The server rejected the key: 401 .*\n$/)])
  })

  test('the conformance test reports a missing option or an unreachable server', async () => {
    const { code, output } = await running(process.execPath, [path.join(root, 'scripts/conformance/main.ts')])
    expect([code, output]).toEqual([1, expect.stringContaining("required option '--base-url <url>' not specified")])
    const nobody = await conformance('http://127.0.0.1:9')
    expect([nobody.code, nobody.output]).toEqual([1, expect.stringContaining('http://127.0.0.1:9 is not responding')])
  })

  test('the command of the conformance package runs outside this repository', { timeout: 3 * MINUTES }, async () => {
    const source = path.join(root, 'scripts/conformance')
    const npm = (cwd: string, ...args: string[]) =>
      execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const [packed] = JSON.parse(npm(source, 'pack', '--json', '--pack-destination', folder)) as { filename: string }[]
    expect(npm(source, 'publish', '--dry-run', '--json', '--ignore-scripts')).toContain('dist/contract.gen.json')
    writeFileSync(path.join(folder, 'package.json'), '{ "name": "elsewhere", "private": true }')
    npm(folder, 'install', '--offline', '--no-audit', '--no-fund', path.join(folder, packed?.filename ?? ''))
    const bin = path.join(folder, 'node_modules/.bin/plumbline-conformance')
    const { code, output } = await running(process.execPath, [bin, ...amountText(plumbline.url), '--only', 'getVendor'])
    expect([code, failures(output)]).toEqual([0, ''])
    expect(output).toContain('getVendor')
  })
})

/**
 * Returns the IDs in every list. Leaves out records that cannot be removed: resources in a final status, such as voided
 * payments, and messages, events, and files that a vendor submitted.
 */
async function whatIsListed(): Promise<Record<string, string[]>> {
  const shown: Record<string, string[]> = {}
  for (const operation of contract.operations.values()) {
    const { id, path: target, method } = operation
    if (
      !isOpenToApiKeys(operation) ||
      method !== 'GET' ||
      !id.startsWith('list') ||
      target.includes('{') ||
      LASTING.has(id)
    )
      continue
    const ids: string[] = []
    for (let cursor: string | null = null; ; ) {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`
      const { status, body } = await plumbline.get(`${target}?limit=100${query}`)
      if (status === 422) break
      ids.push(...body.data.map((item: { id?: string; status?: string }) => `${item.id} ${item.status}`))
      cursor = body.nextCursor ?? null
      if (cursor === null) break
    }
    shown[id] = ids
  }
  return shown
}
const LASTING = new Set([
  // Entries in the ledger are never removed.
  'listJournals',
  'listPeriodCloses',
  'listPostings',
  'listAttachments',
  'listAuditEntries',
  'listEvents',
  'listExecutions',
  'listImports',
  'listLienWaivers',
  'listMessages',
  'listProposals',
  'listTimesheets',
  'listStatusChanges',
  'listBidRequests',
  'listBills',
  'listBids',
  'listPurchaseOrders',
  'listPayments',
  'listPaymentRuns',
  'listSelections',
  // Records of field work and warranty are canceled instead of removed.
  'listPermits',
  'listInspections',
  'listDailyLogs',
  'listWalkthroughs',
  'listPunchItems',
  'listWarrantyRequests',
  'listVisits',
  'listSales',
])

function failures(output: string): string {
  return output
    .split('\n')
    .filter((line) => /✖|Error\b|failing/.test(line))
    .join('\n')
}

interface Break {
  // biome-ignore lint/suspicious/noExplicitAny: any body may be corrupted.
  body?: (body: any) => unknown
  status?: (status: number) => number
  letsIn?: boolean
  query?: (query: URLSearchParams) => void
}

function changeQuery(url: string, change: (query: URLSearchParams) => void): string {
  const [target = '', text] = url.split('?')
  const query = new URLSearchParams(text)
  change(query)
  return query.size === 0 ? target : `${target}?${query}`
}

function omitIds(query: URLSearchParams): void {
  query.delete('ids')
}

function withGap(body: { data?: unknown[] }): unknown {
  return body.data === undefined || body.data.length > 4 ? body : { ...body, data: body.data.slice(1) }
}

/** Starts the service behind a server that falsifies the responses of one operation. */
function startBroken(target: string, id: string, { body, status, letsIn, query }: Break): Promise<Running> {
  return startFront(async (sent) => {
    const isConcerned = sent.operation?.id === id
    const admitted = { ...sent.headers, authorization: `Bearer ${plumbline.key}` }
    const passed = isConcerned && query !== undefined ? { ...sent, url: changeQuery(sent.url, query) } : sent
    const provided = await pass(target, letsIn === true && isConcerned ? { ...passed, headers: admitted } : passed)
    if (!isConcerned) return provided
    const { 'content-length': _length, ...headers } = provided.headers
    const isJson = headers['content-type']?.includes('json') === true
    return {
      status: status ? status(provided.status) : provided.status,
      headers,
      body: isJson && body ? Buffer.from(JSON.stringify(body(JSON.parse(provided.body.toString())))) : provided.body,
    }
  })
}

/**
 * Starts the service behind a server that sends the first request of each kind, and the response, through a validating
 * proxy. Other requests skip the proxy, because it is slow and a second request of the same kind would reveal nothing
 * new.
 */
async function startProxied(
  target: string,
): Promise<Running & { succeeded: ReadonlySet<string>; differing: readonly string[] }> {
  // The command sends its requests one after another, so only one response is pending at a time.
  let waiting: Given = { status: 500, headers: {}, body: Buffer.from('') }
  const behind = await startFront(async () => waiting)
  const prism = await startPrism(behind.url)
  const [kinds, succeeded] = [new Set<string>(), new Set<string>()]
  const differing: string[] = []
  const front = await startFront(async (sent) => {
    const provided = await pass(target, sent)
    const kind = getKind(sent, provided)
    if (kind === null || kinds.has(kind)) return provided
    kinds.add(kind)
    waiting = provided
    const { status, body } = await pass(prism.url, sent)
    if (status !== provided.status) differing.push(`${kind}, and ${status} from the proxy: ${body}`)
    else if (status < 300) succeeded.add(sent.operation?.id ?? '')
    return provided
  })
  const stop = () => {
    for (const each of [front, prism, behind]) each.stop()
  }
  return { url: front.url, stop, succeeded, differing }
}

/**
 * Returns the kind of a request, which is one of the cases that the contract distinguishes: the operation, the kind of
 * input, and the status. A rejection that the contract declares for many operations is a separate kind, because a proxy
 * cannot predict it from the request. Returns null for requests that a proxy does not forward, which are those with an
 * unknown path or method or with a body that is not JSON.
 */
function getKind({ operation, url, headers, body }: Sent, { status }: Given): string | null {
  if (operation === null || status === 400 || status === 415) return null
  const declared = operation.declaration.responses[String(status)]
  const isForeseen = status < 400 || status === 422 || headers.authorization === undefined
  if (!isForeseen && declared !== undefined && '$ref' in declared) return String(declared.$ref)
  const query = new URLSearchParams(url.split('?')[1])
  const fields = body.length === 0 ? [] : Object.keys(JSON.parse(body.toString()) as object)
  const key = headers.authorization === undefined ? 'no key' : 'a key'
  return `${operation.id} ${status} with ${[key, ...query.keys(), ...fields].join(', ')}`
}

interface Running {
  url: string
  stop(): void
}

interface Sent {
  operation: Operation | null
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

interface Given {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Starts a server that responds to each request with the result of the given function. */
async function startFront(response: (sent: Sent) => Promise<Given>): Promise<Running> {
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    const { operation } = contract.match(method, url.split('?', 1)[0] ?? '')
    const provided = await response({ operation, method, url, headers, body: await buffer(incoming) })
    outgoing.writeHead(provided.status, provided.headers).end(provided.body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

async function pass(target: string, { method, url, headers, body }: Sent): Promise<Given> {
  const passed = request(target + url, { method, headers }).end(body)
  const [response] = (await once(passed, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 500, headers: response.headers, body: await buffer(response) }
}

async function startPrism(upstream: string, known = /^/): Promise<Running> {
  const port = await findFreePort()
  const paths = Object.entries(contract.document.paths).filter(([each]) => known.test(each))
  const cli = path.join(root, 'node_modules/@stoplight/prism-cli/dist/index.js')
  const document = path.join(folder, 'openapi.json')
  writeFileSync(document, JSON.stringify({ ...contract.document, paths: Object.fromEntries(paths) }))
  const options = ['--errors', '--port', String(port)]
  // Turns off the proxy's log. Writing and reading it takes longer than the request, and the test does not need it.
  const quietly = ['--verboseLevel', 'fatal']
  const child = spawn(process.execPath, [cli, 'proxy', document, upstream, ...options, ...quietly], { stdio: 'ignore' })
  process.once('exit', () => child.kill())
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`Prism ended with ${code}.`)))
  })
  ended.catch(() => {})
  while (!(await Promise.race([isOpen(port), ended]))) await setTimeout(50)
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((responded) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      responded(true)
    })
    socket.once('error', () => responded(false))
  })
}
