import { sql } from 'kysely'
import type {
  InvoiceDuplicate,
  InvoiceMatch,
  MatchInvoiceInput,
  MatchInvoiceResult,
} from '../../../../client/contract.gen.ts'
import { emptySums, type Payable, wholeAmount, withheldOf } from '../../../domain/paying/payments/payment.ts'
import { paymentSums } from '../../../domain/paying/purchase-orders/payment-queries.ts'
import { OPEN } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { describeStatus, formatAmount } from '../../../platform/values/format.ts'
import { minus } from '../../../platform/values/money.ts'
import { listed, reported, sentences } from '../frame/report.ts'

/** Maximum number of orders considered, newest first. Few vendors have that many open orders. */
const MOST_ORDERS = 200
const MOST_MATCHES = 5
const MOST_DUPLICATES = 20

/** Matches an invoice by the order number that it names, or else by the closest amount. */
export async function matchInvoice(input: MatchInvoiceInput, call: Call): Promise<MatchInvoiceResult> {
  const { vendorId, amount, poNumber } = input
  const [found, duplicates] = await Promise.all([openOrders(call, vendorId), duplicatesOf(call, input)])
  const { rows, truncated } = listed(found, MOST_ORDERS)
  const sums = await paymentSums(
    call,
    rows.map(({ purchaseOrderId }) => purchaseOrderId),
  )
  const named = poNumber?.toLowerCase()
  const matches = rows.map((order): InvoiceMatch => {
    const { purchaseOrderId, number, homeId, home, scope, status, total } = order
    const account = { order, sums: sums.get(purchaseOrderId) ?? emptySums(purchaseOrderId) }
    const done = wholeAmount(account, 'progress') ?? 0
    const payable = minus(done, withheldOf(account, 'progress', done))
    const [nearest] = (
      [
        ['payable', payable],
        ['done', done],
        ['total', total],
      ] as const
    )
      .map(([on, of]) => ({ on, difference: minus(amount, of) }))
      .sort((a, b) => Math.abs(a.difference) - Math.abs(b.difference))
    const isNamed = named !== undefined && number.toLowerCase() === named
    return {
      ...{ purchaseOrderId, number, homeId, home, scope, status, total, done, payable },
      difference: nearest?.difference ?? 0,
      matchedOn: isNamed ? 'number' : (nearest?.on ?? 'total'),
    }
  })
  matches.sort(
    (a, b) =>
      Number(b.matchedOn === 'number') - Number(a.matchedOn === 'number') ||
      Math.abs(a.difference) - Math.abs(b.difference) ||
      (a.purchaseOrderId < b.purchaseOrderId ? 1 : -1),
  )
  const [match = null, ...others] = matches
  return {
    ...{ vendorId, match, others: others.slice(0, MOST_MATCHES - 1), duplicates },
    differences: differencesOf(input, match, duplicates, call.currency),
    ...reported(call, { truncated, unknown: sentences(match === null && 'The vendor has no open orders.') }),
    currency: call.currency,
  }
}

function differencesOf(
  { amount, poNumber, invoiceNumber }: MatchInvoiceInput,
  match: InvoiceMatch | null,
  duplicates: readonly InvoiceDuplicate[],
  currency: string,
): string[] {
  const text = (value: number) => formatAmount(value, currency)
  const same = duplicates.find(({ isSameInvoice }) => isSameInvoice)
  const entered = same !== undefined && `Invoice ${invoiceNumber} is already recorded as ${same.number}.`
  if (match === null) return sentences(entered, `No open order matches ${text(amount)}.`)
  const { number, payable, done, total, status, matchedOn } = match
  const over = minus(amount, payable)
  return sentences(
    entered,
    poNumber !== undefined && matchedOn !== 'number' && `The vendor has no open order with the number ${poNumber}.`,
    over > 0 && `The invoice exceeds the payable amount of ${number} (${text(payable)}) by ${text(over)}.`,
    over < 0 && `The invoice is ${text(-over)} less than the payable amount of ${number} (${text(payable)}).`,
    over > 0 && amount === done && 'The invoice bills all completed work, including retainage.',
    over > 0 && amount > total && `The invoice exceeds the order total of ${text(total)}.`,
    done === 0 && `All completed work of ${number}, which is ${describeStatus(status)}, has already been billed.`,
  )
}

type Row = Omit<InvoiceMatch, 'done' | 'payable' | 'difference' | 'matchedOn'> & Payable

async function openOrders({ db, organizationId }: Call, vendorId: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select o."id" as "purchaseOrderId", o."number", o."homeId", h."name" || ', ' || c."name" as "home", o."scope", o."status",
      o."total", o."retainagePercent", o."completedAmount", o."paidAmount", o."retainedAmount", o."payableAmount"
    from "purchaseOrders" o
    join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where o."organizationId" = ${organizationId} and o."vendorId" = ${vendorId} and o."status" = any(${[...OPEN]}::text[])
    order by o."id" desc limit ${MOST_ORDERS + 1}`.execute(db)
  return rows
}

/** Returns payments with the same number, which are the same invoice, and with the same amount, which may be. */
async function duplicatesOf(
  call: Call,
  { vendorId, invoiceNumber, amount }: MatchInvoiceInput,
): Promise<InvoiceDuplicate[]> {
  const { db, organizationId } = call
  const { rows } = await sql<InvoiceDuplicate>`
    select "id" as "paymentId", "number", "invoiceNumber", "status", "amount",
      coalesce("invoiceKey" = lower(${invoiceNumber}), false) as "isSameInvoice"
    from "payments"
    where "organizationId" = ${organizationId} and "vendorId" = ${vendorId} and "status" in ('pending', 'approved', 'paid')
      and ("invoiceKey" = lower(${invoiceNumber}) or "amount" = ${amount} or "grossAmount" = ${amount})
    order by 6 desc, "id" desc limit ${MOST_DUPLICATES}`.execute(db)
  return rows
}
