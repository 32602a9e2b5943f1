import { typeid } from 'typeid-js'
import type { Payment, PaymentRun } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { buildEvent, recordEvents } from '../../../platform/events/record-event.ts'
import { recordInitialStatuses } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import * as communities from '../../land/communities/queries.ts'
import * as waivers from '../lien-waivers/queries.ts'
import { createEmptySums, type OrderAccount } from '../payments/payment.ts'
import * as payments from '../payments/queries.ts'
import { findPaymentSums, storeReserved } from '../purchase-orders/payment-queries.ts'
import { decidePayee, type PayeeDecision } from './decide-payee.ts'
import * as runs from './queries.ts'

/** The maximum number of orders that one transaction locks and one response contains. */
const MAX_ORDERS = 500

/** A statement with this many payloads is still short. */
const EVENTS_PER_STATEMENT = 50

/**
 * Creates the payments of a run. Its orders are locked in the order of their IDs, like those of a single payment, so
 * that the later of two concurrent runs pays what the earlier one left. The number of statements does not depend on the
 * number of vendors, except for the events.
 */
export async function createPaymentRun(call: WriteCall, body: Checked['PaymentRunCreate']): Promise<PaymentRun> {
  const { communityId = null, vendorIds = [], method, externalId } = body
  const today = dateIn(call.timeZone, call.now)
  const { throughDate = today } = body
  if (communityId !== null) await communities.assertExist(call, [communityId], '/communityId')
  await assertVendors(call, vendorIds)
  const ids = await runs.listOpenOrderIds(call, { communityId, vendorIds }, MAX_ORDERS + 1)
  if (ids.length > MAX_ORDERS)
    throw conflict(
      'limit_reached',
      `More than ${formatNumber(MAX_ORDERS)} orders have a payable amount. Limit the run with communityId or vendorIds.`,
    )
  const accounts = await readAccounts(call, ids)
  const payees = await runs.findPayees(call, [...new Set([...vendorIds, ...accounts.keys()])])
  const lacking = await waivers.findOrdersLackingWaiver(call, ids)
  const when = { currency: call.currency, timeZone: call.timeZone, now: call.now, throughDate, lacking }
  const decisions = payees.map((vendor) => ({ vendor, ...decidePayee(vendor, accounts.get(vendor.id) ?? [], when) }))
  const number = await runs.takeNextNumber(call)
  const drafts = decisions.flatMap(({ vendor, payment }) => (payment === null ? [] : { vendor, payment }))
  const numbers = drafts.length === 0 ? [] : await payments.takeNextNumbers(call, drafts.length)
  const all = [...accounts.values()].flat()
  const created = drafts.map(({ vendor, payment }, i) =>
    toPayment(call, all, { ...payment, method, vendorId: vendor.id, number: numbers[i] ?? '' }),
  )
  const run = await runs.insert(call, {
    ...{ number, throughDate, communityId, vendorIds, method, externalId },
    paymentIds: created.map(({ id }) => id),
    amount: sum(created.map(({ amount }) => amount)),
    discountAmount: sum(created.map(({ discountAmount }) => discountAmount)),
    currency: call.currency,
    skipped: decisions.flatMap(({ skipped }) => skipped),
  })
  await storePayments(
    call,
    created.map((payment) => ({ ...payment, paymentRunId: run.id })),
    all,
  )
  return run
}

async function assertVendors(call: WriteCall, vendorIds: readonly string[]): Promise<void> {
  const known = new Set((await runs.findPayees(call, vendorIds)).map(({ id }) => id))
  const unknown = vendorIds.flatMap((id, i) => (known.has(id) ? [] : [`/vendorIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
}

type VendorAccounts = OrderAccount<runs.OpenOrder>[]

/** Returns the orders with the sums of their payments, by vendor. */
async function readAccounts(call: WriteCall, ids: readonly string[]): Promise<Map<string, VendorAccounts>> {
  const locked = await runs.lockOrders(call, ids)
  const sums = await findPaymentSums(call, ids)
  const accounts = new Map<string, VendorAccounts>()
  for (const order of locked) {
    const account = { order, sums: sums.get(order.id) ?? createEmptySums(order.id) }
    const others = accounts.get(order.vendorId)
    if (others === undefined) accounts.set(order.vendorId, [account])
    else others.push(account)
  }
  return accounts
}

type DecidedPayment = NonNullable<PayeeDecision['payment']> & Pick<Payment, 'vendorId' | 'number' | 'method'>

function toPayment(call: WriteCall, accounts: VendorAccounts, settled: DecidedPayment): Payment {
  const now = call.now.toISOString()
  const poIds = settled.allocations.map(({ poId }) => poId)
  const homeIds = new Set(accounts.flatMap(({ order }) => (poIds.includes(order.id) ? [order.homeId] : [])))
  const [homeId = null] = homeIds
  const [poId = null] = poIds
  return {
    ...settled,
    id: typeid('pay').toString(),
    homeId: homeIds.size === 1 ? homeId : null,
    poId: poIds.length === 1 ? poId : null,
    ...{ paymentType: 'progress', status: 'pending', currency: call.currency },
    ...{ invoiceNumber: null, invoiceDate: null, paidDate: null, checkNumber: null, lienWaiverId: null },
    backupWithheld: 0,
    ...{ replacesPaymentId: null, paymentRunId: null, accountingId: null, externalId: null },
    ...{ voidedAt: null, voidReason: null, version: 1, createdBy: call.actor, createdAt: now, updatedAt: now },
  }
}

async function storePayments(call: WriteCall, created: readonly Payment[], accounts: VendorAccounts): Promise<void> {
  if (created.length === 0) return
  await payments.insertAll(call, created)
  await payments.insertAllocations(call, created)
  await recordInitialStatuses(call, created)
  for (let i = 0; i < created.length; i += EVENTS_PER_STATEMENT) {
    const events = created
      .slice(i, i + EVENTS_PER_STATEMENT)
      .map((payment) => buildEvent(call, 'payment.created', payment))
    await recordEvents(call, events)
  }
  const reserved = new Map(accounts.map(({ order, sums }) => [order.id, sums.reserved]))
  await storeReserved(
    call,
    new Map(
      created.flatMap(({ allocations }) =>
        allocations.map(({ poId, amount, retainageWithheld }) => [
          poId,
          sum([reserved.get(poId) ?? 0, subtract(amount, retainageWithheld)]),
        ]),
      ),
    ),
  )
}
