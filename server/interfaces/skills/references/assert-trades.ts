import { sql } from 'kysely'
import type { Call } from '../../../platform/calls/call.ts'
import { problem } from '../../../platform/problems/problem.ts'
import { listSimilarNames } from '../../../platform/problems/similar-names.ts'

/**
 * Throws if an input of a composite skill contains an unknown trade, so that the agent asks the user. An operation
 * creates a trade that it does not know. If a skill did this, a typing error would result in orders for a trade without
 * vendors or a budget.
 */
export async function assertTradesExist(call: Call, input: Record<string, unknown>): Promise<void> {
  const provided = listNamedTrades(input)
  if (provided.length === 0) return
  const names = await listTradesInUse(call)
  const known = new Set(names.map((name) => name.toLowerCase()))
  const unknown = provided.filter(({ name }) => !known.has(name.toLowerCase()))
  const [first] = unknown
  if (first === undefined) return
  const nearest = call.permissions.has(READ_PERMISSION) ? listSimilarNames(first.name, names, MAX_SUGGESTIONS) : []
  const question = nearest.length === 0 ? '' : ` Did you mean ${nearest.join(' or ')}?`
  throw problem('unknown_reference', `Unknown trade "${first.name}".${question}`, {
    errors: unknown.map(({ pointer, name }) => ({
      ...{
        pointer,
        code: 'did_you_mean',
        message: `does not match any trade in your organization; received "${name}"`,
      },
    })),
    ...(nearest.length > 0 && { nearest }),
  })
}

const READ_PERMISSION = 'vendors:read'
const MAX_SUGGESTIONS = 3

interface NamedTrade {
  pointer: string
  name: string
}

function listNamedTrades({ scope, scopes }: Record<string, unknown>): NamedTrade[] {
  const one = typeof scope === 'string' ? [{ pointer: '/input/scope', name: scope }] : []
  if (!Array.isArray(scopes)) return one
  return [...one, ...scopes.map((name, i) => ({ pointer: `/input/scopes/${i}`, name: String(name) }))]
}

/** Returns the names of all trades in use. A builder uses a few dozen trades. */
async function listTradesInUse({ db, organizationId }: Call): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select "name" from "scopes" where "organizationId" = ${organizationId} and "archivedAt" is null
    order by "id" limit ${MAX_COMPARED}`.execute(db)
  return rows.map(({ name }) => name)
}

const MAX_COMPARED = 2000
