import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../test/support/test-plumbline.ts'

const started: TestPlumbline[] = []
afterAll(() => Promise.all(started.map((plumbline) => plumbline.stop())))

/** Starts the service with these environment variables and returns the warnings that it logs. */
async function warnings(env: Record<string, string>): Promise<string[]> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  started.push(await startTestPlumbline(env, { log }))
  return lines.map((line) => JSON.parse(line).msg)
}

test('startup warns if the service listens publicly and webhooks can use private addresses', async () => {
  const [warning, ...others] = await warnings({ HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE: 'true' })
  expect(warning).toMatch(/^WEBHOOK_ALLOW_PRIVATE is true\. .* private networks.* false/)
  expect(others).toEqual([])
  expect(await warnings({ HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE: 'false' })).toEqual([])
  expect(await warnings({ HOST: '127.0.0.1', WEBHOOK_ALLOW_PRIVATE: 'true' })).toEqual([])
})
