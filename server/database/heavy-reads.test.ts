import { expect, test } from 'vitest'
import { HeavyReads } from './heavy-reads.ts'

const [organizationId, prepared] = ['org_1', 'select 1']
const each = `${prepared} -- planned each time`
const answer = { rows: [], rowCount: 0, command: 'SELECT' }

test('what is slow three times by its plan for any values is planned for each call, and is heavy until that is fast', () => {
  let nowMs = 0
  const heavy = new HeavyReads(() => nowMs)
  const ran = (text: string, tookMs: number, isFirst = false) => {
    nowMs += tookMs
    heavy.answered(organizationId, text, tookMs, isFirst, answer)
    const planned = heavy.planned(organizationId, prepared)
    return [planned, heavy.has(organizationId, planned)]
  }
  expect(ran(prepared, 200, true)).toEqual([prepared, false])
  expect(ran(prepared, 200)).toEqual([prepared, false])
  expect(ran(prepared, 200)).toEqual([prepared, true])
  expect(ran(prepared, 200)).toEqual([each, true])
  // Sent before, and answered now.
  expect(ran(prepared, 1)).toEqual([each, true])
  expect(ran(each, 1)).toEqual([each, false])
  expect([ran(each, 50), ran(each, 50), ran(each, 50)].at(-1)).toEqual([each, true])
  expect(heavy.planned('org_2', prepared)).toBe(prepared)
})

test('what is slow now and then stays as it is', () => {
  const heavy = new HeavyReads()
  for (const tookMs of [50, 50, 1, 50, 50]) heavy.answered(organizationId, prepared, tookMs, false, answer)
  expect([heavy.planned(organizationId, prepared), heavy.has(organizationId, prepared)]).toEqual([prepared, false])
})

test('what is slow while the machine is busy for a moment is heavy, and keeps its plan', () => {
  let nowMs = 0
  const heavy = new HeavyReads(() => nowMs)
  const answeredAfter = (...afterMs: number[]) => {
    for (const ms of afterMs) {
      nowMs += ms
      heavy.answered(organizationId, prepared, 50, false, answer)
    }
    return [heavy.planned(organizationId, prepared), heavy.has(organizationId, prepared)]
  }
  expect(answeredAfter(50, 0, 10, 30, 50, 0, 200, 100)).toEqual([prepared, true])
  expect(answeredAfter(100)).toEqual([each, true])
})

test('a plan that was slow is tried again by one call, and soon after that by another only if it was fast', () => {
  let nowMs = 0
  const heavy = new HeavyReads(() => nowMs)
  const answered = (text: string, ...took: number[]) => {
    for (const tookMs of took) heavy.answered(organizationId, text, tookMs, false, answer)
  }
  const SLOW = [500, 500, 500]
  const plannedAfter = (ms: number) => {
    nowMs += ms
    return [heavy.planned(organizationId, prepared), heavy.planned(organizationId, prepared)]
  }
  answered(prepared, ...SLOW)
  expect(plannedAfter(9_000)).toEqual([each, each])
  // It goes as something heavy, so that it delays nobody else if it is slow after all.
  expect([plannedAfter(1_000), heavy.has(organizationId, prepared)]).toEqual([[prepared, each], true])
  answered(prepared, 50)
  expect([plannedAfter(19_000), plannedAfter(1_000)]).toEqual([
    [each, each],
    [prepared, each],
  ])
  answered(prepared, 1)
  expect([plannedAfter(0), heavy.has(organizationId, prepared)]).toEqual([[prepared, prepared], false])
  // It is not trusted as soon as before.
  answered(prepared, 1, ...SLOW)
  expect([plannedAfter(79_000), plannedAfter(1_000)]).toEqual([
    [each, each],
    [prepared, each],
  ])
  // After as long as that it is.
  answered(prepared, 1)
  plannedAfter(160_000)
  answered(prepared, ...SLOW)
  expect([plannedAfter(9_000), plannedAfter(1_000)]).toEqual([
    [each, each],
    [prepared, each],
  ])
})
