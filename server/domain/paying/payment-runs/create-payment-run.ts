import { typeid } from 'typeid-js'
import type {
  Payment,
  PaymentAllocation,
  PaymentRun,
  PaymentRunSkip,
  PurchaseOrder,
} from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { buildEvent, recordEvents } from '../../../platform/events/record-event.ts'
import { recordInitialStatuses } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus, formatNumber } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import * as communities from '../../land/communities/queries.ts'
import { findPartsOfBills } from '../bill-records/parts.ts'
import * as bills from '../bill-records/queries.ts'
import * as waivers from '../lien-waivers/queries.ts'
import * as payments from '../payments/queries.ts'
import { getWholes, lockWholes } from '../purchase-orders/whole.ts'
import { type Account, decidePayeeAmounts, type PayeeDecision } from './decide-payee-amounts.ts'
import * as runs from './queries.ts'

/** The maximum number of bill parts in one transaction and one response. */
const MAX_PARTS = 500

/** The maximum number of events in one statement, which keeps each statement short. */
const EVENTS_PER_STATEMENT = 50

/**
 * Creates the payments of a run. Locks the orders in the order of their IDs, as for a single payment, so that the
 * second of two concurrent runs pays only the remaining amounts. Except for the events, the number of statements does
 * not depend on the number of vendors.
 */
export async function createPaymentRun(call: WriteCall, body: Checked['PaymentRunCreate']): Promise<PaymentRun> {
  const { communityId = null, vendorIds = [], billIds = [], method, externalId } = body
  const today = toLocalDate(call.timeZone, call.now)
  const { throughDate = today } = body
  if (communityId !== null) await communities.assertExist(call, [communityId], '/communityId')
  await assertVendors(call, vendorIds)
  const chosen = await findChosenBills(call, body)
  const filter = { communityId, billIds, vendorIds: chosen.length === 0 ? vendorIds : toVendorIds(chosen) }
  const found = await runs.findOpenParts(call, filter, MAX_PARTS + 1)
  if (found.length > MAX_PARTS)
    throw conflict(
      'limit_reached',
      `Cannot create the payment run: more than ${formatNumber(MAX_PARTS)} bills have an open amount. Limit the run with communityId or vendorIds, or choose the bills with billIds.`,
    )
  const locked = await lockWholes(call, getPoIds(found))
  const accounts = await readAccounts(call, found, locked)
  const ids = [...new Set([...vendorIds, ...accounts.keys()])].sort()
  await runs.lockVendors(call, ids)
  const payees = await runs.findPayees(call, ids)
  const credits = await payments.findVendorCredits(call, ids)
  const lacking = await waivers.findOrdersLackingWaiver(call, getPoIds(found))
  const terms = { today, throughDate, lacking, chosen: new Set(billIds) }
  const decisions = payees.map((vendor) => ({
    vendor,
    ...decidePayeeAmounts(vendor, accounts.get(vendor.id) ?? [], credits.get(vendor.id) ?? 0, terms),
  }))
  const number = await runs.takeNextNumber(call)
  const drafts = decisions.flatMap(({ vendor, payment }) => (payment === null ? [] : { vendor, payment }))
  const numbers = drafts.length === 0 ? [] : await payments.takeNextNumbers(call, drafts.length)
  const created = drafts.map(({ vendor, payment }, i) =>
    toPayment(call, locked, { ...payment, method, vendorId: vendor.id, number: numbers[i] ?? '' }),
  )
  const run = await runs.insert(call, {
    ...{ number, throughDate, communityId, vendorIds, billIds, method, externalId },
    paymentIds: created.map(({ id }) => id),
    amount: sum(created.map(({ amount }) => amount)),
    discountAmount: sum(created.map(({ discountAmount }) => discountAmount)),
    currency: call.currency,
    skipped: [...decisions.flatMap(({ skipped }) => skipped), ...explainUnpaidBills(chosen, found)],
  })
  await storePayments(
    call,
    created.map((payment) => ({ ...payment, paymentRunId: run.id })),
  )
  return run
}

async function assertVendors(call: WriteCall, vendorIds: readonly string[]): Promise<void> {
  const known = new Set((await runs.findPayees(call, vendorIds)).map(({ id }) => id))
  const unknown = vendorIds.flatMap((id, i) => (known.has(id) ? [] : [`/vendorIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
}

/** Returns the bills that the request selects; empty if the request does not select bills. */
async function findChosenBills(
  call: WriteCall,
  { billIds = [], vendorIds = [], communityId = null }: Checked['PaymentRunCreate'],
): Promise<runs.ChosenBill[]> {
  if (billIds.length === 0) return []
  if (vendorIds.length > 0 || communityId !== null) {
    const message = 'cannot be combined with communityId or vendorIds'
    throw validationFailed([{ pointer: '/billIds', code: 'exclusive', message }])
  }
  const chosen = await runs.findChosenBills(call, billIds)
  const known = new Set(chosen.map(({ id }) => id))
  const unknown = billIds.flatMap((id, i) => (known.has(id) ? [] : [`/billIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  return chosen
}

const toVendorIds = (chosen: readonly runs.ChosenBill[]) => [...new Set(chosen.map(({ vendorId }) => vendorId))]

/** Returns the reasons for the selected bills that are not approved or have no open amount. */
function explainUnpaidBills(chosen: readonly runs.ChosenBill[], found: readonly runs.OpenPart[]): PaymentRunSkip[] {
  const open = new Set(found.map(({ billId }) => billId))
  return chosen
    .filter(({ id }) => !open.has(id))
    .map(({ id, number, vendorId, status, openAmount }) => ({
      ...{ vendorId, billId: id, poId: null, reason: 'not_payable', amount: openAmount },
      detail: `Cannot pay ${number}: it is ${describeStatus(status)}. Only approved bills can be paid.`,
    }))
}

function getPoIds(found: readonly runs.OpenPart[]): string[] {
  return [...new Set(found.flatMap(({ poId }) => poId ?? []))]
}

/** Groups the parts by vendor and returns their current state. The caller must have locked the orders of the parts. */
async function readAccounts(
  call: WriteCall,
  found: readonly runs.OpenPart[],
  locked: readonly PurchaseOrder[],
): Promise<Map<string, Account[]>> {
  const billIds = [...new Set(found.map(({ billId }) => billId))]
  await bills.lockByIds(call, billIds)
  const requested = new Set(found.map(({ billId, poId }) => `${billId} ${poId}`))
  const parts = (await findPartsOfBills(call, billIds)).filter(({ billId, poId }) => requested.has(`${billId} ${poId}`))
  const byId = new Map(locked.map((order) => [order.id, order]))
  const wholes = new Map(getWholes(locked).flatMap((whole) => whole.members.map(({ id }) => [id, whole] as const)))
  const accounts = parts.map((part) => ({
    part,
    order: byId.get(part.poId ?? '') ?? null,
    whole: wholes.get(part.poId ?? '') ?? null,
  }))
  return Map.groupBy(accounts, ({ part }) => part.vendorId)
}

type DecidedPayment = NonNullable<PayeeDecision['payment']> & Pick<Payment, 'vendorId' | 'number' | 'method'>

function toPayment(call: WriteCall, locked: readonly PurchaseOrder[], settled: DecidedPayment): Payment {
  const now = call.now.toISOString()
  const poIds = [...new Set(settled.allocations.flatMap(({ poId, billId }) => (billId === null ? [] : [poId])))]
  const homeIds = new Set(locked.flatMap(({ id, homeId }) => (poIds.includes(id) ? [homeId] : [])))
  const [homeId = null] = homeIds
  const [poId = null] = poIds
  return {
    ...settled,
    id: typeid('pay').toString(),
    homeId: homeIds.size === 1 ? homeId : null,
    poId: poIds.length === 1 ? poId : null,
    ...{ paymentType: 'progress', status: 'pending', currency: call.currency },
    ...{ invoiceNumber: null, invoiceDate: null, paidDate: null, checkNumber: null, lienWaiverId: null },
    ...{ backupWithheld: 0, migrated: false },
    ...{ replacesPaymentId: null, paymentRunId: null, accountingId: null, externalId: null },
    ...{ voidedAt: null, voidReason: null, version: 1, createdBy: call.actor, createdAt: now, updatedAt: now },
  }
}

async function storePayments(call: WriteCall, created: readonly Payment[]): Promise<void> {
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
  const allocations = created.flatMap(({ allocations }) => allocations)
  await runs.addReservedAmounts(call, {
    orders: sumNetsBy(allocations, ({ poId }) => poId),
    bills: sumNetsBy(allocations, ({ billId }) => billId),
  })
}

/** Returns the totals of the allocations after retainage, grouped by the ID that `idOf` returns. */
function sumNetsBy(
  allocations: readonly PaymentAllocation[],
  idOf: (allocation: PaymentAllocation) => string | null,
): Map<string, number> {
  const nets = new Map<string, number>()
  for (const allocation of allocations) {
    const id = idOf(allocation)
    if (id !== null) nets.set(id, sum([nets.get(id) ?? 0, allocation.amount, -allocation.retainageWithheld]))
  }
  return nets
}
