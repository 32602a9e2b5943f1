import { type Kysely, sql } from 'kysely'

/**
 * Allows amounts with as many decimals as ISO 4217 defines for the currency, such as three for the Kuwaiti dinar,
 * instead of always two. PostgreSQL stores numeric values in the same way with and without a precision, so removing the
 * precision reads and writes no rows. Changing the type to numeric(18,3) would write every table again. The API
 * contract limits the amounts.
 */
const AMOUNTS: Readonly<Record<string, readonly string[]>> = {
  bids: ['amount'],
  budgetLines: ['originalAmount', 'approvedChanges', 'budgeted'],
  budgetTransfers: ['amount', 'fromBudgetedBefore', 'fromBudgetedAfter', 'toBudgetedBefore', 'toBudgetedAfter'],
  complianceDocuments: ['limitAmount'],
  homes: ['basePrice', 'saleAmount'],
  leads: ['budgetMin', 'budgetMax'],
  lienWaivers: ['amount'],
  lumpSums: ['amount'],
  milestones: ['drawAmount'],
  options: ['price', 'cost'],
  paymentAllocations: ['amount', 'retainageWithheld'],
  paymentRuns: ['amount', 'discountAmount'],
  payments: ['grossAmount', 'retainageWithheld', 'discountAmount', 'discountTaken', 'amount'],
  planRevisions: ['basePrice'],
  plans: ['basePrice'],
  purchaseOrderLines: ['taxAmount', 'total', 'completedAmount', 'paidAmount'],
  purchaseOrders: [
    ...['subtotal', 'taxTotal', 'total', 'completedAmount', 'retainedAmount', 'paidAmount'],
    ...['reservedAmount', 'releasedAmount', 'payableAmount', 'balance'],
  ],
  sales: [
    ...['basePrice', 'lotPremium', 'optionsFixed', 'incentives', 'discounts'],
    ...['depositsReceived', 'depositsOutstanding', 'commissionAmount'],
  ],
  selections: ['price', 'cost', 'allowanceAmount', 'difference'],
  timeEntries: ['cost'],
  timesheets: ['cost'],
  users: ['poApprovalLimit'],
  vendors: ['poLimit'],
}

/**
 * Stored generated columns. PostgreSQL cannot change the types of the columns from which they are computed. Therefore,
 * they become plain columns that keep their values, and a trigger computes the same expressions. Neither this version
 * nor the previous version of the service sets these columns.
 */
const COMPUTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  budgetLines: { budgeted: 'new."originalAmount" + new."approvedChanges"' },
  budgetTransfers: {
    fromBudgetedAfter: 'new."fromBudgetedBefore" - new."amount"',
    toBudgetedAfter: 'new."toBudgetedBefore" + new."amount"',
  },
  purchaseOrders: {
    payableAmount: 'new."completedAmount" - new."retainedAmount" - new."paidAmount"',
    balance: `case when new."status" = 'void' then 0 else new."total" - new."paidAmount" end`,
    totalInCents: '(new."total" * 100)::bigint',
  },
  selections: { difference: 'new."price" - coalesce(new."allowanceAmount", 0)' },
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, columns] of Object.entries(COMPUTED)) {
    const drops = Object.keys(columns).map((column) => sql`alter column ${sql.ref(column)} drop expression`)
    await sql`alter table ${sql.table(table)} ${sql.join(drops)}`.execute(db)
  }
  for (const [table, columns] of Object.entries(AMOUNTS)) {
    const changes = columns.map((column) => sql`alter column ${sql.ref(column)} type numeric`)
    await sql`alter table ${sql.table(table)} ${sql.join(changes)}`.execute(db)
  }
  for (const [table, columns] of Object.entries(COMPUTED)) {
    // The default value is only for inserts that omit these columns, and the trigger replaces it.
    const defaults = Object.keys(columns).map((column) => sql`alter column ${sql.ref(column)} set default 0`)
    await sql`alter table ${sql.table(table)} ${sql.join(defaults)}`.execute(db)
    const name = `${table}_amounts`
    const assignments = Object.entries(columns).map(([column, value]) => `new."${column}" := ${value};`)
    await sql`
      create function ${sql.ref(name)}() returns trigger language plpgsql as $$
      begin
        ${sql.raw(assignments.join('\n        '))}
        return new;
      end $$`.execute(db)
    await sql`
      create trigger ${sql.ref(name)} before insert or update on ${sql.table(table)}
      for each row execute function ${sql.ref(name)}()`.execute(db)
  }
}
