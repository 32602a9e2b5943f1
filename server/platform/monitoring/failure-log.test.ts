import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { FailureLog } from './failure-log.ts'

test('an outage of the database is one line when it begins and one when it ends, however many jobs fail', async () => {
  const lines: { msg: string; job?: string; failures?: number }[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)))
      done()
    },
  })
  let isAway = true
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const ping = async () => {
    if (isAway) throw away
  }
  const failures = new FailureLog({ ping }, pino({ base: null }, stream))
  for (let i = 0; i < 100; i++) failures.failed(`job ${i}`, away)
  for (let i = 0; i < 3; i++) failures.failed('expireBids', new Error('a bug'))
  isAway = false
  await vi.waitFor(() => expect(lines.at(-1)?.msg).toBe('the database responds again'), 10_000)
  failures.succeeded('expireBids')
  failures.succeeded('expireBids')
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the database does not respond: jobs pause until it does',
    'a job failed and will be tried again',
    'the database responds again',
    'a job succeeds again',
  ])
  expect(lines.at(-1)).toMatchObject({ job: 'expireBids', failures: 3 })
})
