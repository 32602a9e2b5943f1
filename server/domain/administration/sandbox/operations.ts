import { sql } from 'kysely'
import type { Sandbox } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { listOwnedTables, type OwnedTable } from '../../../platform/database/owned-tables.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { KEPT_TABLES, TRACE_TABLES } from '../../office/organizations/sandbox-tables.ts'
import {
  findSandbox,
  hasWorkInProgress,
  lockSandbox,
  requestSandboxWork,
} from '../../office/organizations/sandboxes.ts'

/** The number of days of example history, up to today. */
const EXAMPLE_DAYS = 401

const NO_SANDBOX: Sandbox = {
  ...{ isSandbox: false, status: 'empty', done: 0, total: 0, failure: null },
  ...{ startedAt: null, finishedAt: null },
}

export const sandboxOperations = {
  async getSandbox(_input, { db, organizationId }) {
    return { status: 200, body: (await findSandbox(db, organizationId)) ?? NO_SANDBOX }
  },

  async fillSandbox(_input, call) {
    const body = await call.write(async (call) => {
      const { status } = await lockIdleSandbox(call)
      if (status === 'filled')
        throw conflict('already_done', 'Cannot fill the sandbox: it is already filled. Empty it first.')
      const found = await findFirstRecordKind(call, await listOwnedTables(call.db))
      if (found !== null)
        throw conflict(
          'not_suitable',
          `Cannot fill the sandbox: the organization already has ${found}. Use an organization that has never had records.`,
        )
      recordChange(call, call.organizationId, 'filled')
      return requestSandboxWork(call, 'filling', EXAMPLE_DAYS)
    })
    return { status: 202, body }
  },

  async emptySandbox(_input, call) {
    const body = await call.write(async (call) => {
      const { status } = await lockIdleSandbox(call)
      if (status === 'empty') throw conflict('already_done', 'Cannot empty the sandbox: it is already empty.')
      const tables = (await listOwnedTables(call.db)).filter(({ name }) => !KEPT_TABLES.has(name))
      recordChange(call, call.organizationId, 'emptied')
      return requestSandboxWork(call, 'emptying', tables.length)
    })
    return { status: 202, body }
  },
} satisfies Partial<Handlers>

async function lockIdleSandbox(call: WriteCall): Promise<Sandbox> {
  const sandbox = await lockSandbox(call)
  if (sandbox === undefined)
    throw conflict(
      'not_available',
      'This organization is not a sandbox. To make it a sandbox, ask the operator to run `organizations update --sandbox`.',
    )
  if (hasWorkInProgress(sandbox))
    throw conflict(
      'under_way',
      sandbox.status === 'filling'
        ? 'Cannot change the sandbox while it is being filled. Try again later.'
        : 'Cannot change the sandbox while it is being emptied. Try again later.',
    )
  return sandbox
}

/** Returns the kind of record in the first table that has rows, as text for a message; null if there are no records. */
async function findFirstRecordKind(
  { db, organizationId }: Tenant,
  tables: readonly OwnedTable[],
): Promise<string | null> {
  const requested = tables
    .filter(({ name }) => !KEPT_TABLES.has(name) && !TRACE_TABLES.has(name))
    .map(
      ({ name }) => sql`
        select ${name}::text as "name" where exists (select from ${sql.table(name)} where "organizationId" = ${organizationId})`,
    )
  const { rows } = await sql<{ name: string }>`${sql.join(requested, sql` union all `)} limit 1`.execute(db)
  return rows[0]?.name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) ?? null
}
