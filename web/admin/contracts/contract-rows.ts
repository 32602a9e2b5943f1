import type { Contract, ContractLineInput, FieldError, LumpSumInput } from '../../../client/contract.gen.ts'
import {
  describeTypedNumberError,
  formatTypedNumber,
  parseTypedNumber,
} from '../../../server/platform/values/typed-number.ts'
import { createCellAccess, readCell, type SheetColumn, type SheetRow } from '../../ui/sheet-rows.ts'
import type { GridPart } from '../catalogue/known-parts.ts'

/** The columns for the agreed prices of parts, in the order in which cells are pasted. */
export const LINE_COLUMNS = [
  { name: 'part', head: 'Part (SKU)', suggests: true },
  { name: 'price', head: 'Unit price', look: 'number' },
  { name: 'minQuantity', head: 'From quantity', look: 'number', placeholder: '0' },
] as const satisfies readonly SheetColumn[]

/** The columns for lump sums. */
export const SUM_COLUMNS = [
  { name: 'plan', head: 'Plan', suggests: true },
  { name: 'elevation', head: 'Elevation', placeholder: 'all' },
  { name: 'option', head: 'Option', suggests: true },
  { name: 'costCode', head: 'Cost code', suggests: true },
  { name: 'description', head: 'Description' },
  { name: 'amount', head: 'Amount', look: 'number' },
] as const satisfies readonly SheetColumn[]

export type LineColumn = (typeof LINE_COLUMNS)[number]['name']
export type LumpSumColumn = (typeof SUM_COLUMNS)[number]['name']
export const LINE_CELLS = createCellAccess<LineColumn>(LINE_COLUMNS)
export const SUM_CELLS = createCellAccess<LumpSumColumn>(SUM_COLUMNS)
/** The row of a stored line has the ID of the line as its key, so that the line keeps its ID. */
export type LineRow = SheetRow<LineColumn>
export type LumpSumRow = SheetRow<LumpSumColumn>

/** A record that the user names by its code. */
export interface CodedRecord {
  readonly id: string
  readonly code: string
  readonly name: string
}

/** What the texts of the cells refer to. */
export interface ContractContext {
  /** The parts by their SKU in lower case. Null marks a SKU that does not exist. */
  readonly parts: ReadonlyMap<string, GridPart | null>
  readonly plans: ReadonlyMap<string, CodedRecord>
  readonly options: ReadonlyMap<string, CodedRecord>
  readonly costCodes: ReadonlyMap<string, CodedRecord>
}

/** Returns the records by their code in lower case, and by their ID. */
export function indexByCode(records: readonly CodedRecord[]): ReadonlyMap<string, CodedRecord> {
  return new Map(records.flatMap((record) => [[record.id, record] as const, [record.code.toLowerCase(), record]]))
}

const STORED_KEY = 'stored-'

export function toLineRows(contract: Contract, context: ContractContext): LineRow[] {
  return contract.lines.map((line) => ({
    key: `${STORED_KEY}${line.lineId}`,
    cells: {
      part: context.parts.get(line.partId)?.sku ?? line.partId,
      price: formatTypedNumber(line.unitPrice),
      minQuantity: line.minQuantity === 0 ? '' : formatTypedNumber(line.minQuantity),
    },
  }))
}

export function toLumpSumRows(contract: Contract, { plans, options, costCodes }: ContractContext): LumpSumRow[] {
  const codeOf = (records: ReadonlyMap<string, CodedRecord>, id: string | null) =>
    id === null ? '' : (records.get(id)?.code ?? id)
  return contract.lumpSums.map((sum) => ({
    key: `${STORED_KEY}${sum.lineId}`,
    cells: {
      plan: codeOf(plans, sum.planId),
      elevation: sum.elevation ?? '',
      option: codeOf(options, sum.optionId),
      costCode: codeOf(costCodes, sum.costCodeId),
      description: sum.description ?? '',
      amount: formatTypedNumber(sum.amount),
    },
  }))
}

export function isEmptyLine(row: LineRow): boolean {
  return LINE_CELLS.isEmpty(row)
}

export function isEmptyLumpSum(row: LumpSumRow): boolean {
  return SUM_CELLS.isEmpty(row)
}

/** Returns the part of a row, and the errors that can be found without the service. */
export function readLineRow(
  row: LineRow,
  { parts }: ContractContext,
): { part: GridPart | null; errors: Partial<Record<LineColumn, string>> } {
  const errors: Partial<Record<LineColumn, string>> = {}
  const sku = readCell(row, 'part')
  const part = parts.get(sku.toLowerCase())
  if (sku === '') errors.part = 'is required'
  else if (part === null) errors.part = 'is not a known SKU'
  const price = describeNumberError(readCell(row, 'price'), { isRequired: true, decimals: 4 })
  if (price !== null) errors.price = price
  const minQuantity = describeNumberError(readCell(row, 'minQuantity'), { isNegativeAllowed: false })
  if (minQuantity !== null) errors.minQuantity = minQuantity
  return { part: part ?? null, errors }
}

/** Returns the records of a row, and the errors that can be found without the service. */
export function readLumpSumRow(
  row: LumpSumRow,
  { plans, options, costCodes }: ContractContext,
): { plan: CodedRecord | undefined; option: CodedRecord | undefined; errors: Partial<Record<LumpSumColumn, string>> } {
  const errors: Partial<Record<LumpSumColumn, string>> = {}
  const find = (column: 'plan' | 'option' | 'costCode', records: ReadonlyMap<string, CodedRecord>, word: string) => {
    const code = readCell(row, column)
    const found = records.get(code.toLowerCase())
    if (code !== '' && found === undefined) errors[column] = `is not a known ${word}`
    return found
  }
  const plan = find('plan', plans, 'plan')
  const option = find('option', options, 'option')
  find('costCode', costCodes, 'cost code')
  const [planText, optionText] = [readCell(row, 'plan'), readCell(row, 'option')]
  if (planText === '' && optionText === '') errors.plan = 'needs a plan, or an option'
  if (planText !== '' && optionText !== '') errors.option = 'cannot be combined with a plan'
  if (planText === '' && readCell(row, 'elevation') !== '') errors.elevation = 'requires a plan'
  const amount = describeNumberError(readCell(row, 'amount'), { isRequired: true })
  if (amount !== null) errors.amount = amount
  return { plan, option, errors }
}

function describeNumberError(
  text: string,
  options: { isRequired?: boolean; isNegativeAllowed?: boolean; decimals?: number },
): string | null {
  const { isRequired = false, ...rules } = options
  const { value, error } = parseTypedNumber(text, rules)
  if (error !== null) return describeTypedNumberError(error)
  return isRequired && value === null ? 'is required' : null
}

/** Returns the line to send. Only rows without errors have a line. */
export function toLineInput(row: LineRow, { parts }: ContractContext): ContractLineInput {
  const sku = readCell(row, 'part')
  return {
    ...toStoredLineId(row.key),
    partId: parts.get(sku.toLowerCase())?.id ?? sku,
    unitPrice: parseTypedNumber(readCell(row, 'price')).value ?? 0,
    minQuantity: parseTypedNumber(readCell(row, 'minQuantity')).value ?? 0,
  }
}

/** Returns the lump sum to send. Only rows without errors have one. */
export function toLumpSumInput(row: LumpSumRow, { plans, options, costCodes }: ContractContext): LumpSumInput {
  const idOf = (records: ReadonlyMap<string, CodedRecord>, column: 'plan' | 'option' | 'costCode') => {
    const code = readCell(row, column)
    return code === '' ? null : (records.get(code.toLowerCase())?.id ?? code)
  }
  const [elevation, description] = [readCell(row, 'elevation'), readCell(row, 'description')]
  return {
    ...toStoredLineId(row.key),
    planId: idOf(plans, 'plan'),
    elevation: elevation === '' ? null : elevation,
    optionId: idOf(options, 'option'),
    costCodeId: idOf(costCodes, 'costCode'),
    description: description === '' ? null : description,
    amount: parseTypedNumber(readCell(row, 'amount')).value ?? 0,
  }
}

function toStoredLineId(key: string): { lineId?: string } {
  return key.startsWith(STORED_KEY) ? { lineId: key.slice(STORED_KEY.length) } : {}
}

const COLUMN_OF_LINE_FIELD: Readonly<Record<string, LineColumn>> = { unitPrice: 'price', minQuantity: 'minQuantity' }
const COLUMN_OF_SUM_FIELD: Readonly<Record<string, LumpSumColumn>> = {
  elevation: 'elevation',
  optionId: 'option',
  costCodeId: 'costCode',
  description: 'description',
  amount: 'amount',
}

/** Returns the row and the column of a line to which an error of the service points; null if it points elsewhere. */
export function findLineErrorCell({ pointer }: FieldError): { at: number; column: LineColumn } | null {
  const [, at, field = ''] = /^\/lines\/(\d+)(?:\/(\w+))?/.exec(pointer ?? '') ?? []
  return at === undefined ? null : { at: Number(at), column: COLUMN_OF_LINE_FIELD[field] ?? 'part' }
}

/** Returns the row and the column of a lump sum to which an error of the service points. */
export function findLumpSumErrorCell({ pointer }: FieldError): { at: number; column: LumpSumColumn } | null {
  const [, at, field = ''] = /^\/lumpSums\/(\d+)(?:\/(\w+))?/.exec(pointer ?? '') ?? []
  return at === undefined ? null : { at: Number(at), column: COLUMN_OF_SUM_FIELD[field] ?? 'plan' }
}
