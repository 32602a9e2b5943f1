import type { Import, ImportDelimiter, ImportEncoding, ImportKind } from '../../../client/contract.gen.ts'
import { client } from '../../api/plumbline.ts'

/** Settings by the user that override the detected ones. */
export interface ReadingChoices {
  encoding?: ImportEncoding
  delimiter?: ImportDelimiter
  sheet?: string
  headerLine?: number
}

/** The maximum size of a file that the service accepts. */
export const MAX_IMPORT_BYTES = 5 * 1024 * 1024

/** The files that were chosen in this window, by import ID. A file can be uploaded again with other settings. */
const files = new Map<string, File>()

export function findImportFile(importId: string): File | undefined {
  return files.get(importId)
}

/**
 * Uploads a file and returns the import with the service's interpretation. Throws the problem if the service rejects
 * the file.
 */
export async function uploadImportFile(file: File, kind: ImportKind, choices: ReadingChoices = {}): Promise<Import> {
  const { data, error } = await client.POST('/api/ext/imports', {
    params: { query: { kind, fileName: file.name, ...choices } },
    headers: { 'Content-Type': 'application/octet-stream' },
    // In the contract's types, bytes are text. Here, the body is the file itself.
    ...{ body: file.name, bodySerializer: () => file },
  })
  if (error !== undefined) throw error
  files.set(data.id, file)
  return data
}
