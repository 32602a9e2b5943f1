import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { contentOf, keyOf, presentAfter } from '../../domain/attachments/queries.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { openFiles } from '../../platform/files/files.ts'

/** How many files are looked up at a time; they are copied one by one. */
const PAGE_ROWS = 200

/** Copies every file of a builder into a new folder, named by the id of its attachment, and says how many there were. */
export async function exportFiles(
  { database, config }: { database: Database; config: Config },
  organizationId: string,
  folder: string,
  progress: (copied: number) => void = () => {},
): Promise<number> {
  const { store } = openFiles(config)
  const tenant = { db: database.statements, organizationId }
  // Refused if it exists, so that nobody's files are mixed with another's.
  await mkdir(folder, { mode: 0o700 })
  let copied = 0
  for (let last = ''; ; ) {
    const ids = await presentAfter(tenant, last, PAGE_ROWS)
    for (const id of ids) {
      const content = await contentOf(tenant, id)
      const bytes =
        content === undefined ? await store.open(keyOf(organizationId, id), null) : [Buffer.from(content, 'base64')]
      await pipeline(bytes, createWriteStream(path.join(folder, id), { mode: 0o600 }))
      progress(++copied)
    }
    const next = ids.at(-1)
    if (next === undefined) return copied
    last = next
  }
}
