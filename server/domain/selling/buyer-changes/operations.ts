import type { BuyerChange, BuyerChangeStatusChange, Sale } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { BUYER_CHANGE_MOVES, computeChangeTotals, isContracted } from '../price-changes/buyer-change.ts'
import * as changes from '../price-changes/queries.ts'
import * as sales from '../sales/queries.ts'
import { lockSelectionPlace, type SelectionPlace } from '../selections/selection-place.ts'
import { applyChangeLines } from './apply-change-lines.ts'
import {
  approveBuyerChange,
  declineBuyerChange,
  planBuyerChangeSending,
  voidApprovedChange,
  voidDraftChange,
} from './decide-buyer-change.ts'

export const buyerChangeOperations = {
  async listBuyerChanges({ path, query }, call) {
    await sales.find(call, path.saleId)
    return { status: 200, body: await changes.list(call, query, { saleId: path.saleId }) }
  },

  async createBuyerChange({ path, query, body }, call) {
    const change = await call.write(async (call) => {
      const { sale, place } = await lockSale(call, path.saleId)
      const { title, description, notes, externalId } = body
      const { createScopes } = query
      const lines = await applyChangeLines(call, { place, change: null, createScopes }, body.lines)
      const created = await changes.insert(call, {
        ...{ saleId: sale.id, homeId: place.home.id, number: await changes.findNextChangeNumber(call, sale.id), title },
        ...{ source: 'agreed' as const, status: 'draft' as const, lines, ...computeChangeTotals(lines) },
        ...{ currency: sale.currency, description, notes, externalId },
      })
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: change }
  },

  async getBuyerChange({ path }, call) {
    return { status: 200, body: await changes.find(call, path.buyerChangeId) }
  },

  async updateBuyerChange({ path, query, body, ifMatch }, call) {
    const change = await call.write(async (call) => {
      const { title, lines: provided, description, ...rest } = body
      const isOfDraft = title !== undefined || provided !== undefined || description !== undefined
      if (!isOfDraft) {
        const before = await changes.lock(call, path.buyerChangeId)
        assertIfMatch(ifMatch, before)
        return changes.update(call, before, rest)
      }
      const { place, before } = await lockChange(call, path.buyerChangeId)
      assertIfMatch(ifMatch, before)
      if (before.status !== 'draft')
        throw conflict('wrong_status', `Cannot edit change ${before.number}: it is ${describeStatus(before.status)}.`)
      const { createScopes } = query
      const lines =
        provided === undefined
          ? before.lines
          : await applyChangeLines(call, { place, change: before, createScopes }, provided)
      return changes.update(call, before, { ...rest, title, description, lines, ...computeChangeTotals(lines) })
    })
    return { status: 200, body: change }
  },

  async changeBuyerChangeStatus({ path, body }, call) {
    const change = await call.write(async (call) => {
      const { sale, place, before } = await lockChange(call, path.buyerChangeId)
      const { status: to, reason = null } = body
      if (before.source === 'selection' && to === 'void')
        throw conflict(
          'fixed',
          `Change ${before.number} was recorded for a selection and cannot be voided. Change or cancel the selection instead.`,
        )
      assertTransition(BUYER_CHANGE_MOVES, before.status, to)
      const decidedDate = getDate(body, place.on)
      if (to === 'void' && before.status === 'approved' && reason === null)
        throw validationFailed([
          { pointer: '/reason', code: 'required', message: 'is required to void an approved change' },
        ])
      const effects = await applyMove(call, { sale, place, before }, body)
      const after = await changes.update(call, before, { ...effects, decidedDate, reason: body.reason, status: to })
      await recordStatusChange(call, { id: after.id, from: before.status, to, reason })
      return after
    })
    return { status: 200, body: change }
  },
} satisfies Partial<Handlers>

interface LockedChange {
  readonly sale: Sale
  readonly place: SelectionPlace
  readonly before: BuyerChange
}

/** Locks the home before the sale, in the same order as every change of a selection. */
async function lockSale(call: WriteCall, id: string): Promise<Pick<LockedChange, 'sale' | 'place'>> {
  const { homeId, number } = assertContracted(await sales.find(call, id))
  if (homeId === null)
    throw conflict('missing_data', `${number} has no home, so it has no selections to change. Set its homeId first.`)
  const place = await lockSelectionPlace(call, homeId)
  return { place, sale: assertContracted(await sales.lock(call, id)) }
}

async function lockChange(call: WriteCall, id: string): Promise<LockedChange> {
  const { saleId } = await changes.find(call, id)
  const locked = await lockSale(call, saleId)
  return { ...locked, before: await changes.lock(call, id) }
}

function assertContracted(sale: Sale): Sale {
  if (isContracted(sale)) return sale
  throw conflict(
    'wrong_status',
    `${sale.number} is ${describeStatus(sale.status)}. Buyer changes need an approved sale.`,
  )
}

function applyMove(
  call: WriteCall,
  { sale, place, before }: LockedChange,
  { status, reason = null, overrideReason = null }: BuyerChangeStatusChange,
) {
  const decision = { reason, overrideReason }
  if (status === 'sent') return planBuyerChangeSending(call, before)
  if (status === 'approved') return approveBuyerChange(call, place, sale, before, decision)
  if (status === 'declined') return declineBuyerChange(call, before, decision)
  if (before.status === 'draft') return voidDraftChange(call, before, decision)
  return voidApprovedChange(call, place, sale, before, decision)
}

/** Returns the date of the buyer's decision; undefined if the status change is not a decision. */
function getDate({ status, date }: BuyerChangeStatusChange, today: string): string | undefined {
  const isDecision = status === 'approved' || status === 'declined'
  if (!isDecision && date !== undefined)
    throw validationFailed([
      { pointer: '/date', code: 'conflict', message: 'can only be set when status is approved or declined' },
    ])
  if (date !== undefined && date > today)
    throw validationFailed([{ pointer: '/date', code: 'maximum', message: `must not be after today (${today})` }])
  return isDecision ? (date ?? today) : undefined
}
