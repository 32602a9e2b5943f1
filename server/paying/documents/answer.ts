import type { Tenant } from '../../http/call.ts'
import { type FileAnswer, madeFile } from '../../http/file-answer.ts'
import { Shares } from '../../http/shares.ts'

/** Setting a long document takes a core for a tenth of a second, in which nobody else is answered. */
const turns = new Shares({ of: 'documents', most: 1, mostWaiting: 20, waitMs: 10_000 })

/** The document that `make` makes, in its turn, as a file with this name. */
export async function pdfAnswer(
  { organizationId }: Tenant,
  fileName: string,
  make: () => Promise<Buffer>,
): Promise<FileAnswer> {
  return madeFile(fileName, 'application/pdf', await turns.run(organizationId, make))
}
