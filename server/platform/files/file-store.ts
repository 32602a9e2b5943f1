import type { Readable } from 'node:stream'
import type { ByteRange } from '../calls/file-response.ts'
import { problem } from '../problems/problem.ts'

/**
 * A store for files, on a disk or in S3. A key consists of the ID of an organization, a slash, and a name within the
 * organization.
 */
export interface FileStore {
  /**
   * Stores a file. Resolves when the file would survive a power failure. The file at `path` is moved into the store.
   */
  put(key: string, path: string): Promise<void>
  /** Opens a file or a range of it. Throws `not_found` if the file does not exist. */
  open(key: string, range: ByteRange | null): Promise<Readable>
  /** Deletes a file if it exists. */
  remove(key: string): Promise<void>
  /** Deletes all files of an organization. */
  removeAll(organizationId: string): Promise<void>
  /**
   * Whether only this process uses the store. If so, other processes may still be able to store files when this process
   * cannot.
   */
  readonly isLocal: boolean
  /**
   * Resolves if the store can currently store files.
   *
   * @throws {StoreUnusableError} if an operator must change something before files can be stored
   */
  check(): Promise<void>
}

/**
 * Thrown if files cannot be stored until an operator changes the configuration or the store. The message is for the
 * operator.
 */
export class StoreUnusableError extends Error {}

/** Returns the problem for a record whose file is missing, for example after a restore without the files. */
export function createMissingContentProblem() {
  return problem('not_found', 'The content of this file is missing from the file store. Upload the file again.')
}
