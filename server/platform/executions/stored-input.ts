import type { Contract } from '../calls/contract.ts'
import { omitNamedFields, secretNamesOf } from '../calls/secret-names.ts'

/** A typical input has a few hundred bytes. A longer input is a file or an import, and can be found in its results. */
const MAX_STORED_BYTES = 16 * 1024

/** Returns the input without secrets; null if it is too long. It may be an input that was rejected. */
export function toStoredInput(contract: Contract, input: unknown): Record<string, unknown> | null {
  const stored = omitNamedFields(secretNamesOf(contract), input ?? {}) as Record<string, unknown>
  return Buffer.byteLength(JSON.stringify(stored)) > MAX_STORED_BYTES ? null : stored
}
