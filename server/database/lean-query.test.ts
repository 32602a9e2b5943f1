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

/** Change only with wire-rows.ts, after comparing pg-protocol's dist/parser.js. */
const PARSER_WRITTEN_AGAINST = '1.16.1'

test('pg reads its messages with the version of the parser that wire-rows.ts changes', () => {
  const ofPg = createRequire(createRequire(import.meta.url).resolve('pg'))
  const { version } = JSON.parse(
    readFileSync(ofPg.resolve('pg-protocol').replace(/dist\/index\.js$/, 'package.json'), 'utf8'),
  ) as { version: string }
  expect(version, 'wire-rows.ts replaces a method of it: compare both versions, then change this.').toBe(
    PARSER_WRITTEN_AGAINST,
  )
})
