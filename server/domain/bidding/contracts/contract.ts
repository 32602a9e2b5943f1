import { isDeepStrictEqual } from 'node:util'
import type { Contract, ContractLine, ContractStatus, FieldError, Part } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'

/**
 * The moves that a caller can ask for. A contract also expires by the clock, and is superseded when its next revision
 * becomes active.
 */
export const CONTRACT_MOVES: Readonly<Record<ContractStatus, readonly ContractStatus[]>> = {
  draft: ['active'],
  active: ['terminated'],
  expired: [],
  terminated: [],
  superseded: [],
}

/** What can still change after the draft: nothing that prices were made from. */
const ALWAYS_EDITABLE: readonly string[] = ['notes', 'accountingId', 'externalId']

/**
 * How many prices a contract can make, and how many lump sums beside them. They are written in one transaction while
 * parts and vendor are locked, and every look for the price of a part passes all that it has.
 */
export const MOST_PRICES = 2000

/** Of the fields to be changed, those that cannot change in the contract's status. */
export function fixedFields(contract: Contract, body: Checked['ContractUpdate']): FieldError[] {
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

type Terms = Pick<Contract, 'communityIds' | 'planIds' | 'effectiveDate' | 'expirationDate' | 'lines'>

/** What is wrong with the contract as a whole, whichever part of it was sent. */
export function termFaults({ communityIds, planIds, effectiveDate, expirationDate, lines }: Terms): FieldError[] {
  const faults: FieldError[] = []
  if (expirationDate !== null && expirationDate < effectiveDate)
    faults.push({ pointer: '/expirationDate', code: 'order', message: 'must not be before effectiveDate' })
  if (planIds.length > 0 && communityIds.length === 0)
    faults.push({ pointer: '/planIds', code: 'community', message: 'requires communityIds' })
  const count = lines.length * Math.max(1, communityIds.length) * Math.max(1, planIds.length)
  if (count > MOST_PRICES) {
    const message = `must not make more than ${MOST_PRICES} prices with these communities and plans; they make ${count}`
    faults.push({ pointer: '/lines', code: 'maximum', message })
  }
  const names = new Set<string>()
  const reaches = new Set<string>()
  for (const [i, { lineId, partId, minQuantity }] of lines.entries()) {
    const reach = `${partId} ${minQuantity}`
    if (names.has(lineId))
      faults.push({
        pointer: `/lines/${i}/lineId`,
        code: 'unique',
        message: `must be unique; another line has the lineId "${lineId}"`,
      })
    if (reaches.has(reach))
      faults.push({
        pointer: `/lines/${i}/partId`,
        code: 'unique',
        message: 'must be unique; another line has the same partId and minQuantity',
      })
    names.add(lineId)
    reaches.add(reach)
  }
  return faults
}

/** The lines as stored. One without a lineId is named by its place, one without a unit is priced in that of its part. */
export function wholeLines(
  lines: readonly Checked['ContractLineInput'][],
  parts: ReadonlyMap<string, Pick<Part, 'unit'>>,
): ContractLine[] {
  const taken = new Set(lines.map((line) => line.lineId))
  return lines.map(({ lineId, partId, unit, unitPrice, minQuantity }, i) => ({
    lineId: lineId ?? freeName(i + 1, taken),
    partId,
    unit: unit ?? parts.get(partId)?.unit ?? '',
    unitPrice,
    minQuantity,
  }))
}

export function freeName(place: number, taken: Set<string | undefined>): string {
  let name = `line-${place}`
  for (let next = place + 1; taken.has(name); next++) name = `line-${next}`
  taken.add(name)
  return name
}

type Counted = Pick<Part, 'sku' | 'unit' | 'archivedAt'>

/** The lines whose part is counted in another unit, or no longer in use. */
export function partFaults(lines: readonly ContractLine[], parts: ReadonlyMap<string, Counted>): FieldError[] {
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

/** Whether its last day is over, on a day of the organization. */
export function hasRunOut({ status, expirationDate }: Contract, today: string): boolean {
  return status === 'active' && expirationDate !== null && expirationDate < today
}

/** How a contract is called in a sentence. */
export function nameOf({ number, revision }: Pick<Contract, 'number' | 'revision'>): string {
  return revision === 1 ? number : `${number} (revision ${revision})`
}
