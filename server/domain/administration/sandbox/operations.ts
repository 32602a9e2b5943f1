import { sql } from 'kysely'
import type { Sandbox } from '../../../../client/contract.gen.ts'
import { noteChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { type OwnedTable, ownedTables } from '../../../platform/database/owned-tables.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { STAYS, TRACES } from '../../office/organizations/sandbox-tables.ts'
import { ask, isUnderWay, lockSandbox, sandboxOf } from '../../office/organizations/sandboxes.ts'

/** Length of the example's history in days, up to today. */
const DAYS_TOLD = 401

const NONE: Sandbox = {
  ...{ isSandbox: false, status: 'empty', done: 0, total: 0, failure: null },
  ...{ startedAt: null, finishedAt: null },
}

export const sandboxOperations = {
  async getSandbox(_input, { db, organizationId }) {
    return { status: 200, body: (await sandboxOf(db, organizationId)) ?? NONE }
  },

  async fillSandbox(_input, call) {
    const body = await call.write(async (call) => {
      const { status } = await lockAtRest(call)
      if (status === 'filled') throw conflict('already_done', 'The sandbox is already filled. Empty it first.')
      const found = await firstRecords(call, await ownedTables(call.db))
      if (found !== null)
        throw conflict(
          'not_suitable',
          `Cannot fill the sandbox: the organization already has ${found}, and emptying the sandbox would delete them. Delete them first.`,
        )
      noteChange(call, call.organizationId, 'filled')
      return ask(call, 'filling', DAYS_TOLD)
    })
    return { status: 202, body }
  },

  async emptySandbox(_input, call) {
    const body = await call.write(async (call) => {
      const { status } = await lockAtRest(call)
      if (status === 'empty') throw conflict('already_done', 'The sandbox is already empty.')
      const tables = (await ownedTables(call.db)).filter(({ name }) => !STAYS.has(name))
      noteChange(call, call.organizationId, 'emptied')
      return ask(call, 'emptying', tables.length)
    })
    return { status: 202, body }
  },
} satisfies Partial<Handlers>

async function lockAtRest(call: WriteCall): Promise<Sandbox> {
  const sandbox = await lockSandbox(call)
  if (sandbox === undefined)
    throw conflict(
      'not_available',
      'This organization is not a sandbox. To make it a sandbox, the operator runs `organizations update --sandbox`.',
    )
  if (isUnderWay(sandbox))
    throw conflict('under_way', `The sandbox is currently ${sandbox.status}. Try again when it has finished.`)
  return sandbox
}

/** Returns the kind of the first records found, as text; null if there are none. */
async function firstRecords({ db, organizationId }: Tenant, tables: readonly OwnedTable[]): Promise<string | null> {
  const asked = tables
    .filter(({ name }) => !STAYS.has(name) && !TRACES.has(name))
    .map(
      ({ name }) => sql`
        select ${name}::text as "name" where exists (select from ${sql.table(name)} where "organizationId" = ${organizationId})`,
    )
  const { rows } = await sql<{ name: string }>`${sql.join(asked, sql` union all `)} limit 1`.execute(db)
  return rows[0]?.name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) ?? null
}
