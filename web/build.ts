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
 * Builds the pages into dist/web with `node web/build.ts`. Does nothing if dist/web was built from the same sources, or
 * if Vite is not installed (`npm ci --omit=dev`). Runs after `npm ci`, before `npm start`, and before the tests.
 */
const target = path.join(root, '../dist/web')

/** Information about the build for the server, which server/interfaces/web/web-routes.ts reads. */
export interface BuildInfo {
  /** A digest of all source files. */
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
  // Builds the pages in a temporary folder and then moves it, so that the server never serves a partial build and
  // concurrent builds do not mix.
  const aside = mkdtempSync(`${target}-`)
  // With some other values of NODE_ENV, such as the value in tests, Vite bundles the development versions of the
  // libraries.
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
    // Makes the folder readable, because temporary folders are private to their owner and the service may run as
    // another user.
    chmodSync(aside, 0o755)
    rmSync(target, { recursive: true, force: true })
    renameSync(aside, target)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    // Another process has moved its build to the target in the meantime.
    if (readBuiltHash() !== sources) throw error
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
  return 'built'
}

/**
 * Writes the names of the page's files into its service worker, which stores these files. Leaves out the icons, which
 * only the operating system uses.
 */
function listFilesForServiceWorker(folder: string): void {
  const assets = listFiles(path.join(folder, 'assets')).map((name) => `./assets/${name}`)
  const file = path.join(folder, 'service-worker.js')
  const files = ['./', './manifest.webmanifest', ...assets]
  writeFileSync(file, `const FILES = ${JSON.stringify(files)}\n${readFileSync(file, 'utf8')}`)
}

// Sources outside web/ whose code is part of the build. The other files of the client contain only types.
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
