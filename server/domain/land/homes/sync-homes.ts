import type { Community, Home, HomeRow, MatchBy } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createRowChecker } from '../../../platform/calls/row-checker.ts'
import { buildEvent, recordEvents } from '../../../platform/events/record-event.ts'
import { recordInitialStatuses } from '../../../platform/events/status-history.ts'
import { conflict, Problem, unknownReference } from '../../../platform/problems/problem.ts'
import { getRowKeys, lockRecordsByKey, matchRowsByKey } from '../../../platform/resources/row-keys.ts'
import {
  catchProblem,
  type PlannedWrite,
  type SyncDefinition,
  type SyncRow,
} from '../../../platform/resources/sync-rows.ts'
import { toAddress } from '../../../platform/values/address.ts'
import { createAcknowledgeStep } from '../../statuses/ledger-states.ts'
import { explainWhyNoHomeCanBeAdded } from '../communities/community.ts'
import * as communities from '../communities/queries.ts'
import { computePlanChanges } from './compute-plan-changes.ts'
import { buildHome } from './home.ts'
import { resolvePlan } from './planned-home.ts'
import * as homes from './queries.ts'

type NewHome = ReturnType<typeof homes.make>

/** Syncs homes from an external system. Handles each row like a call to createHome or updateHome. */
export function defineHomeSync(match: MatchBy): SyncDefinition<'HomeRow', Home, NewHome> {
  return {
    schema: 'HomeRow',
    ...createAcknowledgeStep('home', match),
    keysOf: getRowKeys,

    async decide(call, rows) {
      // Lock the communities first, as when a home is added, because their lots are counted.
      const named = await communities.lockCommunities(
        call,
        rows.flatMap(({ values }) => values.communityId ?? []),
      )
      const ids = await lockRecordsByKey(call, 'homes', ['accountingId', 'externalId'], rows)
      const meant = matchRowsByKey(rows, await homes.findAll(call, ids), match)
      const ground = new CommunityLots(
        call,
        named,
        await communities.countTakenLotsByCommunity(
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

    async updateAll(call, changed) {
      await homes.updateAll(call, changed)
      const former = new Map(changed.map(({ before }) => [before.id, before]))
      const stored = await homes.findAll(call, [...former.keys()])
      await recordEvents(
        call,
        stored.map((home) => buildEvent(call, 'home.updated', home, former.get(home.id))),
      )
    },
  }
}

function requireProblem(error: unknown): Problem {
  return catchProblem((): Problem => {
    throw error
  })
}

/** The communities to which rows add homes, with the current number of occupied lots. */
class CommunityLots {
  readonly #call: WriteCall
  readonly #communities: ReadonlyMap<string, Community>
  readonly #taken: Map<string, number>
  /** Cache plans, because many homes in one request have the same few plans. */
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
    const reason = explainWhyNoHomeCanBeAdded(community, taken)
    if (reason !== null) return conflict('not_available', reason)
    const made = homes.make(this.#call, buildHome(whole, await this.#plannedAs(whole, community)))
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
    ...(await computePlanChanges(call, before, rest)),
  }
  return { id: before.id, made: null, changed: [{ before, after }] }
}
