/**
 * Checks whether third-party tools accept the published contract: `npm run test:peers`. Add `-- orval newman` to check
 * only some of them.
 *
 * Each tool is installed into its own folder in the system's temporary folder, because none is a dependency of this
 * project. The folders are kept for the next run. A client generated from the published document must compile under
 * strict TypeScript. Its first calls, a list and a creation, must succeed against a service with the demo data.
 * Spectral may report only the exceptions in scripts/spectral-published.yaml. The service must accept every request of
 * the Postman collection as valid.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createUnlimitedEnvironment, startService } from './processes/service.ts'

interface Peer {
  packages: string[]
  /** The versions of dependencies that npm installs instead of versions that are not available, by package. */
  overrides?: Record<string, string>
  files?: Record<string, string>
  /** Runs the check. Returns a line about the outcome, or throws if the check failed. */
  check(at: PeerPlace): Promise<string>
}

interface PeerPlace {
  folder: string
  url: string
  key: string
  /** Runs a tool from the folder in which it is installed, and returns its output. Throws if the tool fails. */
  run(tool: string, ...args: string[]): Promise<string>
}

const root = path.resolve(import.meta.dirname, '..')

const PEERS: Record<string, Peer> = {
  spectral: {
    packages: ['@stoplight/spectral-cli@6.16.3', '@stoplight/spectral-owasp-ruleset@2.0.1'],
    async check({ folder, run }) {
      copyFileSync(path.join(root, 'scripts/spectral-published.yaml'), path.join(folder, '.spectral.yaml'))
      await run('spectral', 'lint', 'openapi.json', '--fail-severity=hint')
      return 'spectral:oas and the OWASP ruleset find nothing'
    },
  },
  'hey-api': clientPeer({
    packages: ['@hey-api/openapi-ts@0.99.0'],
    generate: ['openapi-ts', '-i', 'openapi.json', '-o', 'out', '-c', '@hey-api/client-fetch'],
    calls: `import { createVendor, listVendors } from './out'
import { client } from './out/client.gen'
client.setConfig({ baseUrl: url, auth: key })
const { data: page } = await listVendors({ query: { limit: 2 } })
const { data: vendor } = await createVendor({ body: { companyName } })`,
  }),
  orval: clientPeer({
    packages: ['orval@8.38.0'],
    // Newer versions of this tool need a version of the validator that not every registry has.
    overrides: { '@scalar/openapi-parser': '0.29.7' },
    files: {
      // An upload is JSON or raw bytes. Without this option, the client that orval generates for both does not compile.
      'orval.config.mjs': `export default { plumbline: {
  input: './openapi.json',
  output: {
    target: './out/client.ts', client: 'fetch', mode: 'single', baseUrl: process.env.PLUMBLINE_URL,
    override: { splitByContentType: true },
  },
} }`,
    },
    generate: ['orval', '--config', 'orval.config.mjs'],
    calls: `import { createVendor, listVendors } from './out/client'
const headers = { Authorization: \`Bearer \${key}\` }
const listed = await listVendors({ limit: 2 }, { headers })
const page = listed.status === 200 ? listed.data : undefined
const created = await createVendor({ companyName }, {}, { headers })
const vendor = created.status === 201 ? created.data : undefined`,
  }),
  'swagger-typescript-api': clientPeer({
    packages: ['swagger-typescript-api@13.13.0'],
    generate: ['swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'out', '-n', 'client.ts'],
    calls: `import { Api } from './out/client'
const { api } = new Api({ baseUrl: url, baseApiParams: { headers: { Authorization: \`Bearer \${key}\` } } })
const { data: page } = await api.listVendors({ limit: 2 })
const { data: vendor } = await api.createVendor({ companyName })`,
  }),
  kubb: clientPeer({
    packages: [
      ...['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'].map((part) => `@kubb/${part}@4.39.3`),
      ...['fabric-core', 'react-fabric'].map((part) => `@kubb/${part}@0.16.1`),
    ],
    files: {
      'kubb.config.ts': `import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
export default defineConfig({
  input: { path: './openapi.json' },
  output: { path: './out', clean: true, format: false, lint: false },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: 'fetch' })],
})`,
    },
    generate: ['kubb', 'generate', '--config', 'kubb.config.ts'],
    // The generated client sends JSON without a content type. Users of the client must add it.
    calls: `import { createVendor, listVendors } from './out'
const headers = { Authorization: \`Bearer \${key}\`, 'Content-Type': 'application/json' }
const at = { baseURL: url, headers }
const page = await listVendors({ limit: 2 }, at)
const vendor = await createVendor({ companyName }, {}, {}, at)`,
  }),
  newman: {
    packages: ['openapi-to-postmanv2@6.3.3', 'newman@6.2.2'],
    async check({ folder, url, key, run }) {
      const options = 'folderStrategy=Tags,parametersResolution=Example,enableOptionalParameters=false'
      await run('openapi2postmanv2', '-s', 'openapi.json', '-o', 'examples.json', '-O', options)
      const collection = JSON.parse(readFileSync(path.join(folder, 'examples.json'), 'utf8')) as Folder
      const contract = readFileSync(path.join(folder, 'openapi.json'), 'utf8')
      await useExistingIds(collection, contract, url, key)
      writeFileSync(path.join(folder, 'collection.json'), JSON.stringify(collection))
      const report = ['--reporters', 'json', '--reporter-json-export', 'report.json']
      await run('newman', 'run', 'collection.json', '--env-var', `bearerToken=${key}`, ...report)
      return judgeRun(JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')) as NewmanReport)
    },
  },
}

function clientPeer(parts: {
  packages: string[]
  overrides?: Record<string, string>
  files?: Record<string, string>
  generate: [tool: string, ...args: string[]]
  /** Code that sets `page` and `vendor`. It can use `url`, `key`, and `companyName`. */
  calls: string
}): Peer {
  const tools = ['typescript@5.9.3', '@types/node@24.19.2', 'tsx@4.21.0']
  return {
    packages: [...parts.packages, ...tools],
    ...(parts.overrides && { overrides: parts.overrides }),
    files: {
      ...parts.files,
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          ...{
            target: 'es2022',
            lib: ['es2022', 'dom', 'dom.iterable'],
            module: 'esnext',
            moduleResolution: 'bundler',
          },
          ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: true, types: ['node'] },
          allowImportingTsExtensions: true,
        },
        include: ['out', 'call.ts'],
      }),
      'call.ts': `const url = process.env.PLUMBLINE_URL ?? ''
const key = process.env.PLUMBLINE_KEY ?? ''
const companyName = \`First call \${Date.now()}\`
${parts.calls}
if (page?.data.length !== 2) throw new Error('The list is not the requested one.')
if (vendor?.companyName !== companyName || !vendor.id.startsWith('ven_')) throw new Error('The vendor is not the created one.')
console.log(page.data[0]?.companyName, vendor.id)
`,
    },
    async check({ folder, run }) {
      rmSync(path.join(folder, 'out'), { recursive: true, force: true })
      const [tool, ...args] = parts.generate
      await run(tool, ...args)
      await run('tsc', '-p', '.')
      await run('tsx', 'call.ts')
      return 'its client compiles under strict, lists and creates'
    },
  }
}

const ID = /\b([a-z]{2,4})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

// The problem codes that requests may get. The requests are the contract's examples, whose IDs do not exist here and
// whose names may already be in use.
const EXPECTED_CODES = ['not_found', 'conflict', 'unknown_reference']

const requestedPeers = process.argv.slice(2)
// If the run is interrupted, the process must still exit normally, because this also ends the service.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const dataDir = mkdtempSync(path.join(tmpdir(), 'plumbline-peers-data-'))
const service = await startService({ ...createUnlimitedEnvironment({ DATA_DIR: dataDir }), DEMO: 'true' })
const failed: string[] = []
try {
  const { key } = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')) as { key: string }
  const published = `${service.url}/api/ext/schema/openapi.json`
  const contract = await (await fetch(published, { headers: { authorization: `Bearer ${key}` } })).text()
  for (const [name, peer] of Object.entries(PEERS)) {
    if (requestedPeers.length > 0 && !requestedPeers.includes(name)) continue
    const started = performance.now()
    const said = await examinePeer(name, peer, contract, service.url, key).catch((error: unknown) => {
      failed.push(name)
      return `FAILED: ${(error as Error).message}`
    })
    console.log(`${name.padEnd(24)} ${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${said}`)
  }
} finally {
  await service.stop()
}
process.exit(failed.length === 0 ? 0 : 1)

async function examinePeer(name: string, peer: Peer, contract: string, url: string, key: string): Promise<string> {
  const folder = path.join(tmpdir(), 'plumbline-peers', name)
  mkdirSync(folder, { recursive: true })
  const env = {
    PATH: `${path.join(root, 'node_modules/node/bin')}:${process.env.PATH}`,
    PLUMBLINE_URL: url,
    PLUMBLINE_KEY: key,
  }
  await installPackages(folder, peer)
  const files = { ...peer.files, 'openapi.json': contract }
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text)
  return peer.check({
    folder,
    url,
    key,
    run: (tool, ...args) => executeFile(path.join(folder, 'node_modules/.bin', tool), args, { cwd: folder, env }),
  })
}

async function installPackages(folder: string, { packages, overrides = {} }: Peer): Promise<void> {
  const manifest = JSON.stringify({ private: true, type: 'module', packages, overrides })
  const file = path.join(folder, 'package.json')
  const mark = path.join(folder, 'installed')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === manifest) return
  rmSync(path.join(folder, 'node_modules'), { recursive: true, force: true })
  rmSync(path.join(folder, 'package-lock.json'), { force: true })
  writeFileSync(file, manifest)
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  await executeFile('npm', ['install', ...quiet, ...packages], { cwd: folder, env: { ...process.env } })
  writeFileSync(mark, manifest)
}

function executeFile(file: string, args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<string> {
  return new Promise((done, fail) => {
    execFile(file, args, { ...options, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) done(stdout)
      else fail(new Error(`${path.basename(file)} ${args.join(' ')}\n${stdout.slice(-4000)}${stderr.slice(-4000)}`))
    })
  })
}

interface Folder {
  item?: Folder[]
  request?: { method: string; url: { variable?: { value: string }[] } }
}

/**
 * Changes the requests of the collection to read existing resources, because the IDs in the contract's examples do not
 * exist here.
 */
async function useExistingIds(collection: Folder, contract: string, url: string, key: string): Promise<void> {
  const existing = new Map<string, string>()
  for (const list of listCollectionPaths(contract)) {
    const response = await fetch(`${url}${list}?limit=200`, { headers: { Authorization: `Bearer ${key}` } })
    if (!response.ok) continue
    for (const [id, prefix = ''] of (await response.text()).matchAll(ID))
      if (!existing.has(prefix)) existing.set(prefix, id)
  }
  const visit = ({ item = [], request }: Folder): void => {
    for (const variable of request?.method === 'GET' ? (request.url.variable ?? []) : []) {
      variable.value = variable.value.replace(ID, (id, prefix: string) => existing.get(prefix) ?? id)
    }
    item.forEach(visit)
  }
  visit(collection)
}

/** Returns the paths of lists that have no required parameters. */
function listCollectionPaths(contract: string): string[] {
  const { paths } = JSON.parse(contract) as { paths: Record<string, { get?: { parameters?: Parameter[] } }> }
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const names = (get?.parameters ?? []).map(({ name, $ref = '' }) => name ?? $ref.slice($ref.lastIndexOf('/') + 1))
    return !path.includes('{') && names.some((name) => name.toLowerCase() === 'limit') ? [path] : []
  })
}
interface Parameter {
  name?: string
  $ref?: string
}

interface NewmanReport {
  run: {
    failures: unknown[]
    executions: { item: { name: string }; response?: { code: number; stream: { data: number[] } } }[]
  }
}

function judgeRun({ run: { failures, executions } }: NewmanReport): string {
  const codes = new Map<string, number>()
  const wrong: string[] = []
  for (const { item, response } of executions) {
    const text = Buffer.from(response?.stream.data ?? []).toString()
    const outcome =
      response === undefined ? 'nothing' : response.code < 400 ? 'success' : (JSON.parse(text) as { code: string }).code
    codes.set(outcome, (codes.get(outcome) ?? 0) + 1)
    if (outcome !== 'success' && !EXPECTED_CODES.includes(outcome)) wrong.push(`${item.name}: ${text}`)
  }
  if (failures.length > 0 || wrong.length > 0) throw new Error([...wrong, JSON.stringify(failures)].join('\n'))
  return `${executions.length} requests: ${[...codes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`
}
