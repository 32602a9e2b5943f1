import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createContext, Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import vectors from './webhooks.vectors.json' with { type: 'json' }

/**
 * Tests the package as it would be published: packs it, installs it in a project outside this repository, and uses it
 * there. Nothing is downloaded, because the dependencies of the package are already installed here.
 */
const root = path.resolve(import.meta.dirname, '..')
let folder: string
let tarball: string
let project: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'plumbline-package-'))
  // Pack from a clean copy, so that a stale or partial dist is never included.
  const source = path.join(folder, 'source')
  mkdirSync(source)
  cpSync(path.join(root, 'tsconfig.json'), path.join(folder, 'tsconfig.json'))
  cpSync(import.meta.dirname, source, { recursive: true, filter: (file) => path.basename(file) !== 'dist' })
  cpSync(path.join(root, 'node_modules/openapi-fetch'), path.join(folder, 'node_modules/openapi-fetch'), {
    recursive: true,
  })
  const helpers = 'node_modules/openapi-typescript-helpers'
  cpSync(path.join(root, helpers), path.join(folder, helpers), { recursive: true })
  // These packages are needed to compile the command-line program. Users of the client do not need them.
  for (const types of ['node_modules/@types/node', 'node_modules/undici-types'])
    cpSync(path.join(root, types), path.join(folder, types), { recursive: true })
  for (const config of ['tsconfig.bin.json', 'tsconfig.build.json']) run(source, tsc, '-p', config)
  const [packed] = JSON.parse(npm(source, 'pack', '--json', '--ignore-scripts')) as { filename: string }[]
  tarball = path.join(source, packed?.filename ?? '')

  project = path.join(folder, 'project')
  mkdirSync(project)
  const dependencies = {
    '@plumbline/client': `file:${tarball}`,
    'openapi-fetch': `file:${path.join(root, 'node_modules/openapi-fetch')}`,
    'openapi-typescript-helpers': `file:${path.join(root, 'node_modules/openapi-typescript-helpers')}`,
  }
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'scratch', type: 'module', dependencies }))
  npm(project, 'install', '--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund')
}, 180_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package contains only the built client, its types, the README, and the license', () => {
  const installed = path.join(project, 'node_modules/@plumbline/client')
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  const dist = readdirSync(path.join(installed, 'dist'))
  expect(dist.filter((file) => !/^[a-z.-]+\.(js|d\.ts)$/.test(file) || file.includes('test'))).toEqual([])
  const { dependencies } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')) as {
    dependencies: object
  }
  expect(Object.keys(dependencies)).toEqual(['openapi-fetch'])
})

test('npm accepts the package for publishing', () => {
  const told = JSON.parse(npm(path.join(folder, 'source'), 'publish', '--dry-run', '--json', '--ignore-scripts'))
  const { name, files } = told['@plumbline/client'] as { name: string; files: { path: string }[] }
  expect(name).toBe('@plumbline/client')
  expect(files.map(({ path }) => path)).toContain('dist/plumbline.js')
})

test('the installed command-line program prints its help', () => {
  const program = path.join(project, 'node_modules/.bin/plumbline')
  expect(execFileSync(program, ['--help'], { encoding: 'utf8' })).toContain('plumbline listen --to URL')
})

test('publint reports no problems', async () => {
  const { messages } = await publint({
    pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer },
    strict: true,
  })
  expect(messages).toEqual([])
})

test('the type declarations explain each conflict reason', () => {
  const declared = readFileSync(path.join(project, 'node_modules/@plumbline/client/dist/problems.gen.d.ts'), 'utf8')
  expect(declared).toMatch(/\/\*\* The vendor is on hold\. \*\/\s+readonly vendor_on_hold: ["']vendor_on_hold["']/)
})

test('the type declarations explain each field that refers to a schema with a description', () => {
  const declared = readFileSync(path.join(project, 'node_modules/@plumbline/client/dist/contract.gen.d.ts'), 'utf8')
  const lines = declared.slice(declared.indexOf('\n    schemas: {')).split('\n    };\n', 1)[0]?.split('\n') ?? []
  const references = lines.flatMap((line, at) =>
    /^ {12,}[\w"]+\??: \(?components\["schemas"\]/.test(line) ? [{ line, before: lines[at - 1] ?? '' }] : [],
  )
  expect(references.length).toBeGreaterThan(1000)
  expect(references.filter(({ before }) => !before.endsWith('*/')).map(({ line }) => line.trim())).toEqual([])
})

test('attw resolves every import of the package as an ES module to its types', () => {
  const attw = path.join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  const report = run(folder, attw, tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', '--no-color')
  expect(report.match(/^node16 \(from ESM\): OK|^bundler: OK/gm)).toHaveLength(8)
})

const USE = `
import { createClient, orThrow, PlumblineError, type Vendor } from '@plumbline/client'
import { bidStatusValues } from '@plumbline/client/enums'
import { verifyWebhook, type WebhookEvent } from '@plumbline/client/webhooks'

export const first: 'draft' | 'submitted' = bidStatusValues[0]
const client = createClient({ baseUrl: 'https://plumbline.example.com', key: 'plb_' })
export const vendor: Promise<Vendor> = orThrow(client.POST('/api/ext/vendors', { body: { companyName: 'x' } }))
export async function names(): Promise<string[]> {
  const all: string[] = []
  for await (const one of client.pages('/api/ext/vendors', { params: { query: { scope: 'framing' } } })) all.push(one.companyName)
  const { result } = await client.execute('awardBid', { bidId: 'x' })
  return [...all, ...result.rejectedBidIds]
}
export const event = (request: Request): Promise<WebhookEvent> => verifyWebhook({ headers: request.headers, body: '' }, '')
export const isOurs = (error: unknown): error is PlumblineError => error instanceof PlumblineError
// @ts-expect-error: no such field.
void client.POST('/api/ext/vendors', { body: { companyName: 'x', fax: '1' } })
// @ts-expect-error: no such skill.
void client.execute('awardBids', { bidId: 'x' })
`

describe.each([
  ['TypeScript 7', path.join(root, 'node_modules/typescript/bin/tsc')],
  ['TypeScript 5', path.join(root, 'scripts/codegen/node_modules/typescript/bin/tsc')],
])('a project with %s', (_which, compiler) => {
  test.each([
    [
      'in a browser, with a bundler',
      { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
    ],
    [
      'in Node',
      { module: 'nodenext', lib: ['es2022'], types: ['node'], typeRoots: [path.join(root, 'node_modules/@types')] },
    ],
    ['at the edge', { module: 'nodenext', lib: ['es2022', 'webworker', 'webworker.iterable'], types: [] }],
  ])('compiles %s, including the declarations of the package', (_where, options) => {
    writeFileSync(path.join(project, 'use.ts'), USE)
    const own = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      exactOptionalPropertyTypes: true,
      skipLibCheck: 'typeRoots' in options,
      // Checks the package's declarations, but not those of the compiler.
      skipDefaultLibCheck: true,
    }
    writeFileSync(
      path.join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...own, ...options }, files: ['use.ts'] }),
    )
    expect(run(project, compiler, '-p', '.')).toBe('')
  })
})

test('no public type contains `any`', () => {
  const dist = path.join(project, 'node_modules/@plumbline/client/dist')
  for (const file of readdirSync(dist).filter((name) => name.endsWith('.d.ts'))) {
    const code = readFileSync(path.join(dist, file), 'utf8')
      .replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '')
      .replaceAll(/"[^"\n]*"|'[^'\n]*'/g, '""')
    expect([file, code.match(/\bany\b/g)]).toEqual([file, null])
  }
})

test('the installed package runs in Node', () => {
  const [vector] = vectors
  writeFileSync(
    path.join(project, 'use.mjs'),
    `import { createClient, verifyWebhook } from '@plumbline/client'
     import { createServer } from 'node:http'
     const server = createServer((request, response) => {
       response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [request.headers.authorization], nextCursor: null }))
     })
     await new Promise((done) => server.listen(0, '127.0.0.1', done))
     const client = createClient({ baseUrl: 'http://127.0.0.1:' + server.address().port, key: 'plb_1' })
     const all = await Array.fromAsync(client.pages('/api/ext/vendors'))
     server.close()
     const { id, timestamp, signature, body, secret } = ${JSON.stringify(vector)}
     const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
     const event = await verifyWebhook({ headers, body }, secret, { now: new Date(timestamp * 1000) })
     console.log(JSON.stringify([all, event.id === id]))`,
  )
  expect(JSON.parse(run(project, path.join(project, 'use.mjs')))).toEqual([['Bearer plb_1'], true])
})

test('the package uses only web APIs and therefore runs in an edge runtime', async () => {
  const code = await bundled({ format: 'iife', external: [] })
  const asked: string[] = []
  const web = {
    ...{
      Request,
      Response,
      Headers,
      URL,
      URLSearchParams,
      AbortSignal,
      AbortController,
      Blob,
      FormData,
      TextEncoder,
      TextDecoder,
    },
    ...{ crypto, atob, setTimeout, clearTimeout },
    fetch: async (request: Request) => {
      asked.push(`${request.method} ${request.url} ${request.headers.has('Idempotency-Key')}`)
      return Response.json({ id: 'ven_1' })
    },
  }
  const context = createContext({ ...web, done: undefined })
  new Script(
    `${code}; done = plumbline.createClient({ baseUrl: 'https://plumbline.example.com', key: 'plb_' })
      .POST('/api/ext/vendors', { body: { companyName: 'x' } }).then(({ data }) => data.id)`,
  ).runInContext(context)
  expect(await context.done).toBe('ven_1')
  expect(asked).toEqual(['POST https://plumbline.example.com/api/ext/vendors true'])
})

test('the client without openapi-fetch is smaller than 6 kB, minified and gzipped', async () => {
  const bytes = gzipSync(await bundled({ format: 'esm', external: ['openapi-fetch'] }), { level: 9 }).length
  console.log(`@plumbline/client: ${bytes} bytes min+gzip beside openapi-fetch`)
  expect(bytes).toBeLessThan(6000)
})

test('a bundle that imports one enum contains no other enum', async () => {
  const page = path.join(project, 'page.mjs')
  writeFileSync(page, `import { vendorStatusValues } from '@plumbline/client/enums'\nconsole.log(vendorStatusValues)`)
  const bundle = await rolldown({ input: page, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  expect(output[0].code).toContain('on_hold')
  expect(output[0].code.length).toBeLessThan(200)
})

async function bundled({ format, external }: { format: 'esm' | 'iife'; external: string[] }): Promise<string> {
  const bundle = await rolldown({
    input: path.join(project, 'node_modules/@plumbline/client/dist/index.js'),
    external,
    platform: 'browser',
  })
  const { output } = await bundle.generate({ format, minify: true, name: 'plumbline', exports: 'named' })
  await bundle.close()
  const [chunk] = output
  // A browser could not load any other import.
  expect([...chunk.imports, ...chunk.dynamicImports].sort()).toEqual(external)
  return chunk.code
}

const tsc = path.join(root, 'node_modules/typescript/bin/tsc')

function run(cwd: string, ...args: string[]): string {
  try {
    return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${args.join(' ')}\n${stdout}\n${stderr}`)
  }
}

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}
