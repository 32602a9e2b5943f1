import type {
  BuyerChange,
  BuyerChangeLine,
  BuyerChangeLineInput,
  FieldError,
  Selection,
} from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, Problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import * as options from '../../costs/options/queries.ts'
import { findOpenChangeOfSelection } from '../price-changes/queries.ts'
import { changeSelectionStatus } from '../selections/change-selection-status.ts'
import { addPendingSelection, changePendingSelection } from '../selections/pending-selections.ts'
import * as selections from '../selections/queries.ts'
import { formatSelectionName } from '../selections/selection.ts'
import { lockSelectionWithHome, type SelectionPlace } from '../selections/selection-place.ts'

interface Writing {
  readonly place: SelectionPlace
  /** The draft whose lines are replaced; null if the change is new. */
  readonly change: Pick<BuyerChange, 'id' | 'lines'> | null
  readonly createScopes: boolean | undefined
}

/**
 * Applies the lines that a client sent for a draft, and returns them as stored. Adds, changes, and declines the
 * selections of custom items. The caller must have locked the home.
 */
export async function applyChangeLines(
  call: WriteCall,
  writing: Writing,
  provided: readonly BuyerChangeLineInput[],
): Promise<BuyerChangeLine[]> {
  const before = writing.change?.lines ?? []
  const stored = provided.map(({ lineId }) => before.find((line) => line.lineId === lineId))
  const errors = provided.flatMap((line, i) => findFaults(line, stored, i))
  if (errors.length > 0) throw validationFailed(errors)
  let last = Math.max(0, ...before.map(({ lineId }) => Number(lineId.slice(1))))
  const lines: BuyerChangeLine[] = []
  for (const [i, line] of provided.entries()) {
    const old = stored[i]
    const lineId = old?.lineId ?? `L${++last}`
    const optionSelectionId = line.optionSelectionId ?? old?.optionSelectionId ?? null
    const values =
      optionSelectionId === null || old?.isCustom
        ? await pointingAtLine(i, () => writeCustom(call, writing, old, line))
        : await nameSelection(call, writing, {
            i,
            optionSelectionId,
            description: line.description ?? old?.description,
          })
    if (lines.some((other) => other.optionSelectionId === values.optionSelectionId))
      throw validationFailed([
        {
          pointer: `/lines/${i}/optionSelectionId`,
          code: 'unique',
          message: 'must be unique; another line has the same optionSelectionId',
        },
      ])
    lines.push({ lineId, ...values })
  }
  await declineCustomSelections(
    call,
    before.filter((line) => !stored.includes(line)),
    null,
  )
  return lines
}

/** Declines the pending selections that were created for lines of a change. */
export async function declineCustomSelections(
  call: WriteCall,
  lines: readonly BuyerChangeLine[],
  reason: string | null,
): Promise<void> {
  for (const { isCustom, optionSelectionId } of lines) {
    if (!isCustom || optionSelectionId === null) continue
    await changeSelectionStatus(call, await lockSelectionWithHome(call, optionSelectionId), { to: 'declined', reason })
  }
}

function findFaults(
  line: BuyerChangeLineInput,
  stored: readonly (BuyerChangeLine | undefined)[],
  i: number,
): FieldError[] {
  const at = (field: string, code: string, message: string) => ({ pointer: `/lines/${i}/${field}`, code, message })
  const old = stored[i]
  if (line.lineId != null && (old === undefined || stored.indexOf(old) < i))
    return [at('lineId', 'unknown', 'must be a line of this change, and can be listed only once')]
  if (old !== undefined && line.optionSelectionId != null && line.optionSelectionId !== old.optionSelectionId)
    return [at('optionSelectionId', 'fixed', 'cannot be changed on an existing line')]
  const isCustom = old?.isCustom ?? line.optionSelectionId == null
  if (isCustom)
    return (['description', 'price', 'cost'] as const)
      .filter((field) => line[field] == null)
      .map((field) => at(field, 'required', 'is required for a custom item'))
  return (['scope', 'price', 'cost'] as const)
    .filter((field) => line[field] != null)
    .map((field) => at(field, 'exclusive', 'is set by the selection; leave it out'))
}

type Values = Omit<BuyerChangeLine, 'lineId'>

async function writeCustom(
  call: WriteCall,
  { place, createScopes }: Writing,
  old: BuyerChangeLine | undefined,
  { description, scope = null, price, cost }: BuyerChangeLineInput,
): Promise<Values> {
  const item = { customDescription: description ?? '', unitPrice: price ?? 0, cost: cost ?? 0, scope }
  const selection =
    old?.optionSelectionId == null
      ? await addPendingSelection(call, place, { ...item, quantity: 1 }, createScopes)
      : await changePendingSelection(
          call,
          place,
          await selections.lock(call, old.optionSelectionId),
          item,
          createScopes,
        )
  return toValues(selection, { isCustom: true, description: item.customDescription })
}

async function nameSelection(
  call: WriteCall,
  { place, change }: Writing,
  { i, optionSelectionId, description }: { i: number; optionSelectionId: string; description: string | undefined },
): Promise<Values> {
  const pointer = `/lines/${i}/optionSelectionId`
  const found = await selections.findOptional(call, optionSelectionId)
  if (found === undefined) throw unknownReference([pointer])
  if (found.homeId !== place.home.id)
    throw validationFailed([{ pointer, code: 'home', message: `must be a selection for ${place.home.name}` }])
  const selection = await selections.lock(call, optionSelectionId)
  const option = selection.optionId === null ? null : await options.find(call, selection.optionId)
  const name = option?.name ?? formatSelectionName(selection, option)
  if (selection.status !== 'pending')
    throw conflict(
      'wrong_status',
      `Cannot add ${name} to a change: the selection is ${describeStatus(selection.status)}. Only pending selections can be added.`,
    )
  const other = await findOpenChangeOfSelection(call, selection)
  if (other !== undefined && other.id !== change?.id)
    throw conflict('in_use', `Cannot add ${name}: it already belongs to change ${other.number} (${other.title}).`, {
      conflictingId: other.id,
    })
  return toValues(selection, { isCustom: false, description: description ?? name })
}

function toValues(selection: Selection, { isCustom, description }: Pick<Values, 'isCustom' | 'description'>): Values {
  const { id, scope, difference, cost } = selection
  return { optionSelectionId: id, isCustom, description, scope, price: difference, cost }
}

/** For each field of a selection, the field of the line from which it is set. */
const FIELDS: Readonly<Record<string, string>> = { customDescription: 'description', unitPrice: 'price' }

/**
 * Calls `run` for one line. Changes the pointers of its errors from the fields of the selection to the fields of the
 * line.
 */
async function pointingAtLine<T>(i: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Problem) || error.extras.errors === undefined) throw error
    throw error.pointingAt(
      error.extras.errors.map((each) => {
        const field = each.pointer.slice(1)
        return { ...each, pointer: `/lines/${i}/${FIELDS[field] ?? field}` }
      }),
    )
  }
}
