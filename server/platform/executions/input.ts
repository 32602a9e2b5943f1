import type { Contract } from '../calls/contract.ts'
import { secretNames, withoutNamed } from '../calls/secret-names.ts'

/** A typical input has a few hundred bytes. A longer input is a file or an import, and can be found in its results. */
const MOST_KEPT_BYTES = 16 * 1024

/** Returns the input without secrets; null if it is too long. It may be an input that was rejected. */
export function keptInput(contract: Contract, input: unknown): Record<string, unknown> | null {
  const kept = withoutNamed(secretNames(contract), input ?? {}) as Record<string, unknown>
  return Buffer.byteLength(JSON.stringify(kept)) > MOST_KEPT_BYTES ? null : kept
}
