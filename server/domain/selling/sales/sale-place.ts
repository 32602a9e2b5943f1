import type { Community, Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import * as communities from '../../land/communities/queries.ts'
import { resolvePlan } from '../../land/homes/planned-home.ts'
import * as homes from '../../land/homes/queries.ts'
import * as plans from '../../land/plans/queries.ts'
import type { HoldingSale, Lot } from './queries.ts'
import * as sales from './queries.ts'

/** The subject of a sale: a home, or a lot without a home. The home is locked. For a lot, its community is locked. */
export interface SalePlace {
  readonly home: Home | null
  readonly community: Community
  readonly block: string | null
  readonly lotNumber: string | null
  readonly planId: string | null
  readonly elevation: string | null
  /** The price without options and premiums; null if there is none. */
  readonly basePrice: number | null
}

type SalePlaceInput = Pick<
  Checked['SaleCreate'],
  'homeId' | 'communityId' | 'block' | 'lotNumber' | 'planId' | 'elevation' | 'optionIds'
>

/** Throws if the home, community, or plan is unknown. Called before all other checks. */
export async function assertReferencesExist(
  call: WriteCall,
  { homeId, communityId, planId }: Partial<SalePlaceInput>,
): Promise<void> {
  if (homeId != null) await homes.assertExist(call, [homeId], '/homeId')
  if (communityId != null) await communities.assertExist(call, [communityId], '/communityId')
  if (planId != null) await plans.assertExist(call, [planId], '/planId')
}

/** Locks and returns the home or lot that is to be sold. Throws if it already has another sale. */
export async function lockSalePlace(call: WriteCall, requested: SalePlaceInput): Promise<SalePlace> {
  await assertReferencesExist(call, requested)
  return requested.homeId == null ? lockLotPlace(call, requested) : lockHomePlace(call, requested.homeId, requested)
}

const FIELDS_SET_BY_HOME = ['communityId', 'block', 'lotNumber', 'planId', 'elevation'] as const

async function lockHomePlace(call: WriteCall, homeId: string, requested: SalePlaceInput): Promise<SalePlace> {
  const errors = [
    ...FIELDS_SET_BY_HOME.filter((field) => requested[field] != null),
    ...(requested.optionIds.length > 0 ? ['optionIds'] : []),
  ]
  if (errors.length > 0)
    throw validationFailed(
      errors.map((field) => ({ pointer: `/${field}`, code: 'exclusive', message: 'is set by the home; leave it out' })),
    )
  const home = await lockSellableHome(call, homeId)
  const community = await communities.find(call, home.communityId)
  assertOpenForSale(community)
  const { block, lotNumber, planId, elevation, basePrice } = home
  return { home, community, block, lotNumber, planId, elevation, basePrice }
}

/** Locks and returns the home. Throws if the home cannot be sold, or cannot become the home of the sale of its lot. */
export async function lockSellableHome(call: WriteCall, homeId: string, ofLotSale?: string): Promise<Home> {
  const home = await homes.lock(call, homeId)
  const { communityId, block, lotNumber, name, salesStatus } = home
  if (salesStatus === 'sold' || salesStatus === 'unavailable') throw notForSale('/homeId', explainUnavailable(home))
  if (home.saleId !== null) throw soldToOther(call, '/homeId', name, await sales.find(call, home.saleId))
  const ofLot = lotNumber === null ? undefined : await sales.findSaleOfLot(call, { communityId, block, lotNumber })
  if (ofLot !== undefined && ofLot.id !== ofLotSale) throw soldToOther(call, '/homeId', `the lot of ${name}`, ofLot)
  return home
}

function explainUnavailable({ name, homeType, status, archivedAt }: Home): string {
  if (status === 'cancelled' || (archivedAt !== null && status !== 'archived'))
    return `Cannot sell ${name}: the home is canceled or archived.`
  if (homeType === 'model') return `Cannot sell ${name}: it is a model. Change its homeType first.`
  return `Cannot sell ${name}: it is already sold.`
}

async function lockLotPlace(call: WriteCall, requested: SalePlaceInput): Promise<SalePlace> {
  const { communityId = null, lotNumber = null, block = null, planId = null, elevation = null } = requested
  if (communityId === null || lotNumber === null)
    throw validationFailed([
      { pointer: '/homeId', code: 'required', message: 'is required unless communityId and lotNumber are set' },
    ])
  // Lock the community, as when a home is added, so that the second of two concurrent sales of a lot finds the first
  // one.
  const community = await communities.lock(call, communityId)
  assertOpenForSale(community)
  const lot: Lot = { communityId, block, lotNumber }
  const standing = await homes.findHomeOnLot(call, lot)
  if (standing !== undefined)
    throw notForSale('/lotNumber', `Cannot sell the lot: ${standing} is on it. Set homeId to sell the home.`)
  const holder = await sales.findSaleOfLot(call, lot)
  if (holder !== undefined) throw soldToOther(call, '/lotNumber', `Lot ${lotNumber}`, holder)
  const { basePrice } = await resolvePlan(call, { planId, elevation }, community)
  return { home: null, community, block, lotNumber, planId, elevation, basePrice }
}

function assertOpenForSale({ name, status, archivedAt }: Community): void {
  if (archivedAt !== null) throw conflict('archived', `Cannot sell homes in ${name}: the community is archived.`)
  if (status === 'planning')
    throw conflict(
      'not_available',
      `Cannot sell homes in ${name}: the community is still in planning. Change its status to active first.`,
    )
  if (status === 'closed') throw conflict('not_available', `Cannot sell homes in ${name}: the community is closed.`)
}

/** Returns the error that the home or lot has another sale. Includes details only if the caller may read sales. */
function soldToOther(
  { permissions }: WriteCall,
  pointer: string,
  what: string,
  { number, status, buyers }: HoldingSale,
) {
  const how = status === 'pending' ? 'reserved' : 'under contract'
  if (!permissions.has('sales:read')) return notForSale(pointer, `Cannot sell ${what}: it is already ${how}.`)
  const names = buyers.map(({ name }) => name).join(', ')
  return notForSale(pointer, `Cannot sell ${what}: it is already ${how} (${number}, ${names}).`)
}

function notForSale(pointer: string, detail: string) {
  return conflict('not_available', detail, {
    errors: [{ pointer, code: 'conflict', message: 'must be available for sale' }],
  })
}
