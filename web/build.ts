import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { PAGES } from './admin/pages.ts'
import { config, fieldConfig, root } from './vite.config.ts'

/**
 * Builds the pages into dist/web unless they were built from the same sources: `node web/build.ts`. Runs after
 * `npm ci`, before `npm start` and before the tests. Without Vite (`npm ci --omit=dev`), the script does nothing.
 */
const target = path.join(root, '../dist/web')

/** Build information for the server; server/interfaces/web/web-routes.ts reads it. */
export interface BuildInfo {
  /** A digest of all sources of the build. */
  sources: string
  /** The first path segments of the pages. */
  pages: readonly string[]
}

export async function buildPages(): Promise<'built' | 'fresh' | 'no vite'> {
  const sources = hashSources()
  if (readBuiltHash() === sources) return 'fresh'
  const vite = await import('vite').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  })
  if (vite === null) return 'no vite'
  mkdirSync(path.dirname(target), { recursive: true })
  // The pages are built in a temporary folder and then moved, so that no partial build is served and two concurrent
  // builds do not mix.
  const aside = mkdtempSync(`${target}-`)
  // Vite bundles the development versions of the libraries if NODE_ENV is set accordingly, as in tests.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await vite.build({ ...config, build: { ...config.build, outDir: aside } })
    const field = path.join(aside, 'field')
    await vite.build({ ...fieldConfig, build: { ...fieldConfig.build, outDir: field } })
    listFilesForServiceWorker(field)
    for (const file of listFiles(aside)) compressFile(path.join(aside, file))
    const built: BuildInfo = { sources, pages: PAGES }
    writeFileSync(path.join(aside, 'built.json'), JSON.stringify(built))
    // Temporary folders are private to their owner, and the service may run as another user.
    chmodSync(aside, 0o755)
    rmSync(target, { recursive: true, force: true })
    renameSync(aside, target)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    // Another process moved its build there in the meantime.
    if (readBuiltHash() !== sources) throw error
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
  return 'built'
}

/**
 * Writes the names of the page's files into its service worker, which stores the files. Only the operating system uses
 * the icons.
 */
function listFilesForServiceWorker(folder: string): void {
  const assets = listFiles(path.join(folder, 'assets')).map((name) => `./assets/${name}`)
  const file = path.join(folder, 'service-worker.js')
  const files = ['./', './manifest.webmanifest', ...assets]
  writeFileSync(file, `const FILES = ${JSON.stringify(files)}\n${readFileSync(file, 'utf8')}`)
}

// The client's other files contain only types, which are not part of the build.
const OTHER_SOURCES = ['client/problem.ts', 'client/retry.ts', 'package-lock.json']

function hashSources(): string {
  const hash = createHash('sha256')
  const files = [
    ...listFiles(root).map((file) => path.join(root, file)),
    ...OTHER_SOURCES.map((file) => path.join(root, '..', file)),
  ]
  for (const file of files.sort()) {
    if (existsSync(file)) hash.update(path.relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

function readBuiltHash(): string | null {
  try {
    return (JSON.parse(readFileSync(path.join(target, 'built.json'), 'utf8')) as BuildInfo).sources
  } catch {
    return null
  }
}

const MIN_COMPRESSED_BYTES = 200

function compressFile(file: string): void {
  const plain = readFileSync(file)
  if (plain.length < MIN_COMPRESSED_BYTES) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${file}.br`, brotliCompressSync(plain, { params }))
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
}

if (import.meta.main) {
  const outcome = await buildPages()
  if (outcome === 'no vite') console.error('The pages in dist/web are not built, because Vite is not installed.')
}
