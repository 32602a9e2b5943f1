import { describe, expect, inject, test } from 'vitest'
import { createPostgresUrl } from './databases.ts'
import { findSlowedStatements } from './row-security-plans.ts'

const postgres = inject('postgres')

describe.skipIf(postgres === null)('findSlowedStatements', () => {
  test.each([
    ['a comparison with a parameter', 'select from "vendors" where "organizationId" = $1 and "id" > $2', []],
    [
      'a comparison with a plain column',
      `select v."id" from unnest($2::text[]) as n ("key")
       join "vendors" v on v."organizationId" = $1 and v."nameKey" = n."key"`,
      [],
    ],
    // No version of PostgreSQL lets the restricted role use an index for a computed value.
    [
      'a comparison of a computed value',
      'select from "users" where "organizationId" = $1 and lower("email") = $2',
      [expect.objectContaining({ table: 'users', behindWall: [expect.stringContaining('organizationId')] })],
    ],
    ['a statement about a table that does not exist', 'select from "houses"', []],
    ['a statement without a plan', 'set local role none', []],
  ])('the check of plans reports the conditions that cannot use an index for %s', async (_, text, scans) => {
    if (postgres === null) throw new Error('Expected a PostgreSQL server.')
    const { slowed } = await findSlowedStatements(await createPostgresUrl(postgres), [text])
    expect(slowed.flatMap((each) => each.scans)).toEqual(scans)
  })
})
