import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The option with which PGlite starts PostgreSQL, so that PostgreSQL does not wait for the disk. */
const NO_FSYNC = '-F'

/**
 * Opens the embedded database. If `fsync` is true, PostgreSQL waits for the disk at each commit and checkpoint, as it
 * does on a server. By default, PGlite does not wait for two reasons: it starts PostgreSQL with `-F`, and its file
 * system ignores flushes.
 */
export async function openPGlite(folder: string, { fsync }: { fsync: boolean }): Promise<PGlite> {
  if (!fsync) return PGlite.create(folder)
  const lite = await PGlite.create({
    fs: new FlushingFileSystem(folder),
    startParams: [
      ...PGlite.defaultStartParams.filter((param) => param !== NO_FSYNC),
      // Use `fsync`, because the other methods need system calls that do nothing in PGlite.
      ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync'],
    ],
  })
  // Flush data that was written without waiting for the disk, during the setup of a new database or while `fsync` was
  // off.
  flushFolder(folder)
  flushPath(path.dirname(folder))
  return lite
}

/** An open file, as Emscripten passes it to file operations. Folders have no file descriptor. */
interface OpenFile {
  nfd?: number
  node: object
}

interface NodeFileSystem {
  stream_ops: { fsync?: (file: OpenFile) => void }
  realPath(node: object): string
}

class FlushingFileSystem extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options)
    const addFlush = (module: { NODEFS?: unknown }) => {
      const system = module.NODEFS as NodeFileSystem
      system.stream_ops.fsync = ({ nfd, node }) =>
        nfd === undefined ? flushPath(system.realPath(node)) : fsyncSync(nfd)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...[emscriptenOpts.preRun ?? []].flat(), addFlush] } }
  }
}

function flushFolder(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile() || entry.isDirectory()) flushPath(path.join(entry.parentPath, entry.name))
  flushPath(folder)
}

function flushPath(place: string): void {
  const descriptor = openSync(place, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
