import { isDeepStrictEqual } from 'node:util'
import type { Contract, ContractLine, ContractStatus, FieldError, Part } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'

/**
 * The status changes that a caller can request. Besides these, a contract expires after its last day, and is superseded
 * when its next revision becomes active.
 */
export const CONTRACT_MOVES: Readonly<Record<ContractStatus, readonly ContractStatus[]>> = {
  draft: ['active'],
  active: ['terminated'],
  expired: [],
  terminated: [],
  superseded: [],
}

/** The fields that can be updated after a contract is no longer a draft. None of them affects prices. */
const ALWAYS_EDITABLE: readonly string[] = ['notes', 'accountingId', 'externalId']

/**
 * The maximum number of prices of a contract. Lump sums are counted separately and have the same maximum. All prices
 * are stored in one transaction, which locks the parts and the vendor. Every search for the price of a part reads all
 * prices of the part.
 */
export const MAX_PRICES = 2000

/** Returns an error for each field that cannot be updated in the contract's status. */
export function listFixedContractFieldErrors(contract: Contract, body: Checked['ContractUpdate']): FieldError[] {
  if (contract.status === 'draft') return []
  return Object.entries(body)
    .filter(
      ([field, value]) =>
        value !== undefined &&
        !ALWAYS_EDITABLE.includes(field) &&
        !isDeepStrictEqual(value, contract[field as keyof Contract]),
    )
    .map(([field]) => ({
      pointer: `/${field}`,
      code: 'fixed',
      message: `cannot be changed: the contract is ${contract.status}`,
    }))
}

type ContractTerms = Pick<Contract, 'communityIds' | 'planIds' | 'effectiveDate' | 'expirationDate' | 'lines'>

/** Returns the errors in the terms as a whole, including fields that the request omits. */
export function findTermErrors({
  communityIds,
  planIds,
  effectiveDate,
  expirationDate,
  lines,
}: ContractTerms): FieldError[] {
  const errors: FieldError[] = []
  if (expirationDate !== null && expirationDate < effectiveDate)
    errors.push({ pointer: '/expirationDate', code: 'order', message: 'must not be before effectiveDate' })
  if (planIds.length > 0 && communityIds.length === 0)
    errors.push({ pointer: '/planIds', code: 'community', message: 'requires communityIds' })
  const count = lines.length * Math.max(1, communityIds.length) * Math.max(1, planIds.length)
  if (count > MAX_PRICES) {
    const message = `must not create more than ${MAX_PRICES} prices; these lines, communities, and plans would create ${count}`
    errors.push({ pointer: '/lines', code: 'maximum', message })
  }
  const names = new Set<string>()
  const reaches = new Set<string>()
  for (const [i, { lineId, partId, minQuantity }] of lines.entries()) {
    const reach = `${partId} ${minQuantity}`
    if (names.has(lineId))
      errors.push({
        pointer: `/lines/${i}/lineId`,
        code: 'unique',
        message: `must be unique; another line has the lineId "${lineId}"`,
      })
    if (reaches.has(reach))
      errors.push({
        pointer: `/lines/${i}/partId`,
        code: 'unique',
        message: 'must be unique; another line has the same partId and minQuantity',
      })
    names.add(lineId)
    reaches.add(reach)
  }
  return errors
}

/**
 * Returns the lines in the form in which they are stored. A line without a lineId receives its position as ID, and a
 * line without a unit receives the unit of its part.
 */
export function toStoredContractLines(
  lines: readonly Checked['ContractLineInput'][],
  parts: ReadonlyMap<string, Pick<Part, 'unit'>>,
): ContractLine[] {
  const taken = new Set(lines.map((line) => line.lineId))
  return lines.map(({ lineId, partId, unit, unitPrice, minQuantity }, i) => ({
    lineId: lineId ?? createPositionLineId(i + 1, taken),
    partId,
    unit: unit ?? parts.get(partId)?.unit ?? '',
    unitPrice,
    minQuantity,
  }))
}

export function createPositionLineId(position: number, taken: Set<string | undefined>): string {
  let name = `line-${position}`
  for (let next = position + 1; taken.has(name); next++) name = `line-${next}`
  taken.add(name)
  return name
}

type CountedPart = Pick<Part, 'sku' | 'unit' | 'archivedAt'>

/** Returns an error for each line whose part has another unit or is archived. */
export function findPartErrors(lines: readonly ContractLine[], parts: ReadonlyMap<string, CountedPart>): FieldError[] {
  return lines.flatMap(({ partId, unit }, i): FieldError[] => {
    const part = parts.get(partId)
    if (part === undefined) return []
    if (part.archivedAt !== null)
      return [
        { pointer: `/lines/${i}/partId`, code: 'archived', message: `must not be archived; ${part.sku} is archived` },
      ]
    if (part.unit === unit) return []
    return [{ pointer: `/lines/${i}/unit`, code: 'unit', message: `must be ${part.unit}, the unit of ${part.sku}` }]
  })
}

/** Returns whether the last day of the contract has passed. `today` is a date in the organization's time zone. */
export function hasContractExpired({ status, expirationDate }: Contract, today: string): boolean {
  return status === 'active' && expirationDate !== null && expirationDate < today
}

/** Returns the name of the contract for messages. */
export function formatContractName({ number, revision }: Pick<Contract, 'number' | 'revision'>): string {
  return revision === 1 ? number : `${number} (revision ${revision})`
}
