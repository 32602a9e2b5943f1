import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { hasPostgres } from './scripts/processes/postgres.ts'
import { SeenAnswers } from './test/support/seen-answers.ts'

const WITHOUT_DATABASE = [
  'test/contract/**/*.test.ts',
  'test/packages/**/*.test.ts',
  'test/walk/imports.test.ts',
  'test/walk/migrations.test.ts',
  'server/skills/{schemas,search}.test.ts',
  'server/building/schedule/{from-start,passes,schedule}.test.ts',
]

// What needs a database runs twice: on the embedded one, and on a PostgreSQL server of its own where the machine has one.
const project = (name: 'pglite' | 'postgres') => ({
  extends: true as const,
  test: {
    name,
    include: ['server/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: WITHOUT_DATABASE,
    globalSetup: `test/support/setup-${name}.ts`,
    setupFiles: 'test/support/record-answers.ts',
  },
})

// The client, the mock, the contract and the sources have none.
const plain = {
  extends: true as const,
  test: { name: 'plain', include: ['client/**/*.test.ts', 'mock/**/*.test.ts', ...WITHOUT_DATABASE] },
}

if (!hasPostgres()) {
  console.error(
    '### No PostgreSQL binaries on this machine (PATH, PG_BIN): the suite runs on the embedded database ALONE. ###',
  )
}

const seenAnswers = new SeenAnswers()
/** Where the numbers go for whoever wants to count. */
const results = process.env.TEST_RESULTS

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One more than cores, because some tests wait for what takes its time: a lease that lapses, a receiver that hangs.
    maxWorkers: Math.max(2, availableParallelism() + 1),
    pool: 'forks',
    // One process runs many files: it loads the modules, compiles the contract and PGlite's WebAssembly once. Each file still
    // starts a service and a database of its own.
    isolate: false,
    reporters: ['default', seenAnswers, ...(results === undefined ? [] : ['json'])],
    ...(results !== undefined && { outputFile: { json: results } }),
    env: { SEEN_ANSWERS: seenAnswers.folder },
    projects: [plain, project('pglite'), ...(hasPostgres() ? [project('postgres')] : [])],
  },
})
