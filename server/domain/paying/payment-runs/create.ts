import { typeid } from 'typeid-js'
import type { Payment, PaymentRun } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { makeEvent, recordEvents } from '../../../platform/events/record.ts'
import { recordFirstStatuses } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { minus, sum } from '../../../platform/values/money.ts'
import * as communities from '../../land/communities/queries.ts'
import * as waivers from '../lien-waivers/queries.ts'
import { type Account, emptySums } from '../payments/payment.ts'
import * as payments from '../payments/queries.ts'
import { paymentSums, writeReserved } from '../purchase-orders/payment-queries.ts'
import { type Decision, decide } from './payee.ts'
import * as runs from './queries.ts'

/** The maximum number of orders that one transaction locks and one response contains. */
const MOST_ORDERS = 500

/** A statement with this many payloads is still short. */
const EVENTS_AT_ONCE = 50

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
  const ids = await runs.openOrders(call, { communityId, vendorIds }, MOST_ORDERS + 1)
  if (ids.length > MOST_ORDERS)
    throw conflict(
      'limit_reached',
      `More than ${formatNumber(MOST_ORDERS)} orders have a payable amount. Limit the run with communityId or vendorIds.`,
    )
  const accounts = await accountsOf(call, ids)
  const payees = await runs.payeesOf(call, [...new Set([...vendorIds, ...accounts.keys()])])
  const lacking = await waivers.lackingWaiver(call, ids)
  const when = { currency: call.currency, timeZone: call.timeZone, now: call.now, throughDate, lacking }
  const decisions = payees.map((vendor) => ({ vendor, ...decide(vendor, accounts.get(vendor.id) ?? [], when) }))
  const number = await runs.nextNumber(call)
  const drafts = decisions.flatMap(({ vendor, payment }) => (payment === null ? [] : { vendor, payment }))
  const numbers = drafts.length === 0 ? [] : await payments.nextNumbers(call, drafts.length)
  const all = [...accounts.values()].flat()
  const made = drafts.map(({ vendor, payment }, i) =>
    paymentOf(call, all, { ...payment, method, vendorId: vendor.id, number: numbers[i] ?? '' }),
  )
  const run = await runs.insert(call, {
    ...{ number, throughDate, communityId, vendorIds, method, externalId },
    paymentIds: made.map(({ id }) => id),
    amount: sum(made.map(({ amount }) => amount)),
    discountAmount: sum(made.map(({ discountAmount }) => discountAmount)),
    currency: call.currency,
    skipped: decisions.flatMap(({ skipped }) => skipped),
  })
  await store(
    call,
    made.map((payment) => ({ ...payment, paymentRunId: run.id })),
    all,
  )
  return run
}

async function assertVendors(call: WriteCall, vendorIds: readonly string[]): Promise<void> {
  const known = new Set((await runs.payeesOf(call, vendorIds)).map(({ id }) => id))
  const unknown = vendorIds.flatMap((id, i) => (known.has(id) ? [] : [`/vendorIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
}

type Accounts = Account<runs.OpenOrder>[]

/** Returns the orders with the sums of their payments, by vendor. */
async function accountsOf(call: WriteCall, ids: readonly string[]): Promise<Map<string, Accounts>> {
  const locked = await runs.lockOrders(call, ids)
  const sums = await paymentSums(call, ids)
  const accounts = new Map<string, Accounts>()
  for (const order of locked) {
    const account = { order, sums: sums.get(order.id) ?? emptySums(order.id) }
    const others = accounts.get(order.vendorId)
    if (others === undefined) accounts.set(order.vendorId, [account])
    else others.push(account)
  }
  return accounts
}

type Settled = NonNullable<Decision['payment']> & Pick<Payment, 'vendorId' | 'number' | 'method'>

function paymentOf(call: WriteCall, accounts: Accounts, settled: Settled): Payment {
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

async function store(call: WriteCall, made: readonly Payment[], accounts: Accounts): Promise<void> {
  if (made.length === 0) return
  await payments.insertAll(call, made)
  await payments.insertAllocations(call, made)
  await recordFirstStatuses(call, made)
  for (let i = 0; i < made.length; i += EVENTS_AT_ONCE) {
    const events = made.slice(i, i + EVENTS_AT_ONCE).map((payment) => makeEvent(call, 'payment.created', payment))
    await recordEvents(call, events)
  }
  const reserved = new Map(accounts.map(({ order, sums }) => [order.id, sums.reserved]))
  await writeReserved(
    call,
    new Map(
      made.flatMap(({ allocations }) =>
        allocations.map(({ poId, amount, retainageWithheld }) => [
          poId,
          sum([reserved.get(poId) ?? 0, minus(amount, retainageWithheld)]),
        ]),
      ),
    ),
  )
}
