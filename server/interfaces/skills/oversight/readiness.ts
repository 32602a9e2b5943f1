import type { ReadinessResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { reported } from '../frame/report.ts'

type Check = ReadinessResult['checks'][number]

export function check(name: string, isMet: boolean, detail: string): Check {
  return { check: name, isMet, detail }
}

/** Returns a check that is met if the count is 0. `one` and `many` word the result. */
export function noneLeft(name: string, count: number, one: string, many: string): Check {
  return check(name, count === 0, `The home has ${count === 0 ? 'no' : count} ${count === 1 ? one : many}.`)
}

export function readiness(
  call: Call,
  of: { homeId: string; home: string },
  checks: Check[],
  unknown: string[],
): ReadinessResult {
  const met = checks.filter(({ isMet }) => isMet).length
  const readyPercent = Math.floor((met * 100) / checks.length)
  return { ...of, isReady: met === checks.length, readyPercent, checks, ...reported(call, { unknown }) }
}
