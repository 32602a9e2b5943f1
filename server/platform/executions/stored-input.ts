import type { Contract } from '../calls/contract.ts'
import { getSecretNames, omitNamedFields } from '../calls/secret-names.ts'

/**
 * A typical input has a few hundred bytes. A longer input contains a file or an import, and the results show its
 * content.
 */
const MAX_STORED_BYTES = 16 * 1024

/**
 * Returns the input without secrets; null if it is too long. The input may have been rejected, so it can have any form.
 */
export function toStoredInput(contract: Contract, input: unknown): Record<string, unknown> | null {
  const stored = omitNamedFields(getSecretNames(contract), input ?? {}) as Record<string, unknown>
  return Buffer.byteLength(JSON.stringify(stored)) > MAX_STORED_BYTES ? null : stored
}
