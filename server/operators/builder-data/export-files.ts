import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { findContent, listFilesAfter, toStorageKey } from '../../domain/attachments/queries.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { openFiles } from '../../platform/files/files.ts'
import { Problem } from '../../platform/problems/problem.ts'

/** The number of files to look up at once. Files are copied one by one. */
const PAGE_ROWS = 200

/**
 * An attachment whose file is not in the file store, for example because the database was restored without the files.
 */
interface MissingFile {
  id: string
  fileName: string
  recordId: string
}

/** The name of the file that lists missing files. It exists only if files are missing. */
export const MISSING_LIST = 'missing.json'

/**
 * Copies all attached files of a builder into a new folder. The name of each copy is the ID of its attachment. Files
 * that are missing in the file store are listed in `missing.json`, and all others are still copied.
 */
export async function exportFiles(
  { database, config }: { database: Database; config: Config },
  organizationId: string,
  folder: string,
  progress: (copied: number) => void = () => {},
): Promise<{ copied: number; missing: MissingFile[] }> {
  const { store } = openFiles(config)
  const tenant = { db: database.statements, organizationId }
  // Throws if the folder exists, so that the files of two builders are never mixed.
  await mkdir(folder, { mode: 0o700 })
  let copied = 0
  const missing: MissingFile[] = []
  for (let last = ''; ; ) {
    const files = await listFilesAfter(tenant, last, PAGE_ROWS)
    for (const file of files) {
      const content = await findContent(tenant, file.id)
      const bytes =
        content === undefined
          ? await openUnlessMissing(store, toStorageKey(organizationId, file.id))
          : [Buffer.from(content, 'base64')]
      if (bytes === null) {
        missing.push(file)
        continue
      }
      await pipeline(bytes, createWriteStream(path.join(folder, file.id), { mode: 0o600 }))
      progress(++copied)
    }
    const next = files.at(-1)
    if (next === undefined) break
    last = next.id
  }
  if (missing.length > 0)
    await writeFile(path.join(folder, MISSING_LIST), `${JSON.stringify(missing, null, 2)}\n`, { mode: 0o600 })
  return { copied, missing }
}

/** Opens a file; returns null if the file store does not have it. Throws if the file store cannot be read. */
async function openUnlessMissing(store: FileStore, key: string): Promise<Readable | null> {
  try {
    return await store.open(key, null)
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null
    throw error
  }
}
