import { sql } from 'kysely'
import type { Selection, SelectionIssue } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import * as options from '../options/queries.ts'
import { ACTIVE_STATUSES, type SelectedOption } from './selected-option.ts'

/** The maximum number of selections of a home. Buyers typically make about a hundred selections. */
export const MAX_SELECTIONS = 500

/** A selection that counts in the budget, with the fields that appear in messages about it. */
export interface ActiveSelection extends SelectedOption, Pick<Selection, 'status' | 'optionId'> {}

/**
 * Returns the selections that count in the budget and price of the home, with their options. Executes two statements.
 */
export async function findActiveSelections(call: Tenant, homeId: string): Promise<ActiveSelection[]> {
  const { rows } = await sql<Omit<ActiveSelection, 'option'>>`
    select "id", "status", "optionId", "quantity", "cost", "costBasis", "scope", "costCodeId", "customDescription"
    from "selections"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "status" = any(${[...ACTIVE_STATUSES]}::text[])
    order by "id" limit ${MAX_SELECTIONS}`.execute(call.db)
  const ids = [...new Set(rows.flatMap(({ optionId }) => optionId ?? []))]
  const byId = new Map((ids.length === 0 ? [] : await options.findAll(call, ids)).map((option) => [option.id, option]))
  return rows.map((row) => ({ ...row, option: byId.get(row.optionId ?? '') ?? null }))
}

/** Stores the computed costs of selections. */
export async function storeSelectionCosts(
  call: WriteCall,
  costs: readonly { id: string; cost: number | null; issues: readonly SelectionIssue[] }[],
): Promise<void> {
  if (costs.length === 0) return
  const { rows } = await sql<{ id: string }>`
    update "selections" as s set "cost" = c."cost", "issues" = c."issues", "updatedAt" = ${call.now},
      "version" = s."version" + 1
    from unnest(
      ${costs.map(({ id }) => id)}::text[], ${costs.map(({ cost }) => cost)}::numeric[],
      ${costs.map(({ issues }) => JSON.stringify(issues))}::jsonb[]
    ) as c ("id", "cost", "issues")
    where s."organizationId" = ${call.organizationId} and s."id" = c."id"
      and (s."cost", s."issues") is distinct from (c."cost", c."issues")
    returning s."id"`.execute(call.db)
  for (const { id } of rows) recordChange(call, id, 'updated', ['cost', 'issues'])
}
