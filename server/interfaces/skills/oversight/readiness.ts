import type { ReadinessResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { createReportFooter } from '../frame/report.ts'

type ReadinessCheck = ReadinessResult['checks'][number]

export function createCheck(name: string, isMet: boolean, detail: string): ReadinessCheck {
  return { check: name, isMet, detail }
}

/** Returns a readiness check that passes if the count is 0. */
export function createNoneLeftCheck(name: string, count: number, label: string): ReadinessCheck {
  return createCheck(name, count === 0, `${label}: ${formatNumber(count)}.`)
}

export function toReadinessResult(
  call: Call,
  of: { homeId: string; home: string },
  checks: ReadinessCheck[],
  unknown: string[],
): ReadinessResult {
  const met = checks.filter(({ isMet }) => isMet).length
  const readyPercent = Math.floor((met * 100) / checks.length)
  return { ...of, isReady: met === checks.length, readyPercent, checks, ...createReportFooter(call, { unknown }) }
}
