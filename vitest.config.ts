import { defineConfig } from 'vitest/config'
import { hasPostgres } from './test/support/postgres.ts'
import { SeenAnswers } from './test/support/seen-answers.ts'

// The whole suite runs twice: on the embedded database, and on a PostgreSQL server of its own where the machine has one.
const project = (name: 'pglite' | 'postgres') => ({
  extends: true as const,
  test: { name, globalSetup: `test/support/setup-${name}.ts` },
})

if (!hasPostgres()) {
  console.error(
    '### No PostgreSQL binaries on this machine (PATH, PG_BIN): the suite runs on the embedded database ALONE. ###',
  )
}

const seenAnswers = new SeenAnswers()

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'client/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: 'forks',
    setupFiles: 'test/support/record-answers.ts',
    reporters: ['default', seenAnswers],
    env: { SEEN_ANSWERS: seenAnswers.folder },
    projects: [project('pglite'), ...(hasPostgres() ? [project('postgres')] : [])],
  },
})
