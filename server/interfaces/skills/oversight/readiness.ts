import type { ReadinessResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { withReportFooter } from '../frame/report.ts'

type ReadinessCheck = ReadinessResult['checks'][number]

export function toCheck(name: string, isMet: boolean, detail: string): ReadinessCheck {
  return { check: name, isMet, detail }
}

/** Returns a check that is met if the count is 0. `one` and `many` word the result. */
export function toNoneLeftCheck(name: string, count: number, one: string, many: string): ReadinessCheck {
  return toCheck(name, count === 0, `The home has ${count === 0 ? 'no' : count} ${count === 1 ? one : many}.`)
}

export function toReadinessResult(
  call: Call,
  of: { homeId: string; home: string },
  checks: ReadinessCheck[],
  unknown: string[],
): ReadinessResult {
  const met = checks.filter(({ isMet }) => isMet).length
  const readyPercent = Math.floor((met * 100) / checks.length)
  return { ...of, isReady: met === checks.length, readyPercent, checks, ...withReportFooter(call, { unknown }) }
}
