import type { Price } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers, Input } from '../../../platform/calls/operation.ts'
import { conflict, unknownReference } from '../../../platform/problems/problem.ts'
import { syncRows } from '../../../platform/resources/sync-rows.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import * as communities from '../../land/communities/queries.ts'
import * as parts from '../parts/queries.ts'
import { findPrices } from './find-prices.ts'
import { assertValidPriceTerm, createOverlapProblem, explainWhyPriceIsUnused, type PriceRequest } from './price.ts'
import * as prices from './queries.ts'
import { definePriceSync } from './sync-prices.ts'

export const priceOperations = {
  async listPrices({ path, query }, call) {
    await parts.find(call, path.partId)
    return { status: 200, body: await prices.list(call, query, { partId: path.partId }) }
  },

  async addPrice({ path, body }, call) {
    const { endPrevious, ...given } = body
    const { communityId = null, planId = null, expirationDate = null } = given
    const requested = { ...given, communityId, planId, expirationDate, partId: path.partId }
    assertValidPriceTerm(requested)
    const price = await call.write(async (call) => {
      const part = await parts.lock(call, path.partId)
      if (part.archivedAt !== null) throw conflict('archived', `Cannot add a price: ${part.sku} is archived.`)
      if (endPrevious) await endEarlierPrices(call, requested)
      await assertNoOverlap(call, requested)
      return prices.insert(call, requested)
    })
    return { status: 201, body: price }
  },

  async syncPrices({ body }, call) {
    return { status: 200, body: await syncRows(call, body, definePriceSync(body.match)) }
  },

  async getPrice({ path }, call) {
    return { status: 200, body: await prices.find(call, path.priceId) }
  },

  async updatePrice({ path, body, ifMatch }, call) {
    const price = await call.write(async (call) => {
      const before = await lockWithPart(call, path.priceId)
      assertIfMatch(ifMatch, before)
      await assertNotFromContract(call, before)
      const { effectiveDate = before.effectiveDate, expirationDate = before.expirationDate } = body
      const { minQuantity = before.minQuantity } = body
      const requested = { ...before, effectiveDate, expirationDate, minQuantity }
      assertValidPriceTerm(requested)
      await assertNoOverlap(call, requested, before.id)
      return prices.update(call, before, body)
    })
    return { status: 200, body: price }
  },

  async removePrice({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await lockWithPart(call, path.priceId)
      assertIfMatch(ifMatch, before)
      await assertNotFromContract(call, before)
      await prices.archive(call, before)
    })
    return { status: 204 }
  },

  async findPrice({ query }, call) {
    const [price] = await findPrices(call, [toLine(query)], await toPriceRequest(call, query))
    if (price === undefined) throw new Error('Expected one price for one line.')
    return { status: 200, body: price }
  },

  async explainPrice({ query }, call) {
    const [line, asked] = [toLine(query), await toPriceRequest(call, query)]
    const [chosen] = await findPrices(call, [line], asked)
    if (chosen === undefined) throw new Error('Expected one price for one line.')
    const candidates = (await prices.findPriceCandidates(call, [line.partId])).get(line.partId) ?? []
    const passedOver = candidates
      .filter(({ price }) => price.id !== chosen.price?.id)
      .map((each) => ({ price: each.price, reason: explainWhyPriceIsUnused(each, chosen.price, asked, line.quantity) }))
    return { status: 200, body: { chosen, passedOver } }
  },
} satisfies Partial<Handlers>

/** Locks the part and then the price, so that concurrent requests cannot change prices of the same part. */
async function lockWithPart(call: WriteCall, priceId: string): Promise<Price> {
  const { partId } = await prices.find(call, priceId)
  await parts.lock(call, partId)
  return prices.lock(call, priceId)
}

async function assertNotFromContract(call: WriteCall, { contractId }: Price): Promise<void> {
  if (contractId === null) return
  const number = await prices.findContractNumber(call, contractId)
  throw conflict(
    'fixed',
    `Cannot change or archive the price: it belongs to the contract ${number}. Revise or terminate the contract instead.`,
  )
}

type PriceReach = Parameters<typeof prices.findOverlappingPrices>[1]

async function assertNoOverlap(call: WriteCall, requested: PriceReach, except?: string): Promise<void> {
  const [other] = await prices.findOverlappingPrices(call, requested, except)
  if (other !== undefined) throw createOverlapProblem(other, requested)
}

async function endEarlierPrices(call: WriteCall, requested: PriceReach): Promise<void> {
  for (const { id } of await prices.findOverlappingPrices(call, requested)) {
    const before = await prices.lock(call, id)
    // A price of a contract ends only with its contract. If such a price overlaps, a later check reports a conflict.
    if (before.contractId === null && before.effectiveDate < requested.effectiveDate)
      await prices.update(call, before, { expirationDate: addDays(requested.effectiveDate, -1) })
  }
}

type PriceQuery = Input<'findPrice'>['query']

function toLine({ partId, quantity }: PriceQuery) {
  return { partId, quantity }
}

async function toPriceRequest(call: Call, { partId, communityId, planId, on }: PriceQuery): Promise<PriceRequest> {
  if ((await parts.findOptional(call, partId)) === undefined) throw unknownReference(['partId'])
  const community = communityId === undefined ? undefined : await communities.findOptional(call, communityId)
  if (communityId !== undefined && community === undefined) throw unknownReference(['communityId'])
  return {
    communityId: communityId ?? null,
    planId: planId ?? null,
    on: on ?? toLocalDate(community?.timeZone ?? call.timeZone, call.now),
  }
}
