import type { LedgerType } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import type { SchemaName } from '../../../platform/resources/declaration.ts'
import { kinds } from '../../../platform/resources/kinds.gen.ts'
import * as contracts from '../../bidding/contracts/queries.ts'
import * as costCodes from '../../costs/cost-codes/queries.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as journals from '../../ledger/journals.ts'
import { COMMITTED_STATUSES } from '../../statuses/order-statuses.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import * as bills from '../bill-records/queries.ts'
import * as payments from '../payments/queries.ts'
import * as orders from '../purchase-orders/queries.ts'

/** A kind of record that accounting systems also store. The SQL refers to the record's row as `r`. */
export interface LedgerKind {
  /** The first part of the names of the required permissions. */
  readonly entity: string
  readonly table: string
  readonly schema: SchemaName
  readonly label: string
  readonly amount: string | null
  /**
   * SQL expression for the status of a rejected, declined, or voided record; null for other records. Omitted if records
   * of the kind cannot have these statuses.
   */
  readonly fallen?: string
  /** SQL condition for the records that belong in the accounting system even if they have no accountingId. */
  readonly concerned: string
  /** Returns the records with these IDs, in the order of the IDs. */
  findAll(call: Tenant, ids: readonly string[]): Promise<LinkedRecord[]>
  /** Locks a record. Throws `not_found` if the record does not exist. */
  lock(call: WriteCall, id: string): Promise<LinkedRecord>
  /** Sets the accounting ID of a locked record. */
  link(call: WriteCall, locked: LinkedRecord, accountingId: string): Promise<LinkedRecord>
}

export interface LinkedRecord {
  id: string
  version: number
  accountingId: string | null
}

interface StoredSlice<R extends LinkedRecord> {
  findAll(call: Tenant, ids: readonly string[]): Promise<R[]>
  lock(call: WriteCall, id: string): Promise<R>
  update(call: WriteCall, before: R, changes: { accountingId: string }): Promise<R>
}

/**
 * Returns the functions that read, lock, and link records of a kind. Linking has the same side effects as an update.
 */
function linkRecords<R extends LinkedRecord>(
  slice: StoredSlice<R>,
  then: (call: WriteCall, before: R, after: R) => Promise<void> = async () => {},
): Pick<LedgerKind, 'findAll' | 'lock' | 'link'> {
  return {
    findAll: (call, ids) => slice.findAll(call, ids),
    lock: (call, id) => slice.lock(call, id),
    async link(call, { id }, accountingId) {
      // The record is already locked. This call returns the record with its specific type.
      const before = await slice.lock(call, id)
      const after = await slice.update(call, before, { accountingId })
      await then(call, before, after)
      return after
    },
  }
}

const IN_USE_SQL = 'r."archivedAt" is null'
const toTextList = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ')

export const LEDGER_KINDS: Readonly<Record<LedgerType, LedgerKind>> = {
  vendor: {
    ...{ entity: 'vendors', table: 'vendors', schema: 'Vendor', label: 'r."companyName"', amount: null },
    concerned: `${IN_USE_SQL} and r."status" <> 'prospective'`,
    ...linkRecords(vendors, async (call, before, after) => {
      await recordEvent(call, 'vendor.updated', after, before)
    }),
  },
  community: {
    ...{
      entity: 'communities',
      table: 'communities',
      schema: 'Community',
      label: 'r."name"',
      amount: null,
      concerned: IN_USE_SQL,
    },
    ...linkRecords(communities),
  },
  home: {
    ...{ entity: 'homes', table: 'homes', schema: 'Home', label: 'r."name"', amount: null },
    concerned: `${IN_USE_SQL} and r."status" <> 'cancelled'`,
    ...linkRecords(homes),
  },
  cost_code: {
    ...{
      entity: 'budgets',
      table: 'costCodes',
      schema: 'CostCode',
      label: `r."code" || ' ' || r."name"`,
      amount: null,
      concerned: IN_USE_SQL,
    },
    ...linkRecords(costCodes),
  },
  contract: {
    ...{ entity: 'contracts', table: 'contracts', schema: 'Contract', label: 'r."number"', amount: null },
    concerned: `${IN_USE_SQL} and r."status" in ('active', 'expired', 'terminated')`,
    ...linkRecords(contracts),
  },
  po: {
    ...{ entity: 'pos', table: 'purchaseOrders', schema: 'PurchaseOrder', label: 'r."number"', amount: 'r."total"' },
    fallen: `case when r."status" in ('void', 'declined') then r."status" end`,
    concerned: `r."status" in (${toTextList(COMMITTED_STATUSES)})`,
    ...linkRecords(orders),
  },
  bill: {
    ...{ entity: 'bills', table: 'bills', schema: 'Bill', label: 'r."number"', amount: 'r."amount"' },
    // The accounting system already has the invoices from the previous system.
    concerned: `r."status" in ('approved', 'partially_paid', 'paid') and not r."migrated"`,
    ...linkRecords(bills),
  },
  payment: {
    ...{ entity: 'payments', table: 'payments', schema: 'Payment', label: 'r."number"', amount: 'r."amount"' },
    fallen: `case when r."status" in ('voided', 'rejected') then r."status" end`,
    // The accounting system already has the payments from the previous system.
    concerned: `r."status" in ('approved', 'paid') and not r."migrated"`,
    ...linkRecords(payments),
  },
  journal: {
    ...{ entity: 'ledger', table: 'journals', schema: 'Journal', label: 'r."number"', amount: 'r."amount"' },
    concerned: 'true',
    ...linkRecords(journals),
  },
}

export const LEDGER_TYPES = Object.keys(LEDGER_KINDS) as LedgerType[]

/** Returns the SQL condition for records that belong in the accounting system or are already there. */
export function toAccountingConditionSql({ concerned }: LedgerKind): string {
  return `(r."accountingId" is not null or ${concerned})`
}

/** Returns the fields of a kind that contain a single value, in the order of the API contract. */
export function listColumns(type: LedgerType): string[] {
  const fields: Readonly<Record<string, string>> = kinds[LEDGER_KINDS[type].schema]
  return Object.keys(fields).filter((field) => !/^(json|texts)/.test(fields[field] ?? ''))
}
