import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { hasPostgres } from './scripts/processes/postgres.ts'
import { LongestFirst } from './test/support/longest-first.ts'
import { SeenAnswers } from './test/support/seen-answers.ts'

// These run once. The client, the mock, the contract and the sources have no database. Pages in browsers and commands
// pasted from the documentation work the same on both databases, and every operation involved has its own tests on
// both. The pipeline is the one flow through the pages that runs on both.
const ON_ONE_DATABASE = [
  '{client,mock}/**/*.test.ts',
  'test/{contract,packages}/**/*.test.ts',
  'test/rollback.test.ts',
  'test/walk/{imports,migrations}.test.ts',
  'server/interfaces/skills/{schemas,search}.test.ts',
  'server/domain/building/schedule/{from-start,passes,schedule}.test.ts',
  'test/{docs,frontend,portal-pages}/**/*.test.ts',
  'test/pages/!(pipeline).test.ts',
]

// Everything else runs twice: on the embedded database, and on its own PostgreSQL server if the machine has one.
const project = (name: 'pglite' | 'postgres') => ({
  extends: true as const,
  test: {
    name,
    include: ['{client,mock,server,test}/**/*.test.ts'],
    exclude: name === 'pglite' && hasPostgres() ? ON_ONE_DATABASE : [],
    globalSetup: `test/support/setup-${name}.ts`,
    setupFiles: 'test/support/record-answers.ts',
  },
})

if (!hasPostgres()) {
  console.error(
    '### No PostgreSQL binaries on this machine (PATH, PG_BIN): the suite runs on the embedded database ALONE. ###',
  )
}

const seenAnswers = new SeenAnswers()
/** Where to write the numbers of passed and failed tests. */
const results = process.env.TEST_RESULTS

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One more than the number of cores, because some tests wait for slow events: a lease that expires, a receiver that
    // hangs. With two more, every test becomes slower.
    maxWorkers: availableParallelism() + 1,
    pool: 'forks',
    // One process runs many files: it loads the modules and compiles the contract and PGlite's WebAssembly once. Each
    // file still starts its own service and database.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', seenAnswers, ...(results === undefined ? [] : ['json'])],
    ...(results !== undefined && { outputFile: { json: results } }),
    env: { SEEN_ANSWERS: seenAnswers.folder },
    projects: [project('pglite'), ...(hasPostgres() ? [project('postgres')] : [])],
  },
})
