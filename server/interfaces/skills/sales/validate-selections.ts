import { sql } from 'kysely'
import type {
  SelectionProblem,
  ValidateSelectionsInput,
  ValidateSelectionsResult,
} from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'

const MAX_SELECTIONS = 500

interface SelectedOption {
  id: string
  name: string
  status: string
  deadline: string | null
  price: number | null
  optionId: string | null
  requires: { id: string; code: string }[]
  excludes: { id: string; code: string }[]
}

export async function validateSelections(
  { homeId }: ValidateSelectionsInput,
  call: Call,
): Promise<ValidateSelectionsResult> {
  const [{ home }, found] = await Promise.all([findHomeOverview(call, homeId), findActiveSelections(call, homeId)])
  const { rows, truncated } = truncateRows(found, MAX_SELECTIONS)
  const there = new Set(rows.map(({ optionId }) => optionId))
  const today = getToday(call)
  const problems = rows.flatMap((row) => findSelectionProblems(row, there, today))
  return {
    ...{ homeId, home, checked: rows.length, problems: problems.slice(0, MAX_SELECTIONS) },
    ...createReportFooter(call, {
      truncated: truncated || problems.length > MAX_SELECTIONS,
      unknown: ['Choices that have not been entered as selections are not checked.'],
    }),
  }
}

function findSelectionProblems(
  row: SelectedOption,
  there: ReadonlySet<string | null>,
  today: string,
): SelectionProblem[] {
  const { id: selectionId, name: selection, status, deadline, price, requires, excludes } = row
  const fault = (problem: SelectionProblem['problem'], detail: string) => ({ selectionId, selection, problem, detail })
  const isLate = deadline !== null && deadline < today
  return [
    ...requires
      .filter(({ id }) => !there.has(id))
      .map(({ code }) => fault('requires_missing', `The selection requires ${code}, which is not selected.`)),
    ...excludes
      .filter(({ id }) => there.has(id))
      .map(({ code }) =>
        fault('excludes_other', `The selection cannot be combined with ${code}, which is also selected.`),
      ),
    ...(status !== 'pending'
      ? []
      : isLate
        ? [fault('past_deadline', `The deadline for the decision was ${formatDate(deadline)}.`)]
        : [
            fault(
              'undecided',
              deadline === null
                ? 'The selection is not decided.'
                : `The deadline for the decision is ${formatDate(deadline)}.`,
            ),
          ]),
    ...(price === null ? [fault('not_priced', 'The selection has no price.')] : []),
  ]
}

async function findActiveSelections({ db, organizationId }: Call, homeId: string): Promise<SelectedOption[]> {
  const named = (ids: string) =>
    sql.raw(`
    coalesce((select json_agg(json_build_object('id', x."id", 'code', x."code") order by x."code") from "options" x
      where x."organizationId" = s."organizationId" and x."id" = any(o.${ids})), '[]')`)
  const { rows } = await sql<SelectedOption>`
    select s."id", left(coalesce(o."code" || ' ' || o."name", s."customDescription", 'Selection'), 500) as "name", s."status",
      s."deadline", s."price", s."optionId", ${named('"requiresOptionIds"')} as "requires", ${named('"excludesOptionIds"')} as "excludes"
    from "selections" s left join "options" o on o."organizationId" = s."organizationId" and o."id" = s."optionId"
    where s."organizationId" = ${organizationId} and s."homeId" = ${homeId}
      and s."status" in ('pending', 'approved', 'ordered', 'installed')
    order by s."id" limit ${MAX_SELECTIONS + 1}`.execute(db)
  return rows
}
