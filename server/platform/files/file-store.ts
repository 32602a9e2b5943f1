import type { Readable } from 'node:stream'
import type { ByteRange } from '../calls/file-response.ts'
import { problem } from '../problems/problem.ts'

/**
 * A store of files, on a disk or in S3. A key consists of an organization's ID, a slash, and a name within the
 * organization.
 */
export interface FileStore {
  /**
   * Stores a file, and resolves when the file will survive a power failure. The file at `path` is moved into the store.
   */
  put(key: string, path: string): Promise<void>
  /** Opens a file, or a range of a file. Throws `not_found` if the file does not exist. */
  open(key: string, range: ByteRange | null): Promise<Readable>
  /** Deletes a file if it exists. */
  remove(key: string): Promise<void>
  /** Deletes every file of an organization. */
  removeAll(organizationId: string): Promise<void>
  /**
   * Whether only this process uses the store. If only this process uses the store, other processes may still be able to
   * store files when this process cannot.
   */
  readonly isLocal: boolean
  /**
   * Resolves if a file can currently be stored.
   *
   * @throws {StoreUnusableError} if storing files requires a change by an operator
   */
  check(): Promise<void>
}

/**
 * Thrown if files cannot be stored until an operator changes the configuration or the store. The message is written for
 * the operator.
 */
export class StoreUnusableError extends Error {}

/** Returns the problem for a record without file content, as after a restore without the files. */
export function createMissingContentProblem() {
  return problem('not_found', 'The content of this file is missing from the file store. Upload the file again.')
}
