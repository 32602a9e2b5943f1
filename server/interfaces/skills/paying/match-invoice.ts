import { sql } from 'kysely'
import type {
  InvoiceDuplicate,
  InvoiceMatch,
  MatchInvoiceInput,
  MatchInvoiceResult,
} from '../../../../client/contract.gen.ts'
import { toInvoiceKey } from '../../../domain/paying/bill-records/invoice-key.ts'
import { findPartsOfOrders, getOpenAmounts } from '../../../domain/paying/bill-records/parts.ts'
import { OPEN_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { describeStatus, formatAmount } from '../../../platform/values/format.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { createReportFooter, selectSentences, truncateRows } from '../frame/report.ts'

/** The maximum number of orders to consider, newest first. Few vendors have more open orders. */
const MAX_ORDERS = 200
const MAX_MATCHES = 5
const MAX_DUPLICATES = 20

/** Matches an invoice with orders by the order number on the invoice or, without one, by the closest amount. */
export async function matchInvoice(input: MatchInvoiceInput, call: Call): Promise<MatchInvoiceResult> {
  const { vendorId, amount, poNumber } = input
  const [found, duplicates] = await Promise.all([findOpenOrders(call, vendorId), findDuplicates(call, input)])
  const { rows, truncated } = truncateRows(found, MAX_ORDERS)
  const parts = await findPartsOfOrders(
    call,
    rows.map(({ poId }) => poId),
  )
  const named = poNumber?.toLowerCase()
  const matches = rows.map((order): InvoiceMatch => {
    const { poId, number, homeId, home, scope, status, total } = order
    // The open amounts of the order's bills, and its unbilled completed work.
    const open = parts.flatMap((part) => (part.poId === poId ? getOpenAmounts(part) : []))
    const done = sum([...open.map(({ gross }) => gross), order.unbilledAmount])
    const payable = subtract(done, sum(open.map(({ retainage }) => retainage)))
    const [nearest] = (
      [
        ['payable', payable],
        ['done', done],
        ['total', total],
      ] as const
    )
      .map(([on, of]) => ({ on, difference: subtract(amount, of) }))
      .sort((a, b) => Math.abs(a.difference) - Math.abs(b.difference))
    const isNamed = named !== undefined && number.toLowerCase() === named
    return {
      ...{ poId, number, homeId, home, scope, status, total, done, payable },
      difference: nearest?.difference ?? 0,
      matchedOn: isNamed ? 'number' : (nearest?.on ?? 'total'),
    }
  })
  matches.sort(
    (a, b) =>
      Number(b.matchedOn === 'number') - Number(a.matchedOn === 'number') ||
      Math.abs(a.difference) - Math.abs(b.difference) ||
      (a.poId < b.poId ? 1 : -1),
  )
  const [match = null, ...others] = matches
  return {
    ...{ vendorId, match, others: others.slice(0, MAX_MATCHES - 1), duplicates },
    differences: describeDifferences(input, match, duplicates, call.currency),
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(match === null && 'The vendor has no open orders.'),
    }),
    currency: call.currency,
  }
}

function describeDifferences(
  { amount, poNumber, invoiceNumber }: MatchInvoiceInput,
  match: InvoiceMatch | null,
  duplicates: readonly InvoiceDuplicate[],
  currency: string,
): string[] {
  const text = (value: number) => formatAmount(value, currency)
  const same = duplicates.find(({ isSameInvoice }) => isSameInvoice)
  const entered = same !== undefined && `Invoice ${invoiceNumber} is already recorded as ${same.number}.`
  if (match === null) return selectSentences(entered, `No open order matches ${text(amount)}.`)
  const { number, payable, done, total, status, matchedOn } = match
  const over = subtract(amount, payable)
  return selectSentences(
    entered,
    poNumber !== undefined && matchedOn !== 'number' && `The vendor has no open order with the number ${poNumber}.`,
    over > 0 && `The invoice exceeds the payable amount of ${number} (${text(payable)}) by ${text(over)}.`,
    over < 0 && `The invoice is ${text(-over)} less than the payable amount of ${number} (${text(payable)}).`,
    over > 0 && amount === done && 'The invoice bills all completed work, including retainage.',
    over > 0 && amount > total && `The invoice exceeds the order total of ${text(total)}.`,
    done === 0 && `All completed work on ${number}, which is ${describeStatus(status)}, has already been billed.`,
  )
}

interface OpenOrderRow extends Omit<InvoiceMatch, 'done' | 'payable' | 'difference' | 'matchedOn'> {
  unbilledAmount: number
}

async function findOpenOrders({ db, organizationId }: Call, vendorId: string): Promise<OpenOrderRow[]> {
  const { rows } = await sql<OpenOrderRow>`
    select o."id" as "poId", o."number", o."homeId", h."name" || ', ' || c."name" as "home", o."scope", o."status",
      o."total", o."unbilledAmount"
    from "purchaseOrders" o
    join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where o."organizationId" = ${organizationId} and o."vendorId" = ${vendorId} and o."status" = any(${[...OPEN_STATUSES]}::text[])
    order by o."id" desc limit ${MAX_ORDERS + 1}`.execute(db)
  return rows
}

/**
 * Returns payments that may be duplicates. A payment with the same invoice number is for the same invoice. A payment
 * with the same amount may be for the same invoice.
 */
async function findDuplicates(
  call: Call,
  { vendorId, invoiceNumber, amount }: MatchInvoiceInput,
): Promise<InvoiceDuplicate[]> {
  const { db, organizationId } = call
  const key = toInvoiceKey(invoiceNumber)
  const { rows } = await sql<InvoiceDuplicate>`
    select "id" as "paymentId", "number", "invoiceNumber", "status", "amount",
      coalesce("invoiceKey" = ${key}, false) as "isSameInvoice"
    from "payments"
    where "organizationId" = ${organizationId} and "vendorId" = ${vendorId} and "status" in ('pending', 'approved', 'paid')
      and ("invoiceKey" = ${key} or "amount" = ${amount} or "grossAmount" = ${amount})
    order by 6 desc, "id" desc limit ${MAX_DUPLICATES}`.execute(db)
  return rows
}
