import type { Community, Home, HomeRow, MatchBy } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { rowChecker } from '../../../platform/calls/rows.ts'
import { makeEvent, recordEvents } from '../../../platform/events/record.ts'
import { recordFirstStatuses } from '../../../platform/events/status-history.ts'
import { conflict, Problem, unknownReference } from '../../../platform/problems/problem.ts'
import { keysOf, lockKeyed, meantBy } from '../../../platform/resources/row-keys.ts'
import { type AskedRow, type Outcome, refusedAs, type Sync } from '../../../platform/resources/sync.ts'
import { wholeAddress } from '../../../platform/values/address.ts'
import { saidThere } from '../../statuses/ledger-states.ts'
import { reasonNotToBuild } from '../communities/community.ts'
import * as communities from '../communities/queries.ts'
import { newHome } from './home.ts'
import { planFor } from './planned.ts'
import * as homes from './queries.ts'
import { replanned } from './replanned.ts'

type MadeHome = ReturnType<typeof homes.make>

/** Syncs homes from an external system. Each row is treated like a call of createHome or updateHome. */
export function homeSync(match: MatchBy): Sync<'HomeRow', Home, MadeHome> {
  return {
    schema: 'HomeRow',
    ...saidThere('home', match),
    keysOf,

    async decide(call, rows) {
      // Adding a home locks the community first, because its lots are counted.
      const named = await communities.lockAll(
        call,
        rows.flatMap(({ values }) => values.communityId ?? []),
      )
      const ids = await lockKeyed(call, 'homes', ['accountingId', 'externalId'], rows)
      const meant = meantBy(rows, await homes.findAll(call, ids), match)
      const ground = new Ground(
        call,
        named,
        await communities.takenLots(
          call,
          named.map(({ id }) => id),
        ),
      )
      const outcomes: (Outcome<Home, MadeHome> | Problem)[] = []
      for (const [i, row] of rows.entries()) {
        const before = meant[i] ?? null
        if (before instanceof Problem) outcomes.push(before)
        else outcomes.push(await (before === null ? ground.made(row) : changed(call, row, before)).catch(problemOf))
      }
      return outcomes
    },

    async insertAll(call, made) {
      await homes.insertAll(call, made)
      await recordFirstStatuses(call, made)
      const stored = await homes.findAll(
        call,
        made.map(({ id }) => id),
      )
      await recordEvents(
        call,
        stored.map((home) => makeEvent(call, 'home.created', home)),
      )
    },

    updateAll: homes.updateAll,
  }
}

function problemOf(error: unknown): Problem {
  return refusedAs((): Problem => {
    throw error
  })
}

/** The communities that homes are added to, with their occupied lots as the rows add homes. */
class Ground {
  readonly #call: WriteCall
  readonly #communities: ReadonlyMap<string, Community>
  readonly #taken: Map<string, number>
  /** Cached plans, because many homes of one request share a few plans. */
  readonly #planned = new Map<string, ReturnType<typeof planFor>>()

  constructor(call: WriteCall, found: readonly Community[], taken: ReadonlyMap<string, number>) {
    this.#call = call
    this.#communities = new Map(found.map((community) => [community.id, community]))
    this.#taken = new Map(taken)
  }

  async made({ values: { id: _id, ...values } }: AskedRow<HomeRow>): Promise<Outcome<Home, MadeHome> | Problem> {
    const whole = rowChecker(this.#call, 'HomeCreate')(values)
    const community = this.#communities.get(whole.communityId)
    if (community === undefined) return unknownReference(['/communityId'])
    const taken = this.#taken.get(community.id) ?? 0
    const reason = reasonNotToBuild(community, taken)
    if (reason !== null) return conflict('not_available', reason)
    const made = homes.make(this.#call, newHome(whole, await this.#plannedAs(whole, community)))
    this.#taken.set(community.id, taken + 1)
    return { id: made.id, made, changed: [] }
  }

  #plannedAs({ planId, elevation }: Checked['HomeCreate'], community: Community): ReturnType<typeof planFor> {
    const key = JSON.stringify([planId, elevation, community.id])
    const planned = this.#planned.get(key) ?? planFor(this.#call, { planId, elevation }, community)
    this.#planned.set(key, planned)
    return planned
  }
}

async function changed(
  call: WriteCall,
  { values: { id: _id, ...values } }: AskedRow<HomeRow>,
  before: Home,
): Promise<Outcome<Home, MadeHome> | Problem> {
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
    ...(address !== undefined && { address: wholeAddress(address) }),
    ...(await replanned(call, before, rest)),
  }
  return { id: before.id, made: null, changed: [{ before, after }] }
}
