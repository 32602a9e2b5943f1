import { isDeepStrictEqual } from 'node:util'
import type { Elevation, Plan, PlanStatus } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { formatCount, formatList } from '../../../platform/values/format.ts'

export const PLAN_MOVES: Readonly<Record<PlanStatus, readonly PlanStatus[]>> = {
  draft: ['released'],
  released: ['retired'],
  retired: [],
}

/**
 * The fields that define how a home is built, which do not change after a revision is released. All other fields are
 * not part of a revision.
 */
export const REVISION_FIELDS = [
  ...(['squareFeet', 'bedrooms', 'bathrooms', 'garageSpaces', 'stories'] as const),
  ...(['basePrice', 'figures', 'elevations'] as const),
] as const

/** The figures that every plan has as fields. */
const BUILT_IN_FIGURES: ReadonlySet<string> = new Set([
  'squareFeet',
  'bedrooms',
  'bathrooms',
  'garageSpaces',
  'stories',
])

export function buildPlan(body: Checked['PlanCreate']) {
  return { ...body, elevations: toStoredElevations(body.elevations), status: 'draft' as const, revision: 1 }
}

/** Returns the fields of an update in the form in which they are stored. */
export function toPlanChanges({ elevations, ...rest }: Checked['PlanUpdate']): Partial<Plan> {
  return { ...rest, ...(elevations !== undefined && { elevations: toStoredElevations(elevations) }) }
}

function toStoredElevations(elevations: readonly Checked['ElevationInput'][]): Elevation[] {
  return elevations.map(({ code, name = null, price, figures }) => ({ code, name, price, figures }))
}

/**
 * Returns the fields that change together with an edit. A released revision does not change, so the edit starts the
 * next revision.
 */
export function computeRevisionFields(before: Plan, changes: Partial<Plan>): Partial<Plan> {
  if (before.status !== 'released') return {}
  const isBuiltOtherwise = REVISION_FIELDS.some(
    (field) => changes[field] !== undefined && !isDeepStrictEqual(changes[field], before[field]),
  )
  return isBuiltOtherwise ? getNextRevision(before) : {}
}

/** Returns the draft that follows a released revision. */
export function getNextRevision({ revision }: Plan): Pick<Plan, 'status' | 'revision'> {
  return { status: 'draft', revision: revision + 1 }
}

/** Returns the codes of the elevations that the changes remove. */
export function listRemovedElevations(before: Plan, { elevations }: Partial<Plan>): string[] {
  if (elevations === undefined) return []
  const kept = new Set(elevations.map(({ code }) => code))
  return before.elevations.map(({ code }) => code).filter((code) => !kept.has(code))
}

/** Returns the reason why elevations with takeoff lines cannot be removed. */
export function describeElevationsInUse(
  { code }: Plan,
  lineCounts: readonly { elevation: string; count: number }[],
): string {
  const elevations = formatList(lineCounts.map(({ elevation }) => elevation))
  const [noun, pronoun] = lineCounts.length === 1 ? ['elevation', 'it'] : ['elevations', 'them']
  const lines = lineCounts.reduce((sum, { count }) => sum + count, 0)
  const remedy = lines === 1 ? 'Delete the line or change its elevation' : 'Delete the lines or change their elevation'
  return `Cannot remove ${noun} ${elevations} from ${code}: the takeoff has ${formatCount(lines, 'line')} for ${pronoun}. ${remedy} first.`
}

/** Throws `validation_failed` for duplicate names among figures or elevations. */
export function assertUniqueNames(body: Checked['PlanUpdate']): void {
  const { figures = [], elevations = [] } = body
  const errors = [
    ...findRepeated(figures, 'name', '/figures', BUILT_IN_FIGURES),
    ...findRepeated(elevations, 'code', '/elevations'),
    ...elevations.flatMap((elevation, i) => findRepeated(elevation.figures, 'name', `/elevations/${i}/figures`)),
  ]
  if (errors.length > 0) throw validationFailed(errors)
}

function findRepeated<Field extends string>(
  items: readonly Record<Field, string>[],
  field: Field,
  pointer: string,
  taken: ReadonlySet<string> = new Set(),
) {
  const seen = new Set(taken)
  return items.flatMap((item, i) => {
    const name = item[field]
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const message = taken.has(name)
      ? 'must not be the name of a field of the plan'
      : `must be unique; another item has the same ${field}`
    return [{ pointer: `${pointer}/${i}/${field}`, code: 'unique', message }]
  })
}

/** Returns the reason why new homes cannot be built from the plan in this community; null if there is none. */
export function explainWhyPlanCannotBeUsed(plan: Plan, community: { id: string; name: string }): string | null {
  if (plan.archivedAt !== null) return `Cannot use ${plan.code}: the plan is archived.`
  if (plan.status === 'retired') return `Cannot use ${plan.code}: the plan is retired.`
  if (plan.releasedRevision === null) return `Cannot use ${plan.code}: the plan has not been released.`
  if (plan.communityIds.length > 0 && !plan.communityIds.includes(community.id))
    return `Cannot use ${plan.code}: the plan is not available in ${community.name}.`
  return null
}

/** Returns the reason why this elevation of a plan cannot be selected; null if there is none. */
export function findElevationError(elevations: readonly Elevation[], chosen: string | null): string | null {
  const codes = elevations.map(({ code }) => code)
  if (chosen === null) return codes.length === 0 ? null : `is required; the plan has ${codes.join(', ')}`
  if (codes.includes(chosen)) return null
  return codes.length === 0 ? 'must be omitted; the plan has no elevations' : `must be one of ${codes.join(', ')}`
}
