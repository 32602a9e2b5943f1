import type { Readable } from 'node:stream'
import type { ByteRange } from '../calls/file-response.ts'
import { problem } from '../problems/problem.ts'

/** A store of files, on a disk or in S3. A key is an organization's ID, a slash, and a name within it. */
export interface FileStore {
  /** Stores a file and resolves once it survives a power failure. The file at the path is moved. */
  put(key: string, path: string): Promise<void>
  /** Opens a file, or a range of it. Throws `not_found` if it does not exist. */
  open(key: string, range: ByteRange | null): Promise<Readable>
  /** Deletes a file if it exists. */
  remove(key: string): Promise<void>
  /** Deletes every file of an organization. */
  removeAll(organizationId: string): Promise<void>
  /** Whether the store belongs to this process alone, so that another process may work when this one does not. */
  readonly isLocal: boolean
  /**
   * Resolves if a file could be stored now.
   *
   * @throws {StoreUnusable} if that requires an operator
   */
  check(): Promise<void>
}

/** Files cannot be stored until an operator changes something. The message is a sentence for the operator. */
export class StoreUnusable extends Error {}

/** Returns the problem that a record exists without its content, as after a restore without the files. */
export function fileContentMissing() {
  return problem('not_found', 'The content of this file is missing from the file store. Upload the file again.')
}
