import type { UsageDay } from '../../../../client/contract.gen.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import * as keys from '../keys/queries.ts'
import { listKeyUsageSince, listUsageDaysSince } from './queries.ts'

const DAY_MS = 86_400_000

export const keyUsageOperations = {
  async getKeyUsage({ query }, call) {
    const { keyId } = query
    // Throw 404 for a key of another builder, instead of returning zero usage.
    if (keyId !== undefined) await keys.find(call, keyId)
    const period = listLastDays(call.now, query.days)
    const since = period[0] ?? ''
    const { limits, config } = call.services
    return {
      status: 200,
      body: {
        today: (await limits.usage(call.principal, call.db)).day,
        requestsPerMinute: config.rateLimitPerMinute,
        days: fillEmptyDays(period, await listUsageDaysSince(call, since, keyId)),
        keys: await listKeyUsageSince(call, since),
      },
    }
  },
} satisfies Partial<Handlers>

/** Returns the last `days` dates in UTC, through today, oldest first. */
function listLastDays(now: Date, days: number): string[] {
  return Array.from({ length: days }, (_, at) =>
    new Date(now.getTime() - (days - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  )
}

function fillEmptyDays(period: readonly string[], days: readonly UsageDay[]): UsageDay[] {
  const known = new Map(days.map((day) => [day.date, day]))
  return period.map((date) => known.get(date) ?? { date, requests: 0, refused: 0 })
}
