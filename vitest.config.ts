import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { hasPostgres } from './scripts/processes/postgres.ts'
import { LongestFirst } from './test/support/longest-first.ts'
import { SeenResponses } from './test/support/seen-responses.ts'

// These tests run on only one database. The client, the mock, the contract, and the source files use no database. Pages
// in browsers and commands from the documentation work in the same way on both databases, and every operation in them
// has its own tests on both. The bidding pipeline is the only flow through the pages that is tested on both. The words of
// emails and the tasks of agents combine operations in the same way.
const ON_ONE_DATABASE = [
  '{client,mock}/**/*.test.ts',
  'test/{contract,packages}/**/*.test.ts',
  'test/rollback.test.ts',
  'test/walk/{imports,migrations}.test.ts',
  'server/interfaces/skills/{skill-schemas,skill-search}.test.ts',
  'server/domain/building/schedule/{calendar-lag,critical-path,schedule-*}.test.ts',
  'server/domain/paying/documents/drawing-thread.test.ts',
  'server/platform/values/*.test.ts',
  'test/{docs,frontend,portal-pages}/**/*.test.ts',
  'server/interfaces/portal/mail-languages.test.ts',
  'server/interfaces/mcp/office-tasks.test.ts',
  'test/pages/!(pipeline).test.ts',
]

// Without this check, tests would run twice again after their files are renamed.
for (const pattern of ON_ONE_DATABASE)
  if (globSync(pattern, { cwd: import.meta.dirname }).length === 0) throw new Error(`No file matches ${pattern}.`)

// Tests of the embedded database or of a single server: its files, connections, locks, copies, and plans. And the tests
// of migrations that change the rows of old versions, which did not support a distributed database.
const NOT_ON_CITUS = [
  'server/platform/database/!(row-level-security|isolation-check).test.ts',
  'server/operators/{backup,cli,move}/**/*.test.ts',
  'test/{move,demo,webhook-crash,webhook-processes,two-owners}.test.ts',
  'server/domain/ledger/posted-history.test.ts',
  'test/money/migration.test.ts',
  'test/support/*.test.ts',
]

// All other tests run twice: on the embedded database and, if PostgreSQL is installed, on a private PostgreSQL server.
const project = (name: 'pglite' | 'postgres' | 'citus') => ({
  extends: true as const,
  test: {
    name,
    include: ['{client,mock,server,test}/**/*.test.ts'],
    exclude:
      name === 'citus'
        ? [...ON_ONE_DATABASE, ...NOT_ON_CITUS]
        : name === 'pglite' && hasPostgres()
          ? ON_ONE_DATABASE
          : [],
    globalSetup: `test/support/setup-${name}.ts`,
    setupFiles: 'test/support/record-responses.ts',
    // Distributing a database takes longer than anything else.
    ...(name === 'citus' && { hookTimeout: 600_000 }),
  },
})

if (!hasPostgres()) {
  console.error(
    '### No PostgreSQL binaries on this machine (PATH, PG_BIN): the suite runs on the embedded database ALONE. ###',
  )
}

if (process.env.CITUS_URL === undefined) {
  console.error('### CITUS_URL is not set: the tests on a database that is distributed with Citus are SKIPPED. ###')
}

const seenResponses = new SeenResponses()
/** The file to which the numbers of passed and failed tests are written. */
const results = process.env.TEST_RESULTS

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Uses one more worker than there are cores, because some tests wait for slow events, such as a lease that expires
    // or a receiver that hangs. With a second additional worker, every test would become slower.
    maxWorkers: availableParallelism() + 1,
    pool: 'forks',
    // Runs many files in one process, which loads the modules and compiles the contract and PGlite's WebAssembly only
    // once. Each file still starts its own service and database.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', seenResponses, ...(results === undefined ? [] : ['json'])],
    ...(results !== undefined && { outputFile: { json: results } }),
    env: { SEEN_RESPONSES: seenResponses.folder },
    projects: [
      project('pglite'),
      ...(hasPostgres() ? [project('postgres')] : []),
      ...(process.env.CITUS_URL === undefined ? [] : [project('citus')]),
    ],
  },
})
