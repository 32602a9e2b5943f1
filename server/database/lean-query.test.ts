import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

/** Change only with lean-query.ts, after comparing pg's lib/query.js, lib/client.js and lib/connection.js. */
const WRITTEN_AGAINST = '8.23.1'

test('pg is the version whose inner methods lean-query.ts calls', () => {
  const { version } = createRequire(import.meta.url)('pg/package.json') as { version: string }
  const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const advice =
    'lean-query.ts calls methods of pg that are not public: compare them in both versions, then change this.'
  expect(version, advice).toBe(WRITTEN_AGAINST)
  expect(dependencies.pg, 'package.json has to name pg by an exact version, without ~ or ^.').toBe(WRITTEN_AGAINST)
})
