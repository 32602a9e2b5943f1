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
import { config, root } from './vite.config.ts'

/**
 * Builds the pages into dist/web unless they were built from the same sources: `node web/build.ts`. Runs after `npm
 * ci`, before `npm start` and before the tests. Without Vite (`npm ci --omit=dev`) it does nothing.
 */
const target = path.join(root, '../dist/web')

/** Build information for the server; server/interfaces/web/routes.ts reads it. */
export interface Built {
  /** A digest of all sources of the build. */
  sources: string
  /** The first path segments of the pages. */
  pages: readonly string[]
}

export async function buildPages(): Promise<'built' | 'fresh' | 'no vite'> {
  const sources = digest()
  if (builtFrom() === sources) return 'fresh'
  const vite = await import('vite').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  })
  if (vite === null) return 'no vite'
  mkdirSync(path.dirname(target), { recursive: true })
  // Built in a temporary folder and then moved, so that no partial build is served and two concurrent builds do not
  // mix.
  const aside = mkdtempSync(`${target}-`)
  // Vite bundles the development versions of the libraries if NODE_ENV says so, as it does in tests.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await vite.build({ ...config, build: { ...config.build, outDir: aside } })
    for (const file of filesIn(aside)) compress(path.join(aside, file))
    const built: Built = { sources, pages: PAGES }
    writeFileSync(path.join(aside, 'built.json'), JSON.stringify(built))
    // Temporary folders are private to their owner, and the service may run as another user.
    chmodSync(aside, 0o755)
    rmSync(target, { recursive: true, force: true })
    renameSync(aside, target)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    // Another process moved its build there in the meantime.
    if (builtFrom() !== sources) throw error
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
  return 'built'
}

// The client's other files contain only types, which are not part of the build.
const BESIDES = ['client/problem.ts', 'client/retry.ts', 'package-lock.json']

function digest(): string {
  const hash = createHash('sha256')
  const files = [
    ...filesIn(root).map((file) => path.join(root, file)),
    ...BESIDES.map((file) => path.join(root, '..', file)),
  ]
  for (const file of files.sort()) {
    if (existsSync(file)) hash.update(path.relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

function builtFrom(): string | null {
  try {
    return (JSON.parse(readFileSync(path.join(target, 'built.json'), 'utf8')) as Built).sources
  } catch {
    return null
  }
}

const SMALLEST_COMPRESSED = 200

function compress(file: string): void {
  const plain = readFileSync(file)
  if (plain.length < SMALLEST_COMPRESSED) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${file}.br`, brotliCompressSync(plain, { params }))
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
}

if (import.meta.main) {
  const outcome = await buildPages()
  if (outcome === 'no vite') console.error('The pages in dist/web are not built, because Vite is not installed.')
}
