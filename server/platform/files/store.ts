import type { Readable } from 'node:stream'
import type { ByteRange } from '../calls/file-answer.ts'
import { problem } from '../problems/problem.ts'

/** Where files are kept: on a disk or in S3. A key is an organization's id, a slash, and a name within it. */
export interface FileStore {
  /** Keeps a file for good; resolves once a power cut can no longer take it. Takes the file at the path away. */
  put(key: string, path: string): Promise<void>
  /** Its bytes, or a part of them; throws `not_found` if they are not there. */
  open(key: string, range: ByteRange | null): Promise<Readable>
  /** Removes a file, if it is there. */
  remove(key: string): Promise<void>
  /** Removes every file of an organization. */
  removeAll(organizationId: string): Promise<void>
  /** Whether it belongs to this process alone, so that another process may be able to serve where this one is not. */
  readonly isLocal: boolean
  /**
   * Resolves if a file could be kept now.
   *
   * @throws {StoreUnusable} if that needs an operator
   */
  check(): Promise<void>
}

/** Files cannot be kept until an operator changes something. The message is a sentence for the operator. */
export class StoreUnusable extends Error {}

/** The record is there and its bytes are not, as after a restore without the files. */
export function bytesMissing() {
  return problem('not_found', 'The content of this file is missing from the file store. Upload the file again.')
}
