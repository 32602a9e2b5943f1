import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'csv-parse/sync'

/** The columns that the demo reads from each file in `data`. A file may have more columns. */
const COLUMNS = {
  scopes: ['name', 'spanishName', 'code', 'defaultCostCode', 'sequence'],
  'cost-codes': ['code', 'name', 'parentCode', 'category', 'scope'],
  vendors: ['companyName', 'contactName', 'scopes', 'insuredForDays'],
  plans: [
    ...['code', 'name', 'elevation', 'squareFeet', 'bedrooms', 'bathrooms', 'garageSpaces', 'stories', 'basePrice'],
    ...['elevationPrice', 'communities', 'status'],
  ],
  parts: ['sku', 'name', 'unit', 'costCode', 'scope', 'manufacturer', 'leadTimeDays'],
  takeoff: ['plan', 'elevation', 'option', 'sku', 'quantity', 'formula', 'wastePercent', 'costCode', 'taskName'],
  prices: [
    ...['sku', 'vendor', 'community', 'plan', 'unitPrice', 'effectiveDate', 'expirationDate'],
    ...['minQuantity', 'preferred', 'note'],
  ],
  options: [
    ...['code', 'name', 'category', 'optionType', 'plans', 'price', 'costBasis', 'cost', 'scope', 'unit', 'requires'],
    ...['excludes', 'cutoffTaskName', 'status'],
  ],
  'option-takeoff': ['option', 'sku', 'quantity', 'formula', 'wastePercent', 'costCode', 'taskName'],
  homes: [
    ...['community', 'lotNumber', 'name', 'line1', 'homeType', 'size', 'plan', 'elevation', 'swing'],
    ...['planningDaysAgo', 'permittingDaysAgo', 'readyDaysAgo', 'startDaysAgo', 'completedDaysAgo', 'closedDaysAgo'],
    ...['heldOrCancelledDaysAgo', 'status', 'superintendent'],
  ],
  milestones: ['name', 'milestoneType', 'tasks', 'autoComplete', 'drawPercent'],
  'task-template': ['name', 'spanishName', 'scope', 'phase', 'durationDays', 'taskKind', 'predecessors'],
  people: ['email', 'name', 'phone', 'role', 'poApprovalLimit', 'status'],
  leads: [
    ...[
      'firstName',
      'lastName',
      'email',
      'phone',
      'source',
      'status',
      'communities',
      'plans',
      'budgetMin',
      'budgetMax',
    ],
    ...['desiredMoveInDate', 'owner', 'createdDate', 'lastActivityDate', 'nextActivityDate', 'activitiesCount'],
    ...['lostReason', 'convertedSale'],
  ],
  sales: [
    ...['number', 'leadEmail', 'buyers', 'community', 'lotNumber', 'home', 'plan', 'elevation', 'saleDate'],
    ...['approvedDate', 'basePrice', 'lotPremium', 'options', 'incentives', 'discounts', 'financingType'],
    ...['financingStatus', 'contingencyType', 'contingencyStatus', 'salesRep', 'targetCloseDate', 'lastStageDone'],
    ...['status', 'cancelledDate', 'cancelReason'],
  ],
  'sale-deposits': ['sale', 'amount', 'dueDate', 'receivedDate', 'disposition'],
  'story-orders': [
    ...['order', 'home', 'vendor', 'scope', 'poType', 'parentOrder', 'total', 'status', 'daysAgo', 'note'],
    ...['varianceReasonCode', 'varianceResponsible', 'approvedDaysAgo', 'issuedDaysAgo', 'acceptedDaysAgo'],
    ...['partiallyCompletedDaysAgo', 'completedDaysAgo'],
  ],
  'story-payments': [
    ...['payment', 'order', 'vendor', 'paymentType', 'grossAmount', 'status', 'invoiceNumber', 'invoiceDaysAgo'],
    ...['paidDaysAgo', 'method', 'waiverType', 'waiverStatus', 'note'],
  ],
  'daily-logs': [...['home', 'daysAgo', 'condition', 'crew', 'headcount', 'noShow', 'workDone', 'ownerNote', 'photo']],
  'punch-items': [
    ...['walkthrough', 'location', 'description', 'scope', 'vendor', 'dueInDays', 'priority', 'photo', 'moves'],
    ...['reason'],
  ],
  'story-delays': ['home', 'task', 'reasonCode', 'days', 'responsible', 'vendor', 'daysAgo', 'note'],
} as const satisfies Record<string, readonly string[]>

type DataFile = keyof typeof COLUMNS
/** Every value is a text, which is empty if the value is missing. */
export type RowOf<Name extends DataFile> = Readonly<Record<(typeof COLUMNS)[Name][number], string>>

export function readRows<Name extends DataFile>(name: Name): RowOf<Name>[] {
  const file = path.join(import.meta.dirname, 'data', `${name}.csv`)
  const rows: unknown = parse(readFileSync(file), {
    columns(header: string[]) {
      // Throws if a column is missing. Otherwise, its values would be undefined and become null in the demo.
      const missing = COLUMNS[name].filter((column) => !header.includes(column))
      if (missing.length > 0) throw new Error(`${file} has no column ${missing.join(', ')}.`)
      return header
    },
  })
  return rows as RowOf<Name>[]
}

/** Returns the additional columns of a plan. They are figures for the formulas in its takeoff. */
export function readFigures(row: RowOf<'plans'>): { name: string; value: number }[] {
  const fields: ReadonlySet<string> = new Set(COLUMNS.plans)
  return Object.entries(row).flatMap(([name, value]) => (fields.has(name) ? [] : [{ name, value: Number(value) }]))
}

export function splitList(field: string): string[] {
  return field === '' ? [] : field.split(';')
}

export function emptyToNull(field: string): string | null {
  return field === '' ? null : field
}

export function toNumberOrNull(field: string): number | null {
  return field === '' ? null : Number(field)
}
