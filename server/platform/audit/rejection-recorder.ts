import type { Actor } from '../../../client/contract.gen.ts'
import { getActor, type Principal } from '../calls/call.ts'
import type { Database } from '../database/database.ts'
import type { FailureLog } from '../problems/failure-log.ts'
import type { Problem } from '../problems/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import { recordAuditEntries } from './record-audit-entries.ts'

interface RejectionRecorderParts {
  database: Database
  clock: Clock
  failures: FailureLog
}

/** A rejected request. The principal is set if the caller was authenticated but does not have the permission. */
interface RefusedRequest {
  principal: Principal | null
  address: string
  requestId: string
}

/**
 * The minimum interval in milliseconds between entries about the same rejection of the same caller from the same
 * address.
 */
const RECORD_INTERVAL_MS = 60_000

/**
 * The maximum number of entries per minute for each organization, because an attacker with an old API key can send
 * requests from a million addresses.
 */
const MAX_ENTRIES_PER_MINUTE = 60

/**
 * The maximum number of different rejections that are remembered. When it is exceeded, all of them are forgotten, which
 * causes only a few additional entries.
 */
const MAX_REMEMBERED_REFUSALS = 10_000

interface RefusalCount {
  until: number
  /** The number of rejections since the previous entry. */
  count: number
}

/**
 * Returns a function that records rejections that depend on the identity of the caller. Examples are an expired or
 * revoked API key, an API key that is used from an address that is not allowed, and a missing permission. An unknown
 * API key does not belong to a builder, so the rejection is only logged.
 *
 * The number of entries is limited. The first rejection in a minute causes an entry, and later rejections increase the
 * count of the next entry.
 */
export function createRejectionRecorder({ database, clock, failures }: RejectionRecorderParts) {
  const remembered = new Map<string, RefusalCount>()
  const written = new Map<string, RefusalCount>()

  function isOneTooMany(organizationId: string, now: number): boolean {
    const minute = currentCount(written, organizationId, now)
    if (minute.count >= MAX_ENTRIES_PER_MINUTE) return true
    minute.count++
    return false
  }

  return async (problem: Problem, { principal, address, requestId }: RefusedRequest): Promise<void> => {
    const caller = problem.refused ?? (principal && getCaller(principal))
    if (caller === null || caller.actor.id === null) return
    const { organizationId, actor } = caller
    const now = clock.nowMs()
    const key = `${organizationId} ${actor.id} ${address} ${problem.code}`
    const before = remembered.get(key)
    if (before !== undefined && before.until > now) {
      before.count++
      return
    }
    const count = 1 + (before?.count ?? 0)
    remember(remembered, key, { until: now + RECORD_INTERVAL_MS, count: 0 })
    if (isOneTooMany(organizationId, now)) return
    const action = problem.status === 401 || problem.refused !== null ? 'authentication.failed' : 'permission.denied'
    await recordAuditEntries(database.statements, [
      {
        ...{ organizationId, at: clock.now(), actor, action, address, requestId },
        resourceId: caller.actor.id,
        refused: { reason: problem.code, count },
      },
    ]).catch((error: unknown) => {
      // The request is rejected in any case, so its response must not depend on the database.
      failures.report(error, { requestId }, 'a refused request could not be added to the audit trail')
    })
  }
}

function getCaller(principal: Principal): { organizationId: string; actor: Actor } {
  return { organizationId: principal.organization.id, actor: getActor(principal) }
}

function currentCount(of: Map<string, RefusalCount>, key: string, now: number): RefusalCount {
  const known = of.get(key)
  if (known !== undefined && known.until > now) return known
  return remember(of, key, { until: now + RECORD_INTERVAL_MS, count: 0 })
}

function remember(among: Map<string, RefusalCount>, key: string, value: RefusalCount): RefusalCount {
  if (among.size >= MAX_REMEMBERED_REFUSALS) among.clear()
  among.set(key, value)
  return value
}
