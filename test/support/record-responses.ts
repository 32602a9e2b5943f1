import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, inject } from 'vitest'
import { takeSeenResponses } from './seen-in-process.ts'
import { takeSentStatements } from './sent-statements.ts'

/**
 * Records the responses and the statements of each test file. After the whole suite, seen-responses.ts compares the
 * responses with the contract, and setup-postgres.ts runs EXPLAIN for the statements.
 */
afterAll(() => {
  const folder = process.env.SEEN_RESPONSES
  if (folder !== undefined)
    appendFileSync(path.join(folder, `${process.pid}.txt`), [...takeSeenResponses(), ''].join('\n'))
  const statements = inject('postgres')?.statementsFolder
  // The statements of these tests leave out the organization, to show that the database still hides other rows.
  const isWithoutCondition = expect.getState().testPath?.endsWith('row-level-security.test.ts') === true
  if (isWithoutCondition) takeSentStatements()
  else if (statements !== undefined)
    appendFileSync(
      path.join(statements, `${process.pid}.ndjson`),
      takeSentStatements()
        .map((text) => `${JSON.stringify(text)}\n`)
        .join(''),
    )
})
