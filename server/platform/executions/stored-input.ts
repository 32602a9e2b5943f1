import type { Contract } from '../calls/contract.ts'
import { getSecretNames, omitNamedFields } from '../calls/secret-names.ts'

/**
 * The maximum size of a stored input. Typical inputs have a few hundred bytes. Longer inputs contain a file or an
 * import, whose content is in the results.
 */
const MAX_STORED_BYTES = 16 * 1024

/** Returns the input without secrets; null if it is too long. The input may be invalid, so it can have any form. */
export function toStoredInput(contract: Contract, input: unknown): Record<string, unknown> | null {
  const stored = omitNamedFields(getSecretNames(contract), input ?? {}) as Record<string, unknown>
  return Buffer.byteLength(JSON.stringify(stored)) > MAX_STORED_BYTES ? null : stored
}
