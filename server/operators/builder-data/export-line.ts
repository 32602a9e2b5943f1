import type { Contract } from '../../platform/calls/contract.ts'
import { getSecretNames } from '../../platform/calls/secret-names.ts'

/** The version of the format, which is in the first line of an export. */
export const EXPORT_FORMAT = 'plumbline-export-1'

/**
 * Returns a record as a line of an export or an archive. Removes secrets wherever they occur, because old events may
 * contain them.
 */
export function toExportLine(contract: Contract, kind: string, data: object): string {
  const names = getSecretNames(contract)
  const isShown = (name: string) => !names.has(name) && name !== 'previousSecret'
  const text = JSON.stringify({ kind, data }, (name, value: unknown) => (isShown(name) ? value : undefined))
  return `${text}\n`
}
