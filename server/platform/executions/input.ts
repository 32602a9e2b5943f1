import type { Contract } from '../calls/contract.ts'
import { secretNames, withoutNamed } from '../calls/secret-names.ts'

/** A usual input has some hundred bytes; what is longer is a file or an import, and is found in what it made. */
const MOST_KEPT_BYTES = 16 * 1024

/** The input as it is kept: without secrets, or null if it is too long. It may be one that was refused. */
export function keptInput(contract: Contract, input: unknown): Record<string, unknown> | null {
  const kept = withoutNamed(secretNames(contract), input ?? {}) as Record<string, unknown>
  return Buffer.byteLength(JSON.stringify(kept)) > MOST_KEPT_BYTES ? null : kept
}
