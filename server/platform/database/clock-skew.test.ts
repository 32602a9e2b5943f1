import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startTestPlumbline } from '../../../test/support/test-plumbline.ts'
import { Clock } from '../runtime/clock.ts'

test.each([
  [0, []],
  [60_000, [expect.stringMatching(/is 60 s ahead of the clock of the database\./)]],
  [-60_000, [expect.stringMatching(/is 60 s behind the clock of the database\./)]],
])('startup logs a warning if the clock of the machine is %i ms ahead of the database', async (ms, said) => {
  const clock = new Clock()
  clock.advance(ms)
  const log: string[] = []
  const write = (line: string) => log.push(JSON.parse(line).msg)
  const plumbline = await startTestPlumbline({}, { clock, log: pino({ level: 'warn' }, { write }) })
  await plumbline.stop()
  expect(log.filter((line) => line.includes('clock'))).toEqual(said)
})
