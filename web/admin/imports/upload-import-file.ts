import type { Import, ImportDelimiter, ImportEncoding, ImportKind } from '../../../client/contract.gen.ts'
import { client } from '../../api/plumbline.ts'

/** Settings for reading a file, which replace the detected settings. */
export interface ReadingChoices {
  encoding?: ImportEncoding
  delimiter?: ImportDelimiter
  sheet?: string
  headerLine?: number
}

/** The size of the largest file that the service accepts. */
export const MAX_IMPORT_BYTES = 5 * 1024 * 1024

/** The files of this window by import, so that a file can be uploaded again with other settings. */
const files = new Map<string, File>()

export function findImportFile(importId: string): File | undefined {
  return files.get(importId)
}

/**
 * Uploads a file and returns the import, with the service's interpretation of the file. Throws the problem if the
 * service rejects the file.
 */
export async function uploadImportFile(file: File, kind: ImportKind, choices: ReadingChoices = {}): Promise<Import> {
  const { data, error } = await client.POST('/api/ext/imports', {
    params: { query: { kind, fileName: file.name, ...choices } },
    headers: { 'Content-Type': 'application/octet-stream' },
    // The contract's types describe bytes as text; the body is the file itself.
    ...{ body: file.name, bodySerializer: () => file },
  })
  if (error !== undefined) throw error
  files.set(data.id, file)
  return data
}
