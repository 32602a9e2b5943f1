import { defineConfig } from 'vitest/config'

// The whole suite runs twice: on the embedded database, and on a PostgreSQL server of its own where the machine has one.
const project = (name: 'pglite' | 'postgres') => ({
  extends: true as const,
  test: { name, globalSetup: `test/support/setup-${name}.ts` },
})

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'client/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: 'forks',
    projects: [project('pglite'), project('postgres')],
  },
})
