import type { Community, Home, HomeRow, MatchBy } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createRowChecker } from '../../../platform/calls/row-checker.ts'
import { buildEvent, recordEvents } from '../../../platform/events/record-event.ts'
import { recordInitialStatuses } from '../../../platform/events/status-history.ts'
import { conflict, Problem, unknownReference } from '../../../platform/problems/problem.ts'
import { lockKeyed, matchRowsByKey, rowKeysOf } from '../../../platform/resources/row-keys.ts'
import {
  type PlannedWrite,
  returnProblem,
  type SyncDefinition,
  type SyncRow,
} from '../../../platform/resources/sync-rows.ts'
import { toAddress } from '../../../platform/values/address.ts'
import { markAcknowledged } from '../../statuses/ledger-states.ts'
import { explainNoHomeAdded } from '../communities/community.ts'
import * as communities from '../communities/queries.ts'
import { newHome } from './home.ts'
import { resolvePlan } from './planned-home.ts'
import * as homes from './queries.ts'
import { replanHome } from './replan-home.ts'

type NewHome = ReturnType<typeof homes.make>

/** Syncs homes from an external system. Each row is treated like a call of createHome or updateHome. */
export function defineHomeSync(match: MatchBy): SyncDefinition<'HomeRow', Home, NewHome> {
  return {
    schema: 'HomeRow',
    ...markAcknowledged('home', match),
    keysOf: rowKeysOf,

    async decide(call, rows) {
      // Adding a home locks the community first, because its lots are counted.
      const named = await communities.lockCommunities(
        call,
        rows.flatMap(({ values }) => values.communityId ?? []),
      )
      const ids = await lockKeyed(call, 'homes', ['accountingId', 'externalId'], rows)
      const meant = matchRowsByKey(rows, await homes.findAll(call, ids), match)
      const ground = new CommunityLots(
        call,
        named,
        await communities.countTakenLotsOfEach(
          call,
          named.map(({ id }) => id),
        ),
      )
      const outcomes: (PlannedWrite<Home, NewHome> | Problem)[] = []
      for (const [i, row] of rows.entries()) {
        const before = meant[i] ?? null
        if (before instanceof Problem) outcomes.push(before)
        else
          outcomes.push(
            await (before === null ? ground.made(row) : planChange(call, row, before)).catch(requireProblem),
          )
      }
      return outcomes
    },

    async insertAll(call, created) {
      await homes.insertAll(call, created)
      await recordInitialStatuses(call, created)
      const stored = await homes.findAll(
        call,
        created.map(({ id }) => id),
      )
      await recordEvents(
        call,
        stored.map((home) => buildEvent(call, 'home.created', home)),
      )
    },

    updateAll: homes.updateAll,
  }
}

function requireProblem(error: unknown): Problem {
  return returnProblem((): Problem => {
    throw error
  })
}

/** The communities that homes are added to, with their occupied lots as the rows add homes. */
class CommunityLots {
  readonly #call: WriteCall
  readonly #communities: ReadonlyMap<string, Community>
  readonly #taken: Map<string, number>
  /** Cached plans, because many homes of one request share a few plans. */
  readonly #planned = new Map<string, ReturnType<typeof resolvePlan>>()

  constructor(call: WriteCall, found: readonly Community[], taken: ReadonlyMap<string, number>) {
    this.#call = call
    this.#communities = new Map(found.map((community) => [community.id, community]))
    this.#taken = new Map(taken)
  }

  async made({ values: { id: _id, ...values } }: SyncRow<HomeRow>): Promise<PlannedWrite<Home, NewHome> | Problem> {
    const whole = createRowChecker(this.#call, 'HomeCreate')(values)
    const community = this.#communities.get(whole.communityId)
    if (community === undefined) return unknownReference(['/communityId'])
    const taken = this.#taken.get(community.id) ?? 0
    const reason = explainNoHomeAdded(community, taken)
    if (reason !== null) return conflict('not_available', reason)
    const made = homes.make(this.#call, newHome(whole, await this.#plannedAs(whole, community)))
    this.#taken.set(community.id, taken + 1)
    return { id: made.id, made, changed: [] }
  }

  #plannedAs({ planId, elevation }: Checked['HomeCreate'], community: Community): ReturnType<typeof resolvePlan> {
    const key = JSON.stringify([planId, elevation, community.id])
    const planned = this.#planned.get(key) ?? resolvePlan(this.#call, { planId, elevation }, community)
    this.#planned.set(key, planned)
    return planned
  }
}

async function planChange(
  call: WriteCall,
  { values: { id: _id, ...values } }: SyncRow<HomeRow>,
  before: Home,
): Promise<PlannedWrite<Home, NewHome> | Problem> {
  const { communityId = before.communityId, address, ...rest } = values
  if (communityId !== before.communityId) {
    const pointed = [{ pointer: '/communityId', code: 'fixed', message: 'cannot be changed' }]
    return conflict(
      'fixed',
      `Cannot move ${before.name} to another community. Omit communityId, or create a new home.`,
      { errors: pointed },
    )
  }
  const after: Home = {
    ...before,
    ...rest,
    ...(address !== undefined && { address: toAddress(address) }),
    ...(await replanHome(call, before, rest)),
  }
  return { id: before.id, made: null, changed: [{ before, after }] }
}
