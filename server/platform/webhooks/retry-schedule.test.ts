import { expect, test } from 'vitest'
import { computeNextAttemptMs, parseRetryAfter } from './retry-schedule.ts'

const SCHEDULE = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]

test('each retry is within 20 percent of the schedule', () => {
  for (let attempts = 1; attempts < SCHEDULE.length; attempts++) {
    const plannedMs = (SCHEDULE[attempts] ?? 0) * 1000
    for (const random of [0, 0.5, 0.999999]) {
      const waitMs =
        (computeNextAttemptMs(SCHEDULE, { attempts, endedAtMs: 1_000_000, retryAfterMs: null }, () => random) ?? 0) -
        1_000_000
      expect(waitMs).toBeGreaterThanOrEqual(plannedMs * 0.8)
      expect(waitMs).toBeLessThanOrEqual(plannedMs * 1.2)
    }
  }
  expect(computeNextAttemptMs(SCHEDULE, { attempts: 8, endedAtMs: 0, retryAfterMs: null })).toBeNull()
})

test('deliveries that failed at the same time are retried at different times', () => {
  const times = Array.from({ length: 100 }, () =>
    computeNextAttemptMs(SCHEDULE, { attempts: 2, endedAtMs: 0, retryAfterMs: null }),
  )
  expect(new Set(times).size).toBeGreaterThan(90)
})

test('a Retry-After delays a retry only if it is later than the schedule', () => {
  expect(computeNextAttemptMs(SCHEDULE, { attempts: 1, endedAtMs: 0, retryAfterMs: 60_000 })).toBe(60_000)
  expect(computeNextAttemptMs(SCHEDULE, { attempts: 2, endedAtMs: 0, retryAfterMs: 1000 }, () => 0.5)).toBe(300_000)
})

test.each([
  ['120', 120_000],
  [' 7 ', 7000],
  ['Fri, 20 Nov 2026 15:05:05 GMT', 60_000],
  ['Fri, 20 Nov 2026 15:00:00 GMT', null],
  ['99999999999', 24 * 3_600_000],
  ['soon', null],
  ['-5', null],
  ['', null],
  [undefined, null],
])('the Retry-After %s is read as %s', (header, ms) => {
  expect(parseRetryAfter(header, Date.parse('2026-11-20T15:04:05.000Z'))).toBe(ms)
})
