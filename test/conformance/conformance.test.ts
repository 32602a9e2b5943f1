import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { contract, root } from '../../scripts/conformance/contract.ts'
import { isOpenToKeys, World } from '../../scripts/conformance/world.ts'
import { hasPostgres } from '../../scripts/processes/postgres.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/plumbline.ts'

/**
 * The conformance command as others run it in their CI: against this service, and against servers that break the
 * contract.
 */
const MINUTES = 60_000
// The checks do not depend on the database.
const isHere = inject('postgres') !== null || !hasPostgres()

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
  // A builder with data of its own, in which the run has to find its way and which it must leave alone.
  await new World(plumbline, plumbline.key, 'https://hooks.example.com/plumbline').populate()
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
  test('this service conforms, and its data are unchanged afterwards', { timeout: 10 * MINUTES }, async () => {
    const report = path.join(folder, 'report.xml')
    const before = await whatIsListed()
    const { code, output } = await conformance(plumbline.url, '--junit', report)
    expect([code, failures(output)]).toEqual([0, ''])
    const xml = readFileSync(report, 'utf8')
    expect(xml).toMatch(/^<\?xml version="1.0"/)
    for (const { id } of contract.operations.values()) expect(xml).toContain(`<testcase name="${id}"`)
    expect(xml).not.toContain('<failure')
    expect(xml).not.toContain('no key lacks the permission')
    expect(await whatIsListed()).toEqual(before)
  })

  test('it conforms behind a proxy that checks every request and answer', { timeout: 10 * MINUTES }, async () => {
    const proxy = await startPrism(plumbline.url)
    const { code, output } = await conformance(proxy.url, '--proxied')
    proxy.stop()
    expect([code, failures(output)]).toEqual([0, ''])

    const broken = await startBroken(plumbline.url, 'getVendor', { body: (body) => ({ ...body, shoeSize: 44 }) })
    // No more of the contract than the run needs, because Prism reads all it is given at the start.
    const other = await startPrism(broken.url, /^\/api\/ext\/(me$|vendors(\/|$))/)
    const refused = await conformance(other.url, '--proxied', '--only', 'getVendor')
    other.stop()
    broken.server.close()
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('errors#VIOLATIONS')])
  })

  const faults: [what: string, operation: string, break_: Break, said: RegExp][] = [
    ['an undeclared field', 'getVendor', { body: (body) => ({ ...body, shoeSize: 44 }) }, /shoeSize/],
    ['a field left out', 'getVendor', { body: ({ companyName: _, ...rest }) => rest }, /companyName/],
    ['an undeclared status', 'getUsage', { status: () => 299 }, /does not declare 299/],
    ['a stranger let in', 'listScopes', { letsIn: true }, /missing_key was expected/],
    ['a problem of another code', 'createScope', { body: (body) => ({ ...body, code: 'conflict' }) }, /conflict/],
    ['a list with a gap', 'listVendors', { body: withGap }, /nextCursor|are missing|Expected values/],
  ]
  test.each(faults)('a server is refused for %s', async (_what, operation, break_, said) => {
    const broken = await startBroken(plumbline.url, operation, break_)
    const { code, output } = await conformance(broken.url, '--only', operation)
    broken.server.close()
    expect([code, output]).toEqual([1, expect.stringMatching(said)])
  })

  test('it says only that a key is unknown to the server', async () => {
    const main = path.join(root, 'scripts/conformance/main.ts')
    const { code, output } = await running(process.execPath, [main, '--base-url', plumbline.url, '--key', 'plb_wrong'])
    expect([code, output]).toEqual([1, expect.stringMatching(/^The key is not accepted: 401 .*\n$/)])
  })

  test('without a server it says which option is missing, or that nothing answers', async () => {
    const { code, output } = await running(process.execPath, [path.join(root, 'scripts/conformance/main.ts')])
    expect([code, output]).toEqual([1, expect.stringContaining("required option '--base-url <url>' not specified")])
    const nobody = await conformance('http://127.0.0.1:9')
    expect([nobody.code, nobody.output]).toEqual([1, expect.stringContaining('http://127.0.0.1:9 does not answer')])
  })

  test('the package has a bin that runs outside this repository', { timeout: 3 * MINUTES }, async () => {
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
 * The ids that every list shows, except of what cannot be undone: resources that were ended, such as payments that were
 * voided, messages, events, and the files that a vendor handed in, which are its word.
 */
async function whatIsListed(): Promise<Record<string, string[]>> {
  const shown: Record<string, string[]> = {}
  for (const operation of contract.operations.values()) {
    const { id, path: target, method } = operation
    if (
      !isOpenToKeys(operation) ||
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
  'listAttachments',
  'listAuditEntries',
  'listEvents',
  'listExecutions',
  'listLienWaivers',
  'listMessages',
  'listProposals',
  'listTimesheets',
  'listStatusChanges',
  'listBidRequests',
  'listBids',
  'listPurchaseOrders',
  'listPayments',
  'listPaymentRuns',
  'listSelections',
  'listSales',
])

function failures(output: string): string {
  return output
    .split('\n')
    .filter((line) => /✖|Error|failing/.test(line))
    .join('\n')
}

interface Break {
  // biome-ignore lint/suspicious/noExplicitAny: whatever came over the wire is spoilt.
  body?: (body: any) => unknown
  status?: (status: number) => number
  letsIn?: boolean
}

function withGap(body: { data?: unknown[] }): unknown {
  return body.data === undefined || body.data.length > 4 ? body : { ...body, data: body.data.slice(1) }
}

/** The service with one fault in the answers of one operation. */
async function startBroken(
  target: string,
  id: string,
  { body, status, letsIn }: Break,
): Promise<{ url: string; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers }
    const isConcerned =
      contract.match(incoming.method ?? '', (incoming.url ?? '').split('?', 1)[0] ?? '').operation?.id === id
    if (letsIn === true && isConcerned) headers.authorization = `Bearer ${plumbline.key}`
    const passed = httpRequest(target + incoming.url, { method: incoming.method ?? '', headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = answer.headers['content-type']?.includes('json') === true
        const { 'content-length': _length, ...rest } = answer.headers
        const code = answer.statusCode ?? 500
        outgoing.writeHead(isConcerned && status ? status(code) : code, rest)
        outgoing.end(isConcerned && isJson && body ? JSON.stringify(body(JSON.parse(text))) : text)
      })
    })
    incoming.pipe(passed)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

async function startPrism(upstream: string, known = /^/): Promise<{ url: string; stop(): void }> {
  const port = await freePort()
  const paths = Object.entries(contract.document.paths).filter(([each]) => known.test(each))
  const cli = path.join(root, 'node_modules/@stoplight/prism-cli/dist/index.js')
  const document = path.join(folder, 'openapi.json')
  writeFileSync(document, JSON.stringify({ ...contract.document, paths: Object.fromEntries(paths) }))
  const options = ['--errors', '--port', String(port)]
  // What it says of each request takes longer to write and to read than the request itself, and nobody reads it.
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
  return new Promise((answered) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      answered(true)
    })
    socket.once('error', () => answered(false))
  })
}

async function freePort(): Promise<number> {
  const server = createNetServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
