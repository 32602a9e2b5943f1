import { createHash } from 'node:crypto'
import type { Tenant } from '../../http/call.ts'
import { type FileAnswer, madeFile } from '../../http/file-answer.ts'
import { Shares } from '../../http/shares.ts'
import { keepLatest } from '../../values/keep-latest.ts'

/** Setting a long document takes a core for a tenth of a second, in which nobody else is answered. */
const turns = new Shares({ of: 'documents', most: 1, mostWaiting: 20, waitMs: 10_000 })

/**
 * The documents that were made last, by what they were made from: whoever has one asks whether it is still the same, for
 * its length, or for its next part.
 */
const made = new Map<string, Buffer>()

/** Together four megabytes at most; an order of a few lines takes some 20 kB. */
const MOST_KEPT = 16
const MOST_BYTES = 256 * 1024

/** The document that `make` makes of the sheet, in its turn, as a file with this name. */
export async function pdfAnswer<Sheet extends object>(
  { organizationId }: Tenant,
  fileName: string,
  sheet: Sheet,
  make: (sheet: Sheet) => Promise<Buffer>,
): Promise<FileAnswer> {
  const name = createHash('sha256')
    .update(JSON.stringify([organizationId, sheet]))
    .digest('base64url')
  const bytes = made.get(name) ?? (await turns.run(organizationId, () => make(sheet)))
  keep(name, bytes)
  return madeFile(fileName, 'application/pdf', bytes)
}

function keep(name: string, bytes: Buffer): void {
  if (bytes.length > MOST_BYTES) return
  keepLatest(made, name, bytes, MOST_KEPT)
}
